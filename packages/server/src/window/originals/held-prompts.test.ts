import { randomBytes } from 'node:crypto';
import { LIMITS } from '@infold/protocol';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import {
  HOSTS,
  hostNamed,
  requestsOf,
  type Script,
  type Sent,
} from '../../../../client/src/window/histories.suite.ts';
import { person, read, shell, turn } from '../../../../client/src/window/testing/script.suite.ts';
import { callsOf } from '../../cli/services/calls.ts';
import type { Services } from '../../cli/services/services.ts';
import { startServer } from '../../fold/fixture.suite.ts';
import { forget } from '../../system/actions/forget.ts';
import { callerNamed, errorOf, temporaryFolder } from '../../testing/fixtures.suite.ts';
import { type Caller, localOwner } from '../../trust/identity/caller.ts';
import { readWindowBlock, readWindowPrompt } from '../actions/prompt.ts';
import { listWindows, listWindowTurns } from '../actions/read.ts';
import type { PreparedRequest } from '../requests/prepare.ts';
import type { WindowPrompts } from './held-prompts.ts';

const lines = (word: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${word} line ${index} of what it says`).join('\n');
const file = lines('the file', 400);
const scriptOf = (...more: Script['steps']): Script => ({
  name: 'prompts',
  steps: [
    person('Find out why the import fails.'),
    { do: 'find', tools: ['context_expand'] },
    turn('Reading.', read('src/a.ts', file)),
    turn('Again.', read('src/a.ts', file)),
    turn('Looking.', shell('git log', lines('a commit', 600))),
    ...more,
    turn('It is mended.'),
  ],
  prompt: { system: 'You help.', tool: 'Does something.' },
});

async function setUp(limits: Record<string, number> = {}) {
  const { services } = await startServer({ limits: { ...LIMITS, ...limits }, data: temporaryFolder() });
  onTestFinished(() => services.settle());
  const { prepare } = services;
  const ask = (sent: Sent, more: { caller?: Caller; session?: string } = {}): Promise<PreparedRequest> =>
    prepare({
      ...{ caller: more.caller ?? localOwner, upstream: 'model', dialect: sent.dialect, method: 'POST' },
      ...{ path: sent.path, headers: sent.headers, hostSession: more.session ?? sent.session },
      ...{ body: Buffer.from(sent.text), signal: new AbortController().signal },
    });
  const call = callsOf(services, localOwner);
  return { services, ask, call, prompt: (id = 'last') => call(readWindowPrompt, { id }) };
}

const USAGE = { input: 100, cache_read: 600, cache_write: 300, cache_write_long: 0, output: 50 };
const answerTo = (prepared: PreparedRequest) =>
  prepared.answered({
    ...{ status: 200, usage: USAGE, milliseconds: { first: 1, all: 2, own: 1 }, isComplete: true },
  });
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const held = ({ parts }: Services) => (parts.windowPrompts as WindowPrompts).bytes;

describe.each(HOSTS.map((host) => [host.name, host] as const))('the last prompt of %s', (_, host) => {
  test('is told as it was asked and as it was sent', async () => {
    verifies('CON-02');
    const { ask, call, prompt } = await setUp();
    let left = 0;
    for (const sent of requestsOf(scriptOf(), host)) {
      const prepared = await ask(sent);
      const before = await prompt();
      expect(before.blocks.every(({ is_cached }) => is_cached === null)).toBe(true);
      await answerTo(prepared);
      const { turns } = await call(listWindowTurns, { id: 'last', limit: 200 });
      const last = turns.at(-1)!;
      const told = await prompt();
      expect(told).toMatchObject({ is_kept: true, turn: last.turn, model: last.model });
      expect(before.turn).toBe(told.turn);
      const { blocks } = told;
      expect(sum(blocks.map(({ tokens }) => tokens.asked))).toBe(last.tokens.asked);
      expect(sum(blocks.map(({ tokens }) => tokens.sent))).toBe(last.tokens.sent);
      expect(blocks.map(({ index }) => index)).toEqual(blocks.map((_, place) => place));
      const [cached, fresh] = [
        blocks.findLastIndex((one) => one.is_cached),
        blocks.findIndex((one) => one.is_cached === false),
      ];
      expect(fresh === -1 || cached < fresh).toBe(true);
      for (const { tokens, rule, handle, preview, instead, is_cached } of blocks) {
        expect(preview.length).toBeLessThanOrEqual(280);
        expect(is_cached === null).toBe(tokens.sent === 0);
        if (tokens.sent > 0 && instead === null) continue;
        left++;
        expect([rule, handle]).toEqual([expect.any(String), expect.stringMatching(/^win_/)]);
        if (instead !== null)
          expect(prepared.body && Buffer.from(prepared.body).toString()).toContain('infold');
      }
    }
    expect(left).toBeGreaterThan(0);
  });
});

const claude = hostNamed('claude-code');
const requests = (...more: Script['steps']) => [...requestsOf(scriptOf(...more), claude)];

test('a block is told in full, cut where it is very long, and never with a secret', async () => {
  const { ask, call, prompt } = await setUp();
  const secret = ['ghp', randomBytes(18).toString('hex')].join('_');
  const long = lines('another', 12_000);
  const { length } = long;
  expect(length).toBeGreaterThan(200_000);
  const sent = requests(person(`Use ${secret} for it.`), person(long)).at(-1)!;
  await answerTo(await ask(sent));
  const { blocks, context_window, model } = await prompt();
  expect(context_window).toBeGreaterThan(100_000);
  expect(model).toContain('claude');
  expect(JSON.stringify(blocks)).not.toContain(secret);
  const texts = await Promise.all(
    blocks.map(({ index: block }) => call(readWindowBlock, { id: 'last', block })),
  );
  expect(JSON.stringify(texts)).not.toContain(secret);
  expect(texts.some(({ text }) => /Use \[REDACTED:[\w-]+\] for it/.test(text))).toBe(true);
  const whole = texts.find(({ text }) => text.includes('another line 5 '))!;
  expect([whole.text.length, whole.is_cut]).toEqual([200_000, true]);
  const result = blocks.find(
    ({ kind, tool, tokens }) => kind === 'result' && tool === 'Read' && tokens.sent > 0,
  )!;
  expect(texts[result.index]!.text).toContain('the file line 399 of what it says');
  expect(texts[result.index]!.is_cut).toBe(false);
  const beyond = await errorOf(() => call(readWindowBlock, { id: 'last', block: blocks.length }));
  expect(beyond.code).toBe('not_found');
});

test('a large prompt is read in another thread', async () => {
  const { ask, prompt } = await setUp();
  const sent = requests(person(lines('a very long', 30_000))).at(-1)!;
  expect(sent.text.length).toBeGreaterThan(600_000);
  await answerTo(await ask(sent));
  const { blocks } = await prompt();
  expect(blocks.some(({ preview }) => preview.startsWith('a very long line 0'))).toBe(true);
});

test('what came too late is told as it was sent: whole', async () => {
  const { ask, prompt } = await setUp();
  const all = requests();
  for (const sent of all.slice(0, -1)) await answerTo(await ask(sent));
  const prepared = await ask(all.at(-1)!);
  expect((await prompt()).blocks.some(({ rule }) => rule !== null)).toBe(true);
  await prepared.failed!('late');
  const { blocks } = await prompt();
  expect(blocks.every(({ rule, tokens }) => rule === null && tokens.sent === tokens.asked)).toBe(true);
});

test('the prompts that were used least recently go, and one larger than all of it is not held', async () => {
  const sent = requests()[1]!;
  const size = Buffer.byteLength(sent.text);
  const { services, ask, call, prompt } = await setUp({ promptsHeldBytes: 2 * (size + 1000) });
  const ids: string[] = [];
  for (const session of ['one', 'two', 'one', 'three']) {
    await answerTo(await ask(sent, { session }));
    ids.push((await call(listWindows, { limit: 1 })).windows[0]!.id);
    expect(held(services)).toBeLessThanOrEqual(2 * (size + 1000));
  }
  const kept = await Promise.all(ids.map(async (id) => (await prompt(id)).is_kept));
  expect(kept).toEqual([true, false, true, true]);
  expect(await prompt(ids[1])).toMatchObject({ is_kept: false, blocks: [], turn: 1, model: sent.model });
  const gone = await errorOf(() => call(readWindowBlock, { id: ids[1]!, block: 0 }));
  expect(gone).toMatchObject({ code: 'not_found', message: expect.stringContaining('next request') });
  const large = requests(person(lines('more', 20_000))).at(-1)!;
  await answerTo(await ask(large, { session: 'one' }));
  expect((await prompt(ids[0])).is_kept).toBe(false);
  expect((await prompt(ids[3])).is_kept).toBe(true);
});

test('it is its principal’s alone, and goes when its conversation is forgotten', async () => {
  verifies('CON-06');
  const { services, ask, call, prompt } = await setUp();
  await answerTo(await ask(requests()[0]!, { caller: callerNamed('alice'), session: 'alices' }));
  await answerTo(await ask(requests()[0]!, { session: 'ours' }));
  const { windows } = await call(listWindows, {});
  const [ours, alices] = windows.map(({ id }) => id) as [string, string];
  const asAlice = callsOf(services, callerNamed('alice'));
  expect((await asAlice(readWindowPrompt, { id: alices })).is_kept).toBe(true);
  for (const read of [readWindowPrompt, readWindowBlock]) {
    expect((await errorOf(() => asAlice(read, { id: ours, block: 0 }))).code).toBe('not_found');
  }
  const before = held(services);
  await call(forget, { kind: 'session', id: ours });
  expect(held(services)).toBeLessThan(before);
  expect((await prompt(ours)).is_kept).toBe(false);
  expect((await asAlice(readWindowPrompt, { id: alices })).is_kept).toBe(true);
  await call(forget, { kind: 'principal', id: 'alice' });
  expect(held(services)).toBe(0);
});
