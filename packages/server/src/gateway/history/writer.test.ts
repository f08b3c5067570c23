import type { Envelope, StoredPayload } from '@infold/protocol';
import { createScrubber } from '@infold/scrub';
import { describe, expect, test, vi } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import type { CommitRequest } from '../../journal/journal.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { callerNamed } from '../../testing/fixtures.suite.ts';
import { podStream } from '../../trust/streams.ts';
import { type TestGateway, type TestWire, testGateway } from '../fixture.suite.ts';
import { podByName } from '../queries.ts';
import { EnvelopePreparer } from './prepare.ts';
import { HistoryWriter, type Home, type Pending } from './writer.ts';

const chat = (id: string, more: object = {}) => ({ id, kind: 'chat', payload: { text: 'says' }, ...more });
const alice = callerNamed('alice');
/** The machine may be busy with other things. */
const eventually = (check: () => void) => vi.waitFor(check, 30_000);
const history = (gateway: TestGateway) =>
  gateway.gateway
    .messages('local', 'p', { limit: 1000 })
    .then(({ messages }) => messages.map(({ seq, envelope }) => `${seq} ${envelope.id}`));
const stored = (wire: TestWire) =>
  wire.envelopes
    .filter(({ kind }) => kind === 'system/stored')
    .map(({ payload }) => payload as StoredPayload);
const errorsOf = (wire: TestWire) =>
  wire.envelopes
    .filter(({ kind }) => kind === 'system/error')
    .map(({ correlation_id, payload }) => [correlation_id, (payload as { error: string }).error]);

/** Every commit that would write a message which is called so fails. */
function spoil({ journal }: TestGateway, id: string, error: () => Error) {
  const real = journal.commit.bind(journal);
  return vi.spyOn(journal, 'commit').mockImplementation((request) => {
    const { decide } = request as CommitRequest<unknown>;
    return real({
      ...request,
      decide: (database, now) => {
        const decision = decide(database, now);
        if (JSON.stringify(decision.events).includes(`"${id}"`)) throw error();
        return decision as never;
      },
    });
  });
}

describe('a sender', () => {
  test('is told when its messages are durable, once for each durable write, and nobody else is', async () => {
    verifies('SUB-09', 'KERN-01');
    const gateway = await testGateway();
    const [one, other, listener] = ['alice', 'bob', 'carol'].map((name) => gateway.join(name));
    const send = one!.wire.send.bind(one!.wire);
    let durable = -1;
    one!.wire.send = (frame) => {
      if (frame.text.includes('system/stored')) {
        durable = podByName(gateway.journal.database, 'local', 'p')?.seq ?? 0;
      }
      send(frame);
    };
    const writes = vi.spyOn(gateway.journal, 'commit');
    for (let index = 1; index <= 6; index++) (index % 3 ? one : other)!.say(chat(`m-${index}`));
    expect(one!.wire.said).toHaveLength(6);
    expect(stored(one!.wire)).toEqual([]);
    await eventually(() => expect(stored(one!.wire)).toHaveLength(1));
    const { epoch } = one!.wire.said[0]!;
    expect(durable).toBe(6);
    const own = [1, 2, 4, 5].map((seq) => ({ id: `m-${seq}`, seq }));
    expect(stored(one!.wire)).toEqual([{ epoch, seq: 6, messages: own }]);
    expect(stored(other!.wire)).toMatchObject([{ epoch, seq: 6, messages: [{ seq: 3 }, { seq: 6 }] }]);
    expect(stored(listener!.wire)).toEqual([]);
    expect(writes.mock.calls.length).toBeLessThanOrEqual(4);
    one!.say(chat('m-7'));
    await eventually(() => expect(stored(one!.wire).at(-1)).toMatchObject({ seq: 7 }));
  });

  test('whose filter hides its own messages is told all the same', async () => {
    const gateway = await testGateway();
    const { wire, say } = gateway.join('alice', { filter: { contexts: 'main' } });
    say(chat('m-1', { context: { id: 'c' } }));
    await eventually(() =>
      expect(stored(wire)).toMatchObject([{ seq: 1, messages: [{ id: 'm-1', seq: 1 }] }]),
    );
    expect(wire.said).toEqual([]);
  });

  test('that sends again before it was told is told once it is stored, and it is stored once', async () => {
    const gateway = await testGateway();
    gateway.join('alice').say(chat('m-1'));
    const { wire, say } = gateway.join('alice');
    say(chat('m-1'));
    const again = gateway.gateway.say('p', alice, 'alice', chat('m-1'));
    await expect(again).rejects.toMatchObject({ code: 'duplicate_id', details: { seq: 1 } });
    await eventually(() => expect(stored(wire)).toMatchObject([{ messages: [{ id: 'm-1', seq: 1 }] }]));
    expect(wire.errors).toEqual([]);
    say(chat('m-1'));
    expect(wire.errors).toEqual(['duplicate_id']);
    expect(wire.envelopes.at(-1)!.payload).toMatchObject({ seq: 1 });
    expect(await history(gateway)).toEqual(['1 m-1']);
  });

  test('in a pod without durable history hears its message, and is told nothing more', async () => {
    const gateway = await testGateway({ history: 'memory' });
    const { wire, say } = gateway.join('alice');
    say(chat('m-1'));
    expect(wire.said).toHaveLength(1);
    expect(await gateway.gateway.say('p', alice, 'alice', chat('m-2'))).toMatchObject({ seq: 2 });
    expect(stored(wire)).toEqual([]);
  });
});

