import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { runs } from '../../../../test/support/runs.ts';
import { countedTime, growthByTurn } from '../testing/turns.suite.ts';
import { forget } from '../trust/forget.ts';
import { localOwner } from '../trust/identity/caller.ts';
import { expectRebuildToAgree, type TestGateway, TestWire, testGateway } from './fixture.suite.ts';
import { gatewayForgetter } from './history/forget.ts';
import { EVERYTHING } from './pod/filter.ts';
import { Receivers } from './pod/receivers.ts';
import { contextRows, contextTree, podByName } from './queries.ts';

const DAY = 24 * 3_600_000;
const chat = (id: string, more: object = {}) => ({
  id,
  kind: 'chat',
  payload: { text: `says ${id}` },
  ...more,
});
const ids = (gateway: TestGateway, query = {}) =>
  gateway.gateway
    .messages('local', 'p', { limit: 1000, ...query })
    .then(({ messages }) => messages.map(({ envelope }) => envelope.id));

test('much history is sent bit by bit to who comes back, and to many no more at once', async () => {
  const earlier = await testGateway();
  const alice = earlier.join('alice');
  for (let index = 0; index < 2000; index++) {
    alice.say(chat(`m-${index}`));
    if (index % 200 === 0) await earlier.gateway.flushed();
  }
  await earlier.gateway.flushed();
  await earlier.gateway.close();
  const { gateway, journal } = await testGateway({}, {}, { journal: earlier.journal, clock: earlier.clock });
  const stored = podByName(journal.database, 'local', 'p')!.seq;
  countedTime(5);
  const wires = Array.from({ length: 4 }, () => Object.assign(new TestWire(), { drained: async () => {} }));
  const read = () => wires.reduce((sum, { frames }) => sum + frames.length, 0);
  const { most } = await growthByTurn(read, async () => {
    for (const [index, wire] of wires.entries()) {
      const joining = { caller: localOwner, wire, filter: EVERYTHING, since: 0, epoch: undefined };
      gateway.join('p', { ...joining, participant: `reader-${index}` });
    }
    await vi.waitFor(() => {
      for (const { said } of wires) expect(said).toHaveLength(stored);
    }, 5000);
  });
  expect(stored).toBe(2000);
  expect(most).toBeLessThanOrEqual(1500);
});

describe('a broadcast', () => {
  test('is serialised once and filtered once for each filter, however many receive it', async () => {
    verifies('SUB-05');
    const gateway = await testGateway({ history: 'none' });
    const compile = vi.spyOn(Receivers.prototype, 'compile');
    const alice = gateway.join('alice');
    const crowd = Array.from({ length: 200 }, (_, index) =>
      gateway.join(`r-${index}`, {
        filter: { contexts: index % 2 ? 'all' : { types: ['b', 'a', ...(index % 4 ? [] : ['a'])] } },
      }),
    );
    expect(compile).toHaveBeenCalledTimes(2);
    const stringify = vi.spyOn(JSON, 'stringify');
    alice.say(chat('m', { context: { id: 'c', type: 'a' } }));
    // The test's own, to send it. The gateway keeps the text and adds to it.
    const whole = stringify.mock.calls.filter(([value]) => (value as { id?: string } | null)?.id === 'm');
    expect(whole.length).toBe(1);
    vi.restoreAllMocks();
    const frames = new Set(crowd.map(({ wire }) => wire.frames.find(({ text }) => text.includes('"m"'))));
    expect(frames.size).toBe(1);
    expect(frames.has(undefined)).toBe(false);
  });

  test('does not wait for history, and history has it afterwards', async () => {
    const gateway = await testGateway();
    const alice = gateway.join('alice');
    alice.say(chat('m-1'));
    expect(alice.wire.said.map(({ id, seq }) => [id, seq])).toEqual([['m-1', 1]]);
    expect(podByName(gateway.journal.database, 'local', 'p')).toBeUndefined();
    expect(await ids(gateway)).toEqual(['m-1']);
  });

  test('reaches others while one reader is stuck, whose buffer stays within its limit', async () => {
    verifies('SUB-12');
    const gateway = await testGateway({ history: 'none' }, { readerBufferBytes: 10_000 });
    const alice = gateway.join('alice');
    const stuck = gateway.join('stuck');
    stuck.wire.stuck = true;
    for (let index = 0; index < 1000; index++) alice.say(chat(`m-${index}`));
    expect(alice.wire.said.length).toBe(1000);
    expect(stuck.wire.closed?.code).toBe(4008);
    expect(stuck.wire.buffered).toBeLessThanOrEqual(10_000);
    expect(stuck.wire.said.length).toBeLessThan(100);
  });
});

