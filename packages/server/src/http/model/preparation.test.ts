import { randomBytes } from 'node:crypto';
import { createScrubber } from '@infold/scrub';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import type { ModelRequest, Prepare } from '../../window/requests/prepare.ts';
import { Traffic } from '../../window/requests/traffic.ts';
import { RequestPreparation } from './preparation.ts';

const PATIENCE = { usual: 30, large: 20_000, largeFrom: 1000 };
const report = {
  status: 200,
  usage: null,
  milliseconds: { first: 1, all: 2, own: 0 },
  isComplete: true,
};

function prepared(prepare: Prepare) {
  const traffic = new Traffic();
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const preparation = new RequestPreparation(
    { prepare, log, clock: () => 5, scrubber: createScrubber(), parts: { traffic } as never },
    PATIENCE,
  );
  return { preparation, traffic, lines };
}

const request = (bytes = 10): ModelRequest => ({
  caller: localOwner,
  upstream: 'anthropic',
  dialect: 'anthropic',
  method: 'POST',
  path: '/v1/messages',
  headers: {},
  hostSession: undefined,
  body: new Uint8Array(bytes),
  signal: new AbortController().signal,
});

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('the original is sent', () => {
  test('where preparing throws, and the log says why without quoting the conversation', async () => {
    verifies('WIN-07');
    const { preparation, traffic, lines } = prepared(async () => JSON.parse('{"a": my own words'));
    expect(await preparation.prepare(request())).toBeUndefined();
    expect(traffic.report().failed_open).toEqual([
      { what: 'error', count: 1, last: { at: 5, why: 'the body is not valid JSON' } },
    ]);
    expect(lines.join('')).toContain('the body is not valid JSON');
    expect(lines.join('')).not.toContain('my own words');
  });

  test('where it throws before it begins', async () => {
    const secret = ['ghp', randomBytes(18).toString('hex')].join('_');
    const { preparation, traffic } = prepared(() => {
      throw new Error(`stumbled over ${secret}`);
    });
    expect(await preparation.prepare(request())).toBeUndefined();
    expect(traffic.report().failed_open[0]!.last.why).not.toContain(secret);
  });

  test('where it takes too long; who prepared it is told', async () => {
    verifies('WIN-07');
    const failed: string[] = [];
    let signal: AbortSignal | undefined;
    const { preparation, traffic } = prepared(async (asked) => {
      signal = asked.signal;
      await new Promise((resolve) => setTimeout(resolve, 60));
      return { body: new Uint8Array(1), answered() {}, failed: (reason) => void failed.push(reason) };
    });
    expect(await preparation.prepare(request())).toBeUndefined();
    expect(signal!.aborted).toBe(true);
    expect(traffic.report().failed_open).toMatchObject([{ what: 'late', count: 1 }]);
    await expect.poll(() => failed).toEqual(['late']);
  });
});

test('what is large may take longer', async () => {
  const { preparation, traffic } = prepared(async () => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    return { body: new Uint8Array(1), answered() {} };
  });
  expect((await preparation.prepare(request(2000)))!.body).toHaveLength(1);
  expect(traffic.report().failed_open).toEqual([]);
});

test.each<[string, () => void | Promise<void>]>([
  [
    'throws',
    () => {
      throw new Error('full');
    },
  ],
  ['is refused', () => Promise.reject(new Error('full'))],
])('a receipt that %s is counted and hurts nobody', async (_what, answered) => {
  verifies('WIN-07');
  const { preparation, traffic } = prepared(async () => ({ answered }));
  (await preparation.prepare(request()))!.answered(report);
  await settled();
  expect(traffic.report().failed_open).toEqual([{ what: 'receipt', count: 1, last: { at: 5, why: 'full' } }]);
});
