import path from 'node:path';
import { CLOSE_CODES, type Envelope, LIMITS, type Limits } from '@infold/protocol';
import { Kvm } from '@nats-io/kv';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PROJECTIONS } from '../../../packages/server/src/cli/services/projections.ts';
import { type TestGateway, testGateway } from '../../../packages/server/src/gateway/fixture.suite.ts';
import type { LeaseTimes } from '../../../packages/server/src/gateway/nodes/cluster/leases.ts';
import type { SharedPods } from '../../../packages/server/src/gateway/nodes/cluster/shared-pods.ts';
import { NatsJournal } from '../../../packages/server/src/journal/nats.ts';
import {
  callerNamed,
  movableClock,
  temporaryFolder,
} from '../../../packages/server/src/testing/fixtures.suite.ts';
import { verifies } from '../../requirements.ts';
import { NEEDS_NATS, natsServer, startNats, type TestNats } from '../../support/nats.ts';

const chat = (id: string, more: object = {}) => ({ id, kind: 'chat', payload: { text: id }, ...more });
const soon = { timeout: 30_000, interval: 10 };
const ids = (envelopes: Envelope[]) => envelopes.map(({ id }) => id);
const kinds = (envelopes: Envelope[], kind: string) =>
  envelopes.filter((envelope) => envelope.kind === kind).map(({ payload }) => payload);

interface Presence {
  event: string;
  participant: { id: string };
}

interface Node extends TestGateway {
  connection: NatsConnection;
  enter(
    participant: string,
    more?: { pod?: string; since?: number; epoch?: string; principal?: string },
  ): Promise<ReturnType<TestGateway['join']>>;
}

interface More {
  settings?: Record<string, unknown>;
  leaseTimes?: LeaseTimes;
  serves?: boolean;
}

/** For tests in which nobody is to lose a lease, however long the machine stands still. */
const LONG: LeaseTimes = { renewal: 400, life: 60_000, ownLife: 50_000 };

/** Nothing that this node writes gets there until it may. */
function holdCommits({ journal }: TestGateway): () => void {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const commit = journal.commit.bind(journal);
  journal.commit = async (request) => {
    await held;
    return commit(request);
  };
  return release;
}

