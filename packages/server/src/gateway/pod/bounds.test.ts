import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LIMITS } from '@infold/protocol';
import { describe, expect, test, vi } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { callerNamed } from '../../testing/fixtures.suite.ts';
import { testGateway } from '../fixture.suite.ts';
import { Recent } from '../history/recent.ts';
import { WireFrame } from '../wire/frame.ts';
import { Budget } from './budget.ts';

const text = 'x'.repeat(1000);
const chat = (id: string, more: object = {}) => ({ id, kind: 'chat', payload: { text }, ...more });
const message = (seq: number, frame = new WireFrame(text)) => ({
  ...{ seq, epoch: 'e', kind: 'chat', to: undefined, context: null, type: null, frame },
});
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, 30_000);

describe('recent messages', () => {
  test('stay within their number and bytes, in each pod and in all', () => {
    verifies('SUB-08');
    const budget = new Budget(25_000);
    const pods = Array.from({ length: 5 }, () => new Recent(50, 10_000, budget));
    for (let seq = 1; seq <= 200; seq++) for (const pod of pods) pod.add(message(seq), seq);
    expect(budget.bytes).toBeLessThanOrEqual(25_000);
    expect(budget.bytes).toBe(pods.reduce((sum, { bytes }) => sum + bytes, 0));
    for (const pod of pods) {
      expect(pod.bytes).toBeLessThanOrEqual(10_000);
      expect(pod.all().map(({ seq }) => seq)).toEqual(
        Array.from({ length: pod.size }, (_, index) => 201 - pod.size + index),
      );
    }
    budget.remove(pods[0]!);
    expect(budget.bytes).toBe(pods.slice(1).reduce((sum, { bytes }) => sum + bytes, 0));
  });

  test('that were let go are held by nothing', async () => {
    const recent = new Recent(10_000, 20_000, new Budget(1_000_000));
    const gone: WeakRef<WireFrame>[] = [];
    for (let seq = 1; seq <= 500; seq++) {
      const frame = new WireFrame(text);
      gone.push(new WeakRef(frame));
      recent.add(message(seq, frame), seq);
    }
    await new Promise((resolve) => setTimeout(resolve));
    collectGarbage();
    expect(gone.filter((held) => held.deref()).length).toBeLessThan(50);
  });

  test('with holes are found by their positions', () => {
    const recent = new Recent(100, 1_000_000, new Budget(1_000_000));
    for (let seq = 1; seq <= 10; seq++) recent.add(message(seq), 10);
    recent.drop(5);
    recent.drop(11);
    const after = (seq: number) => recent.after(seq)?.map((one) => one.seq);
    expect(after(3)).toEqual([4, 6, 7, 8, 9, 10]);
    expect(after(5)).toEqual([6, 7, 8, 9, 10]);
    recent.dropThrough(2);
    expect(after(1)).toBeUndefined();
    recent.dropAfter(7);
    expect(after(4)).toEqual([6, 7]);
    expect(after(7)).toEqual([]);
  });
});

describe('what waits', () => {
  const full = new InfoldError('disk_full', 'full', { retryable: true });

  test('to be written stays within its bytes, in each pod and in all', async () => {
    verifies('SUB-08');
    const gateway = await testGateway(
      {},
      { podBufferBytes: 10_000, historyBufferBytes: 25_000, lockWait: 500 },
    );
    const broken = vi.spyOn(gateway.journal, 'commit').mockRejectedValue(full);
    const accepted = ['a', 'b', 'c', 'd', 'e'].map((pod) => {
      const { wire, say } = gateway.join('alice', { pod });
      for (let index = 0; index < 50; index++) say(chat(`${pod}-${index}`));
      expect(new Set(wire.errors)).toEqual(new Set(['rate_limit']));
      return wire.said.length;
    });
    const bytes = new WireFrame(JSON.stringify(chat('a-1'))).bytes;
    for (const count of accepted) expect(count).toBeLessThanOrEqual(10_000 / bytes + 1);
    expect(accepted.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(25_000 / bytes + 5);
    // Given up: there is room again.
    await eventually(() => expect(gateway.failures.length).toBeGreaterThan(0));
    await gateway.gateway.flushed();
    broken.mockRestore();
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await gateway.gateway.say('a', callerNamed('bob'), 'bob', chat('later'))).toMatchObject({
      seq: expect.any(Number),
    });
  });

  test('for who gives out positions stays within its bytes', async () => {
    const gateway = await testGateway({}, { historyBufferBytes: 5000, lockWait: 400 }, { serves: false });
    vi.spyOn(gateway.journal, 'commit').mockImplementation(() => new Promise(() => {}));
    const said = Array.from({ length: 10 }, (_, index) =>
      gateway.gateway.say('p', callerNamed('alice'), 'alice', chat(`m-${index}`)).catch((error) => error),
    );
    expect(await Promise.race(said.slice(5))).toMatchObject({ code: 'rate_limit' });
    vi.restoreAllMocks();
  });

  test('for readers stays within its bytes in all: the slowest are let go', async () => {
    verifies('SUB-12');
    const gateway = await testGateway({ history: 'none' }, { readerBytesInAll: 50_000 });
    const alice = gateway.join('alice');
    const slow = Array.from({ length: 10 }, (_, index) => gateway.join(`slow-${index}`));
    for (const { wire } of slow) wire.stuck = true;
    for (let index = 0; index < 20; index++) alice.say(chat(`m-${index}`));
    await eventually(() => expect(slow.filter(({ wire }) => wire.closed?.code === 4008)).not.toEqual([]));
    const waiting = slow.filter(({ wire }) => !wire.closed).reduce((sum, { wire }) => sum + wire.buffered, 0);
    // And what they are told of those who went.
    expect(waiting).toBeLessThanOrEqual(50_000 + 10_000);
    expect(alice.wire.closed).toBeUndefined();
  });
});