describe('what cannot be stored', () => {
  test('is refused and said to the pod, and leaves its neighbours alone', async () => {
    verifies('SUB-09');
    const gateway = await testGateway();
    const { wire, say } = gateway.join('alice');
    const bob = gateway.join('bob');
    spoil(gateway, 'm-5', () => new Error('a row that does not fit'));
    for (let index = 1; index <= 9; index++) say(chat(`m-${index}`));
    await eventually(() => expect(stored(wire).at(-1)).toMatchObject({ seq: 9 }));
    expect(await history(gateway)).toEqual([1, 2, 3, 4, 6, 7, 8, 9].map((seq) => `${seq} m-${seq}`));
    expect(errorsOf(wire)).toEqual([['m-5', 'not_stored']]);
    expect(errorsOf(bob.wire)).toEqual([['m-5', 'not_stored']]);
    const told = stored(wire).flatMap(({ messages }) => messages.map(({ id }) => id));
    expect(told).toEqual([1, 2, 3, 4, 6, 7, 8, 9].map((seq) => `m-${seq}`));
    // Who comes back hears what is stored.
    const late = gateway.join('carol', { since: 0 });
    await eventually(() => expect(late.wire.said).toHaveLength(8));
  });

  test('is refused within the wait, and can be sent again', async () => {
    const gateway = await testGateway({}, { lockWait: 600 });
    const { wire, say } = gateway.join('alice');
    const broken = vi
      .spyOn(gateway.journal, 'commit')
      .mockRejectedValue(new InfoldError('disk_full', 'full', { retryable: true }));
    say(chat('m-1'));
    const started = performance.now();
    const said = gateway.gateway.say('p', alice, 'alice', chat('m-2'));
    await expect(said).rejects.toMatchObject({
      code: 'not_stored',
      details: { cause: 'disk_full', retryable: true },
    });
    expect(performance.now() - started).toBeLessThan(2000);
    expect(errorsOf(wire)).toEqual([
      ['m-1', 'not_stored'],
      ['m-2', 'not_stored'],
    ]);
    broken.mockRestore();
    say(chat('m-1'));
    await eventually(() => expect(stored(wire)).toHaveLength(1));
    expect(await history(gateway)).toEqual(['3 m-1']);
  });

  test('holds up no reader', async () => {
    const gateway = await testGateway({}, { lockWait: 3000 });
    const { say } = gateway.join('alice');
    say(chat('m-1'));
    await gateway.gateway.flushed();
    vi.spyOn(gateway.journal, 'commit').mockRejectedValue(
      new InfoldError('disk_full', 'full', { retryable: true }),
    );
    say(chat('m-2'));
    const started = performance.now();
    expect(await history(gateway)).toEqual(['1 m-1']);
    expect(performance.now() - started).toBeLessThan(2500);
    vi.restoreAllMocks();
  });

  test('is not acknowledged when a newer program has taken over the file', async () => {
    const gateway = await testGateway();
    const { wire, say } = gateway.join('alice');
    say(chat('m-1'));
    await eventually(() => expect(stored(wire)).toHaveLength(1));
    gateway.journal.database.run('UPDATE journal_head SET schema = schema + 1 WHERE one = 1');
    const said = gateway.gateway.say('p', alice, 'alice', chat('m-2'));
    await expect(said).rejects.toMatchObject({ code: 'not_stored', details: { cause: 'storage_newer' } });
    say(chat('m-3'));
    await eventually(() => expect(errorsOf(wire).at(-1)).toEqual(['m-3', 'not_stored']));
    expect(stored(wire)).toHaveLength(1);
    expect(JSON.stringify(wire.envelopes)).not.toContain('infold.db');
    gateway.journal.database.run('UPDATE journal_head SET schema = schema - 1 WHERE one = 1');
    expect(await history(gateway)).toEqual(['1 m-1']);
  });
});