describe.skipIf(natsServer === undefined)(`pods on several nodes ${NEEDS_NATS}`, () => {
  let nats: TestNats;
  let pods = 0;
  let joined = 0;
  let folder: string;

  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats?.stop());

  /** Nodes of one cluster, which no other test shares. */
  async function cluster(count: number, limits: Partial<Limits> = {}, more: More = {}): Promise<Node[]> {
    pods++;
    folder = temporaryFolder();
    const nodes: Node[] = [];
    for (let index = 0; index < count; index++) nodes.push(await join(limits, more));
    return nodes;
  }

  /** One more node of the cluster of this test. */
  async function join(limits: Partial<Limits> = {}, more: More = {}): Promise<Node> {
    const { settings = {}, ...services } = more;
    const name = `pods${pods}`;
    const connection = await connect({ servers: nats.url });
    onTestFinished(() => connection.close());
    const clock = movableClock();
    const journal = await NatsJournal.open({
      ...{ folder: path.join(folder, String(++joined)), projections: PROJECTIONS, limits: LIMITS },
      ...{ clock: clock.read, connection: await connect({ servers: nats.url }), name },
    });
    onTestFinished(() => journal.close());
    // The gateway has a connection of its own, so that it can be cut off while its journal goes on.
    const kvm = new Kvm(connection);
    const bucket = (of: string, { ttl = 0 } = {}) => kvm.create(`${name}_${of}`, { ttl });
    const shared = Object.assign(journal, { cluster: { ...journal.cluster, connection, bucket } });
    const given = await testGateway(settings, limits, { journal: shared, clock, ...services });
    return {
      ...given,
      connection,
      async enter(participant, more = {}) {
        const { pod = `pod-${pods}`, since } = more;
        await given.gateway.ready({ pod, since, caller: callerNamed(participant) });
        return given.join(participant, { ...more, pod });
      },
    };
  }

  test('everybody hears everybody in one order, and each position once', async () => {
    verifies('CLU-05');
    const nodes = await cluster(3, {}, { leaseTimes: LONG });
    const everybody = await Promise.all(nodes.map((node, index) => node.enter(`agent-${index}`)));
    const count = 60;
    for (let index = 0; index < count; index++) {
      for (const [who, agent] of everybody.entries()) {
        agent.say(chat(`m-${who}-${index}`, { context: { id: `ctx-${index % 3}` } }));
      }
      if (index % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await vi.waitFor(() => {
      for (const { wire } of everybody) expect(wire.said).toHaveLength(3 * count);
    }, soon);
    const [first, ...others] = everybody.map(({ wire }) => wire.said);
    for (const other of others) expect(ids(other)).toEqual(ids(first!));
    expect(first!.map(({ seq }) => seq)).toEqual(Array.from({ length: 3 * count }, (_, index) => index + 1));
    for (const who of [0, 1, 2]) {
      const own = ids(first!).filter((id) => id.startsWith(`m-${who}-`));
      expect(own).toEqual(Array.from({ length: count }, (_, index) => `m-${who}-${index}`));
    }
    await vi.waitFor(() => {
      for (const [who, { wire }] of everybody.entries()) {
        const stored = kinds(wire.envelopes, 'system/stored') as { messages: { id: string }[] }[];
        const own = stored.flatMap(({ messages }) => messages).map(({ id }) => id);
        expect(new Set(own).size).toBe(count);
        expect(own.every((id) => id.startsWith(`m-${who}-`))).toBe(true);
      }
    }, soon);
    for (const { wire } of everybody) expect(wire.errors).toEqual([]);
    for (const { failures } of nodes) expect(failures).toEqual([]);
  });

  test('a node that is cut off is followed by another, and gives out nothing that counts', async () => {
    verifies('CLU-05');
    const nodes = await cluster(3);
    const [owner, second, third] = nodes as [Node, Node, Node];
    const alice = await owner.enter('alice');
    const bob = await second.enter('bob');
    const carol = await third.enter('carol');
    for (let index = 0; index < 5; index++) alice.say(chat(`before-${index}`));
    await vi.waitFor(() => expect(carol.wire.said).toHaveLength(5), soon);
    await owner.gateway.flushed();
    const begun = performance.now();
    await owner.connection.close();
    // It does not know yet, and says what it hears to those who are connected to it.
    alice.say(chat('cut-off'));
    bob.say(chat('after'));
    await vi.waitFor(() => expect(ids(carol.wire.said)).toContain('after'), soon);
    console.log(`another node gave out positions after ${Math.round(performance.now() - begun)} ms`);
    await vi.waitFor(() => expect(kinds(bob.wire.envelopes, 'system/stored')).toHaveLength(1), soon);
    for (let index = 0; index < 5; index++) carol.say(chat(`later-${index}`));
    await vi.waitFor(() => expect(bob.wire.said.at(-1)?.id).toBe('later-4'), soon);
    await vi.waitFor(async () => {
      const { messages } = await third.gateway.messages('local', `pod-${pods}`, { limit: 100 });
      const seqs = messages.map(({ seq }) => seq);
      expect(new Set(seqs).size).toBe(seqs.length);
      const stored = messages.map(({ envelope }) => envelope.id);
      expect(new Set(stored).size).toBe(stored.length);
      expect(stored).toEqual(expect.arrayContaining(['before-4', 'after', 'later-4']));
      // What bob and carol heard is what is stored.
      const heard = carol.wire.said.map(({ id, seq }) => `${seq} ${id}`);
      expect(messages.map(({ seq, envelope }) => `${seq} ${envelope.id}`)).toEqual(heard);
    }, soon);
  });

  test('what an owner promised is not written once another node owns the pod', async () => {
    verifies('CLU-05');
    const [owner, second] = (await cluster(2, { lockWait: 1500 })) as [Node, Node];
    const alice = await owner.enter('alice');
    const bob = await second.enter('bob');
    const { stream, services } = second.gateway.open('local', `pod-${pods}`);
    // Its write is on its way for longer than its lease lasts.
    const release = holdCommits(owner);
    alice.say(chat('late'));
    await vi.waitFor(() => expect(ids(bob.wire.said)).toEqual(['late']), soon);
    await owner.connection.close();
    await vi.waitFor(() => expect(services.positions.isOwner(stream)).toBe(true), soon);
    // What was heard and not stored has no position any more.
    expect(kinds(bob.wire.envelopes, 'system/gap')).toEqual([{ from: 1, to: 1 }]);
    release();
    await vi.waitFor(() => expect(alice.wire.errors).toEqual(['not_stored']), soon);
    bob.say(chat('next'));
    await vi.waitFor(() => expect(kinds(bob.wire.envelopes, 'system/stored')).toHaveLength(1), soon);
    const { messages } = await second.gateway.messages('local', `pod-${pods}`, { limit: 100 });
    expect(messages.map(({ seq, envelope }) => `${seq} ${envelope.id}`)).toEqual(['1 next']);
  });

  test('a pod whose history is not stored spans nodes too', async () => {
    const [one, two] = (await cluster(2, {}, { settings: { history: 'memory' }, leaseTimes: LONG })) as [
      Node,
      Node,
    ];
    const alice = await one.enter('alice');
    const bob = await two.enter('bob');
    for (let index = 0; index < 5; index++) {
      alice.say(chat(`a-${index}`));
      bob.say(chat(`b-${index}`));
    }
    await vi.waitFor(() => {
      for (const { wire } of [alice, bob]) expect(wire.said).toHaveLength(10);
    }, soon);
    expect(ids(alice.wire.said)).toEqual(ids(bob.wire.said));
    const carol = await two.enter('carol', { since: 3, epoch: bob.wire.said.at(-1)!.epoch! });
    await vi.waitFor(() => expect(carol.wire.said).toHaveLength(7), soon);
  });

  test('a pod whose history is not stored goes on where its owner closed it and another node opens it', async () => {
    verifies('CLU-05');
    const settings = { history: 'memory' };
    const [one, two, three] = (await cluster(3, {}, { settings })) as [Node, Node, Node];
    const pod = `pod-${pods}`;
    const { stream, services } = one.gateway.open('local', pod);
    const alice = await one.enter('alice');
    const bob = await two.enter('bob');
    // It loses the pod and takes it again: its fence is above the first.
    const shared = services.positions as SharedPods;
    shared.retake(stream);
    await vi.waitFor(() => expect(services.positions.isOwner(stream)).toBe(true), soon);
    alice.say(chat('first'));
    await vi.waitFor(() => expect(ids(bob.wire.said)).toEqual(['first']), soon);
    shared.closed(one.gateway.open('local', pod));
    const carol = await three.enter('carol');
    carol.say(chat('second'));
    await vi.waitFor(() => expect(ids(bob.wire.said)).toEqual(['first', 'second']), soon);
  });

  test('a process that has just begun, and serves nobody, sends through the owner', async () => {
    verifies('CLU-05');
    const [owner] = (await cluster(1, {}, { leaseTimes: LONG })) as [Node];
    const alice = await owner.enter('alice');
    alice.say(chat('first'));
    await vi.waitFor(() => expect(kinds(alice.wire.envelopes, 'system/stored')).toHaveLength(1), soon);
    const { epoch } = alice.wire.said[0]!;
    const release = holdCommits(owner);
    alice.say(chat('second'));
    const sender = await join({}, { serves: false, leaseTimes: LONG });
    const said = sender.gateway.say(`pod-${pods}`, callerNamed('bob'), 'bob', chat('third'));
    await vi.waitFor(() => expect(ids(alice.wire.said)).toEqual(['first', 'second', 'third']), soon);
    release();
    expect(await said).toMatchObject({ seq: 3, epoch });
    expect(kinds(alice.wire.envelopes, 'system/gap')).toEqual([]);
  });

  test('a node that stops hands its pods over at once', async () => {
    verifies('CLU-05');
    const [owner, second] = (await cluster(2)) as [Node, Node];
    const alice = await owner.enter('alice');
    const bob = await second.enter('bob');
    alice.say(chat('one'));
    await vi.waitFor(() => expect(bob.wire.said).toHaveLength(1), soon);
    await owner.gateway.close();
    bob.say(chat('two'));
    await vi.waitFor(() => expect(kinds(bob.wire.envelopes, 'system/stored')).toHaveLength(1), soon);
    expect(bob.wire.said.map(({ id, seq }) => `${seq} ${id}`)).toEqual(['1 one', '2 two']);
    expect(kinds(bob.wire.envelopes, 'system/gap')).toEqual([]);
    await vi.waitFor(
      () =>
        expect(kinds(bob.wire.envelopes, 'system/presence')).toContainEqual(
          expect.objectContaining({ event: 'leave', participant: expect.objectContaining({ id: 'alice' }) }),
        ),
      soon,
    );
  });

  test('who comes back to another node hears what they missed, without a gap', async () => {
    verifies('CLU-05');
    const [owner, second] = (await cluster(2, {}, { leaseTimes: LONG })) as [Node, Node];
    const alice = await owner.enter('alice');
    const bob = await owner.enter('bob');
    for (let index = 1; index <= 3; index++) alice.say(chat(`m-${index}`));
    await vi.waitFor(() => expect(bob.wire.said).toHaveLength(3), soon);
    const { seq, epoch } = bob.wire.said.at(-1)!;
    bob.leave();
    for (let index = 4; index <= 40; index++) alice.say(chat(`m-${index}`));
    const back = await second.enter('bob', { since: seq!, epoch: epoch! });
    for (let index = 41; index <= 60; index++) alice.say(chat(`m-${index}`));
    await vi.waitFor(() => expect(back.wire.said.at(-1)?.id).toBe('m-60'), soon);
    expect(ids(back.wire.said)).toEqual(Array.from({ length: 57 }, (_, index) => `m-${index + 4}`));
    expect(kinds(back.wire.envelopes, 'system/gap')).toEqual([]);
  });

  test('who comes back to another node before what they heard is stored is told no gap', async () => {
    verifies('CLU-05');
    const [owner, second] = (await cluster(2, {}, { leaseTimes: LONG })) as [Node, Node];
    const alice = await owner.enter('alice');
    const bob = await owner.enter('bob');
    const release = holdCommits(owner);
    for (let index = 1; index <= 3; index++) alice.say(chat(`m-${index}`));
    await vi.waitFor(() => expect(bob.wire.said).toHaveLength(3), soon);
    bob.leave();
    const { seq, epoch } = bob.wire.said.at(-1)!;
    await second.gateway.ready();
    // It is asked how far it is, and answers before what it said is stored.
    const watcher = await connect({ servers: nats.url });
    onTestFinished(() => watcher.close());
    watcher.subscribe('infold-gateway.owner.>', { callback: () => void setTimeout(release, 50) });
    await watcher.flush();
    const back = await second.enter('bob', { since: seq!, epoch: epoch! });
    alice.say(chat('m-4'));
    await vi.waitFor(() => expect(ids(back.wire.said)).toEqual(['m-4']), soon);
    expect(kinds(back.wire.envelopes, 'system/gap')).toEqual([]);
  });

  test('presence, limits and replaced connections are those of the pod', async () => {
    verifies('CLU-05');
    const [one, two] = (await cluster(2, { podConnections: 3 }, { leaseTimes: LONG })) as [Node, Node];
    const alice = await one.enter('alice');
    const bob = await two.enter('bob');
    await vi.waitFor(
      () =>
        expect(kinds(alice.wire.envelopes, 'system/presence')).toEqual([
          { event: 'join', participant: expect.objectContaining({ id: 'bob' }) },
        ]),
      soon,
    );
    const [welcome] = kinds(bob.wire.envelopes, 'system/welcome') as { participants: { id: string }[] }[];
    expect(welcome!.participants.map(({ id }) => id)).toEqual(['alice']);
    const again = await two.enter('alice');
    await vi.waitFor(() => expect(alice.wire.closed?.code).toBe(CLOSE_CODES.replaced), soon);
    await two.enter('carol');
    const names = () => one.gateway.participants('local', `pod-${pods}`).map(({ id }) => id);
    await vi.waitFor(() => expect(names().sort()).toEqual(['alice', 'bob', 'carol']), soon);
    await expect(one.enter('dave')).rejects.toThrow('3 connections');
    again.leave();
    await vi.waitFor(() => expect(names().sort()).toEqual(['bob', 'carol']), soon);
    await one.enter('dave');
    await vi.waitFor(() => {
      const told = kinds(bob.wire.envelopes, 'system/presence') as Presence[];
      const events = told.map(({ event, participant }) => `${event} ${participant.id}`);
      expect(events).toEqual(['join carol', 'leave alice', 'join dave']);
    }, soon);
  });

  test("a rate is the pod's, whichever node a message comes through", async () => {
    verifies('CLU-05');
    const [one, two] = (await cluster(2, { contextEnvelopesPerMinute: 10 }, { leaseTimes: LONG })) as [
      Node,
      Node,
    ];
    const here = await one.enter('alice', { principal: 'both' });
    const there = await two.enter('bob', { principal: 'both' });
    for (let index = 0; index < 8; index++) {
      here.say(chat(`a-${index}`, { context: { id: 'c' } }));
      there.say(chat(`b-${index}`, { context: { id: 'c' } }));
    }
    await vi.waitFor(() => {
      const refused = [...here.wire.errors, ...there.wire.errors];
      expect(refused.length + here.wire.said.length).toBe(16);
      expect(new Set(refused)).toEqual(new Set(['rate_limit']));
      expect(here.wire.said.length).toBeLessThanOrEqual(11);
      expect(here.wire.said.length).toBeGreaterThanOrEqual(10);
    }, soon);
  });
});