describe('history', () => {
  test('gives the same tree as memory does, and a rebuild the same tables', async () => {
    verifies('SUB-04', 'SUB-09');
    const names = ['a', 'b', 'c', 'd'];
    const message = fc.record({
      who: fc.constantFrom('alice', 'bob'),
      kind: fc.constantFrom('chat', 'reflection', 'conclusion'),
      id: fc.option(fc.constantFrom(...names), { nil: undefined }),
      parent: fc.option(fc.constantFrom(...names), { nil: undefined }),
      type: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
      text: fc.option(fc.constantFrom('says one', 'says  two', ''), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 25 }), async (messages) => {
        const gateway = await testGateway();
        const members = { alice: gateway.join('alice'), bob: gateway.join('bob') };
        messages.forEach(({ who, kind, id, parent, type, text }, index) => {
          gateway.clock.advance(1);
          const context = { id, ...(parent ? { parent } : {}), ...(type ? { type } : {}) };
          members[who].say({ id: `m-${index}`, kind, ...(id ? { context } : {}), payload: { text } });
        });
        const pod = gateway.gateway.open('local', 'p');
        await gateway.gateway.flushed();
        const row = podByName(gateway.journal.database, 'local', 'p');
        const stored = row ? contextRows(gateway.journal.database, row.id, 100) : [];
        const brief = (
          rows: {
            id: string;
            type: string | null;
            parent: string | null;
            state: string;
            messages: number;
            tokens: number;
          }[],
        ) =>
          rows
            .map(({ id, type, parent, state, messages, tokens }) => ({
              id,
              type,
              parent,
              state,
              messages,
              tokens,
            }))
            .sort((one, other) => one.id.localeCompare(other.id));
        expect(brief(stored)).toEqual(brief([...pod.contexts.values()]));
        expect(contextTree(stored).length).toBeGreaterThanOrEqual(stored.length > 0 ? 1 : 0);
        expect(gateway.failures).toEqual([]);
        await expectRebuildToAgree(gateway.journal);
        await gateway.gateway.close();
      }),
      { numRuns: runs(15) },
    );
  });

  test('goes on where another process left it', async () => {
    const first = await testGateway();
    first.join('alice').say(chat('m-1'));
    await first.gateway.close();
    const second = await testGateway({}, {}, first);
    const alice = second.join('alice', { since: 0 });
    await vi.waitFor(() => expect(alice.wire.said.length).toBe(1));
    alice.say(chat('m-2'));
    alice.say(chat('m-1'));
    expect(alice.wire.said.map(({ id, seq }) => [id, seq])).toEqual([
      ['m-1', 1],
      ['m-2', 2],
    ]);
    expect(alice.wire.errors).toEqual(['duplicate_id']);
    expect(new Set(alice.wire.said.map(({ epoch }) => epoch)).size).toBe(2);
  });

  test('that cannot be written is tried again, and holds up senders before it fills the memory', async () => {
    const gateway = await testGateway({}, { historyBufferBytes: 2000 });
    const real = gateway.journal.commit.bind(gateway.journal);
    const { InfoldError } = await import('../kernel/errors.ts');
    const broken = vi
      .spyOn(gateway.journal, 'commit')
      .mockRejectedValue(new InfoldError('disk_full', 'full', { retryable: true }));
    const alice = gateway.join('alice');
    for (let index = 0; index < 50; index++) alice.say(chat(`m-${index}`));
    expect(alice.wire.errors).toContain('rate_limit');
    await vi.waitFor(() => expect(gateway.failures.length).toBeGreaterThan(0));
    broken.mockImplementation(real);
    const taken = alice.wire.said.map(({ id }) => id);
    await vi.waitFor(async () => expect(await ids(gateway)).toEqual(taken), 30_000);
  });

  test('is kept for so many days, and so many messages; contexts keep their figures', async () => {
    verifies('SUB-09');
    const settings = { history: { mode: 'durable', days: 2, count: 5 } };
    const earlier = await testGateway(settings);
    const say = async (into: TestGateway, id: string, more: object = {}) => {
      into.join('alice').say(chat(id, more));
      await into.gateway.flushed();
    };
    await say(earlier, 'old-1', { context: { id: 'c', type: 't' }, correlation_id: 'x' });
    await say(earlier, 'old-2');
    await earlier.gateway.close();
    earlier.clock.advance(3 * DAY);
    const gateway = await testGateway(settings, { recentEnvelopes: 1 }, earlier);
    for (let index = 0; index < 8; index++) await say(gateway, `new-${index}`);
    const { journal } = gateway;
    await gateway.gateway.trim();
    expect(await ids(gateway)).toEqual(['new-3', 'new-4', 'new-5', 'new-6', 'new-7']);
    const pod = podByName(journal.database, 'local', 'p')!;
    expect(pod).toMatchObject({ seq: 10, trimmed: 5 });
    expect(contextRows(journal.database, pod.id, 10)).toMatchObject([
      { id: 'c', messages: 1, summary: '[expired]' },
    ]);
    const held = JSON.stringify(journal.entriesAfter(0, 1000));
    expect(held).not.toContain('says old');
    await expectRebuildToAgree(journal);
    const late = gateway.join('bob', { since: 1 });
    await vi.waitFor(() => expect(late.wire.said.length).toBe(5));
    const gaps = late.wire.envelopes
      .filter(({ kind }) => kind === 'system/gap')
      .map(({ payload }) => payload);
    expect(gaps).toEqual([{ from: 2, to: 5 }]);
  });

  test('goes on after a sleep in which its lease ran out', async () => {
    const gateway = await testGateway();
    const alice = gateway.join('alice');
    gateway.clock.advance(DAY);
    alice.say(chat('m-1'));
    expect(alice.wire.said).toEqual([]);
    await vi.waitFor(() => expect(alice.wire.said.map(({ id }) => id)).toEqual(['m-1']), 30_000);
  });

  test('forgets what a principal said, and keeps that it was said', async () => {
    const gateway = await testGateway();
    const alice = gateway.join('alice');
    const bob = gateway.join('bob');
    alice.say(chat('a-1', { context: { id: 'c', metadata: { note: 'says private' } }, to: ['bob'] }));
    bob.say(chat('b-1', { context: { id: 'd' } }));
    await gateway.gateway.flushed();
    await forget(gateway.journal, localOwner, { kind: 'principal', id: 'alice', org: 'local' }, [
      gatewayForgetter,
    ]);
    expect(await ids(gateway)).toEqual(['a-1', 'b-1']);
    expect(await ids(gateway, { text: 'says' })).toEqual(['b-1']);
    const stored = JSON.stringify(gateway.journal.entriesAfter(0, 100));
    expect(stored).not.toContain('says a-1');
    expect(stored).not.toContain('private');
    expect(stored).toContain('says b-1');
    await expectRebuildToAgree(gateway.journal);
  });
});