test('a page of history ends where it holds enough, and goes on from there', async () => {
  verifies('SUB-09');
  for (const history of ['durable', 'memory']) {
    const gateway = await testGateway({ history }, { historyPageBytes: 200_000 });
    const { say, wire } = gateway.join('alice');
    const large = { text: 'word '.repeat(20_000) };
    for (let index = 0; index < 12; index++) say(chat(`m-${index}`, { payload: large }));
    await gateway.gateway.flushed();
    const ids: string[] = [];
    let pages = 0;
    for (let since = 0, more = true; more; pages++) {
      const page = await gateway.gateway.messages('local', 'p', { since, limit: 100 });
      ids.push(...page.messages.map(({ envelope }) => envelope.id));
      since = page.messages.at(-1)?.seq ?? since;
      more = page.more;
      expect(page.messages.length).toBeLessThanOrEqual(4);
    }
    expect(ids).toEqual(Array.from({ length: 12 }, (_, index) => `m-${index}`));
    expect(pages).toBeGreaterThan(3);
    const back: string[] = [];
    for (let before = Number.MAX_SAFE_INTEGER, more = true; more; ) {
      const page = await gateway.gateway.messages('local', 'p', { before, isNewestFirst: true, limit: 100 });
      back.push(...page.messages.map(({ envelope }) => envelope.id));
      before = page.messages.at(-1)?.seq ?? before;
      more = page.more;
      expect(page.messages.length).toBeLessThanOrEqual(4);
    }
    expect(back).toEqual(ids.toReversed());
    say({ id: 'replay', kind: 'gateway/replay', payload: { limit: 12 } });
    await eventually(() => expect(wire.envelopes.at(-1)).toMatchObject({ payload: { count: 12 } }));
    await gateway.gateway.close();
  }
  expect(LIMITS.historyPageBytes).toBeGreaterThan(LIMITS.envelopeBytes);
});

describe('contexts', () => {
  const begin = (id: string) => ({
    ...chat(`m-${id}`),
    context: { id, metadata: { why: 'x'.repeat(10_000) } },
  });

  test('of all pods together stay within their bytes; those of history are fetched from there', async () => {
    verifies('SUB-08');
    const { gateway, join } = await testGateway({}, { contextBytesInAll: 200_000 });
    for (const pod of ['p', 'q', 'r']) {
      const ada = join('ada', { pod });
      for (let index = 0; index < 40; index++) {
        ada.say(begin(`${pod}-${index}`));
        await gateway.flushed();
      }
    }
    expect(gateway.contextBytes).toBeLessThanOrEqual(200_000);
    const again = join('bob', { pod: 'p' });
    again.say({ ...chat('again'), context: { id: 'p-0' } });
    await gateway.flushed();
    const rows = await gateway.contexts(callerNamed('ada').org, 'p');
    expect(rows).toHaveLength(40);
    // It was known: nobody was told that it began a second time.
    const told = again.wire.envelopes.filter(({ kind }) => kind === 'system/context');
    expect(told).toEqual([]);
    expect(rows.find(({ id }) => id === 'p-0')).toMatchObject({ state: 'live', messages: 2 });
  });

  test('that were let go of still end when nobody uses them, and count for who began them', async () => {
    const { gateway, clock, join } = await testGateway(
      { idleMs: 1000 },
      { contextBytesInAll: 100_000, contextsPerParticipant: 40 },
    );
    const ada = join('ada');
    for (let index = 0; index < 40; index++) {
      ada.say(begin(String(index)));
      await gateway.flushed();
    }
    ada.say(begin('one too many'));
    await eventually(() => expect(ada.wire.envelopes.at(-1)).toMatchObject({ kind: 'system/error' }));
    clock.advance(5000);
    await eventually(async () => {
      const rows = await gateway.contexts(callerNamed('ada').org, 'p');
      expect(rows).toHaveLength(40);
      expect(rows.filter(({ state }) => state !== 'concluded')).toEqual([]);
    });
  });

  test('that only memory holds are refused when there is no room for more', async () => {
    const { join } = await testGateway({ history: 'memory' }, { contextBytes: 100_000 });
    const ada = join('ada');
    for (let index = 0; index < 40; index++) ada.say(begin(String(index)));
    const refused = ada.wire.envelopes.filter(({ kind }) => kind === 'system/error');
    expect(refused.length).toBeGreaterThan(25);
    expect(refused[0]).toMatchObject({ payload: { error: 'context_limit' } });
  });
});

test('ids of messages stay within their bytes, and one that was let go of is still known', async () => {
  verifies('SUB-08');
  const { gateway, join } = await testGateway({}, { messageIdBytesInAll: 10_000 });
  const ada = join('ada');
  for (let index = 0; index < 100; index++) {
    ada.say({ id: `${index}-${'i'.repeat(200)}`, kind: 'chat', payload: {} });
    await gateway.flushed();
  }
  expect(gateway.messageIdBytes).toBeLessThanOrEqual(10_000);
  ada.say({ id: `0-${'i'.repeat(200)}`, kind: 'chat', payload: {} });
  await eventually(() =>
    expect(ada.wire.envelopes.at(-1)).toMatchObject({
      kind: 'system/error',
      payload: { error: 'duplicate_id' },
    }),
  );
});