describe('a write that fails and is stored all the same, as in a cluster whose answer was lost', () => {
  const patience = 2000;
  const lost = () => new InfoldError('unavailable', 'not known', { retryable: true });

  /** Of a pod that writes through a journal whose answers are lost for the first times. */
  async function write(ids: readonly string[], lostAnswers: number) {
    const { journal } = await testGateway();
    const commit = journal.commit.bind(journal);
    let asked = 0;
    vi.spyOn(journal, 'commit').mockImplementation(async (request) => {
      const committed = await commit(request);
      if (asked++ >= lostAnswers) return committed as never;
      // Longer than the patience: a commit may take twice as long.
      await new Promise((resolve) => setTimeout(resolve, 1.2 * patience));
      throw lost();
    });
    const outcomes: string[] = [];
    const note = (outcome: string) => (messages: readonly Pending[]) =>
      outcomes.push(...messages.map(({ envelope }) => `${envelope.id} ${outcome}`));
    const home: Home = {
      ...{ org: 'local', name: 'p', epoch: 'epoch_1', base: 0 },
      ...{ stored: note('stored'), lost: note('lost'), moved: note('moved') },
    };
    const writer = new HistoryWriter({
      ...{ journal, patience, hasUncertainWrites: true },
      preparation: new EnvelopePreparer(createScrubber(), () => {}),
      ...{ operationOf: () => undefined, isOthers: () => false, onError: () => {} },
    });
    for (const [index, id] of ids.entries()) {
      const envelope = { ...chat(id), from: 'alice', to: [], ts: 1 } as unknown as Envelope;
      writer.add({
        ...{ home, principal: 'alice', seq: index + 1, epoch: home.epoch, at: 1, type: null, envelope },
        ...{ context: undefined, bytes: 10, cause: undefined, isAwaited: false, mirrors: undefined },
        ...{ tokens: undefined, defaults: undefined },
      });
    }
    await writer.settled();
    return { outcomes, entries: journal.entriesOf(podStream('local', 'p'), 0, 100) };
  }

  test('is repeated with its id, found, and told as stored', async () => {
    verifies('SUB-09', 'KERN-05');
    const { outcomes, entries } = await write(['m-1', 'm-2'], 1);
    expect(outcomes).toEqual(['m-1 stored', 'm-2 stored']);
    expect(entries.flatMap(({ events }) => events)).toHaveLength(2);
  });
});