describe('who comes back', () => {
  test('gets everything once, while others go on talking', async () => {
    verifies('SUB-09');
    const gateway = await testGateway({}, { recentEnvelopes: 50 });
    const alice = gateway.join('alice');
    for (let index = 1; index <= 1200; index++) alice.say(chat(`m-${index}`));
    await gateway.gateway.flushed();
    const bob = gateway.join('bob', { since: 100 });
    let said = 1200;
    while (bob.wire.said.length < said - 100) {
      if (said < 1400) alice.say(chat(`m-${++said}`));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(bob.wire.said.map(({ seq }) => seq)).toEqual(
      Array.from({ length: said - 100 }, (_, index) => index + 101),
    );
    expect(bob.wire.envelopes.some(({ kind }) => kind === 'system/gap')).toBe(false);
  });

  test('is told when what it saw went down with an earlier life of the pod', async () => {
    const gateway = await testGateway();
    const alice = gateway.join('alice');
    for (let index = 1; index <= 3; index++) alice.say(chat(`m-${index}`));
    await gateway.gateway.flushed();
    const bob = gateway.join('bob', { since: 2, epoch: 'epoch_of_another_life' });
    await vi.waitFor(() => expect(bob.wire.said.length).toBe(2));
    expect(
      bob.wire.envelopes.filter(({ kind }) => kind === 'system/gap').map(({ payload }) => payload),
    ).toEqual([{ from: 2, to: 2 }]);
    expect(bob.wire.said.map(({ id }) => id)).toEqual(['m-2', 'm-3']);
  });
});

test('who heard several messages that were never stored hears what stands there instead', async () => {
  verifies('SUB-09');
  const gateway = await testGateway();
  const alice = gateway.join('alice');
  for (let index = 1; index <= 8; index++) alice.say(chat(`m-${index}`));
  await gateway.gateway.flushed();
  const { epoch } = alice.wire.said[0]!;
  const back = (since: number, of: string) => {
    const { wire } = gateway.join('bob', { since, epoch: of });
    return vi.waitFor(() => {
      expect(wire.said.at(-1)?.id).toBe('m-8');
      const gaps = wire.envelopes.filter(({ kind }) => kind === 'system/gap');
      return { gaps: gaps.map(({ payload }) => payload), first: wire.said[0]!.id };
    }, 5000);
  };
  // A life that began after the third message and of which nothing was stored.
  expect(await back(6, 'epoch_gone.3')).toEqual({ gaps: [{ from: 4, to: 6 }], first: 'm-4' });
  const next = await testGateway({}, { recentEnvelopes: 2 }, gateway);
  await gateway.gateway.close();
  next.clock.advance(20_000);
  const carol = next.join('carol');
  await vi.waitFor(
    () => expect(next.gateway.open('local', 'p').services.positions.isOwner()).toBe(true),
    30_000,
  );
  for (let index = 9; index <= 14; index++) carol.say(chat(`m-${index}`));
  await next.gateway.flushed();
  // Eight of its messages were stored; it had heard twelve.
  const { wire } = next.join('bob', { since: 12, epoch: epoch! });
  await vi.waitFor(() =>
    expect(wire.said.map(({ id }) => id)).toEqual([9, 10, 11, 12, 13, 14].map((n) => `m-${n}`)),
  );
  const gaps = wire.envelopes.filter(({ kind }) => kind === 'system/gap').map(({ payload }) => payload);
  expect(gaps).toEqual([{ from: 9, to: 12 }]);
});

test('settings that make no sense are named', async () => {
  const { parseGatewaySettings } = await import('./settings.ts');
  expect(() => parseGatewaySettings({ history: 'sometimes' })).toThrow('gateway.history');
  expect(() => parseGatewaySettings({ idle: 1 })).toThrow('gateway');
  expect(parseGatewaySettings({ history: { pods: { a: 'none' } } }).historyOf('a')).toBe('none');
  expect(parseGatewaySettings(undefined).historyOf('a')).toBe('durable');
});