describe('positions', () => {
  const holder = JSON.stringify(['another-machine', 1, 'process']);
  const hold = ({ journal, clock }: TestGateway, milliseconds: number) =>
    journal.database.run(
      'UPDATE cache_gateway_owner SET process = ?, until = ?',
      holder,
      clock.read() + milliseconds,
    );

  test('that another process took over meanwhile are given out anew, and who heard them is told', async () => {
    verifies('KERN-02');
    const gateway = await testGateway();
    const { wire, say } = gateway.join('alice');
    say(chat('m-1'));
    await eventually(() => expect(stored(wire)).toHaveLength(1));
    say(chat('m-2'));
    say(chat('m-3'));
    // It stood still for so long that another one took the lease, and is gone again.
    hold(gateway, 300);
    const elsewhere = await testGateway({}, {}, { ...gateway, serves: false });
    const said = elsewhere.gateway.say('p', callerNamed('bob'), 'bob', chat('b-1'));
    await new Promise((resolve) => setTimeout(resolve, 150));
    gateway.clock.advance(301);
    const { seq } = await said;
    await eventually(() => expect(stored(wire)).toHaveLength(3));
    const heard = new Map(wire.said.map((message: Envelope) => [message.id, message]));
    const stands = await history(gateway);
    expect(stands).toHaveLength(4);
    expect(stands).toContain(`${seq} b-1`);
    for (const id of ['m-1', 'm-2', 'm-3', 'b-1']) expect(stands).toContain(`${heard.get(id)!.seq} ${id}`);
    const told = stored(wire).flatMap(({ messages }) => messages.map(({ id, seq: at }) => `${at} ${id}`));
    expect(stands).toEqual(expect.arrayContaining(told));
    const gaps = wire.envelopes.filter(({ kind }) => kind === 'system/gap').map(({ payload }) => payload);
    expect(gaps).toMatchObject([{ from: 2 }]);
    expect(wire.errors).toEqual([]);
  });

  test('are given out by whoever writes, where nobody serves', async () => {
    const first = await testGateway({}, {}, { serves: false });
    const others = [first];
    for (let index = 0; index < 3; index++)
      others.push(await testGateway({}, {}, { ...first, serves: false }));
    const said = Array.from({ length: 40 }, (_, index) =>
      others[index % 4]!.gateway.say(
        'p',
        callerNamed(`w-${index % 4}`),
        `w-${index % 4}`,
        chat(`m-${index}`),
      ),
    );
    const again = others.map(({ gateway }, index) =>
      gateway.say('p', callerNamed(`x-${index}`), `x-${index}`, chat('same')).then(
        ({ seq }) => seq,
        ({ details }) => details.seq as number,
      ),
    );
    const positions = (await Promise.all(said)).map(({ seq }, index) => `${seq} m-${index}`);
    const [same] = await Promise.all(again);
    expect(new Set(await Promise.all(again))).toEqual(new Set([same]));
    expect((await history(first)).sort()).toEqual([...positions, `${same} same`].sort());
  });

  test('are refused by rules that hold for what others said', async () => {
    verifies('SUB-08');
    const limits = { contextsPerParticipant: 2, contextDepth: 2 };
    const first = await testGateway({}, limits, { serves: false });
    const second = await testGateway({}, limits, { ...first, serves: false });
    const say = ({ gateway }: TestGateway, id: string, context: object) =>
      gateway.say('p', alice, 'alice', chat(id, { context }) as never);
    await say(first, 'm-1', { id: 'a' });
    await say(second, 'm-2', { id: 'b', parent: 'a' });
    await expect(say(first, 'm-3', { id: 'a', parent: 'b' })).rejects.toMatchObject({ code: 'parent_cycle' });
    await expect(say(first, 'm-4', { id: 'c', parent: 'b' })).rejects.toMatchObject({ code: 'depth_limit' });
    await expect(say(second, 'm-5', { id: 'd' })).rejects.toMatchObject({ code: 'context_limit' });
    await expect(say(second, 'm-1', { id: 'a' })).rejects.toMatchObject({ code: 'duplicate_id' });
  });

  test('are waited for, and a message that nobody takes is taken back', async () => {
    const gateway = await testGateway({}, { lockWait: 500 }, { serves: false });
    const server = await testGateway({}, {}, { ...gateway });
    server.join('bob');
    hold(server, 60_000);
    const said = gateway.gateway.say('p', alice, 'alice', chat('m-1'));
    await expect(said).rejects.toMatchObject({ code: 'not_stored', details: { cause: 'unanswered' } });
    hold(server, 0);
    expect(await gateway.gateway.say('p', alice, 'alice', chat('m-1'))).toMatchObject({ seq: 1 });
    expect(await history(gateway)).toEqual(['1 m-1']);
  });
});
