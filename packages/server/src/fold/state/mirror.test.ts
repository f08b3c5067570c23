import { jetstreamManager } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { NEEDS_NATS, natsServer, startNats, type TestNats } from '../../../../../test/support/nats.ts';
import { createServices } from '../../cli/services/create.ts';
import { PROJECTIONS } from '../../cli/services/projections.ts';
import { NatsJournal } from '../../journal/nats.ts';
import { movableClock, temporaryFolder, testConfig } from '../../testing/fixtures.suite.ts';
import { forget } from '../../trust/forget.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { sessionById } from '../../trust/sessions/queries.ts';
import { Agent, words } from '../fixture.suite.ts';
import { StateMirror } from './mirror.ts';
import { stateRoot } from './values.ts';

type Value = Record<string, unknown>;
const soon = { timeout: 60_000, interval: 20 };

describe.skipIf(natsServer === undefined)(`the state of sessions in NATS ${NEEDS_NATS}`, () => {
  let nats: TestNats;
  /** As anybody reads it who knows nothing of Infold. */
  let reader: NatsConnection;
  let clusters = 0;

  beforeAll(async () => {
    nats = await startNats();
    reader = await connect(patient());
  });
  afterAll(async () => {
    await reader?.close();
    await nats?.stop();
  });

  const patient = () => ({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });

  /** A cluster of its own, of as many nodes as are started. */
  function startCluster() {
    const name = `state${clusters++}`;
    const startNode = async () => {
      const connection = await connect(patient());
      const config = testConfig({ data: temporaryFolder() });
      const { limits, contextLimit } = config;
      const place = { folder: config.data, projections: PROJECTIONS, limits };
      const journal = await NatsJournal.open({ ...place, connection, name });
      const services = createServices(config, journal, 'silent', movableClock().read);
      onTestFinished(async () => {
        await services.settle();
        await journal.close();
      });
      const rootOf = (id: string) => stateRoot(sessionById(journal.database, id)!);
      /** Another one beside that which every node has. */
      const startMirror = () =>
        new StateMirror({
          ...{ journal, cluster: journal.cluster, clock: services.clock, contextLimit },
          ...{ sessionLifetime: limits.sessionLifetime, onError: () => {} },
        });
      return { agent: new Agent(services), journal, services, rootOf, startMirror };
    };
    const bucket = (): Promise<KV> => new Kvm(reader).open(`${name}_state`);
    /** Nothing where the bucket is not there yet. */
    const read = async (key: string) => {
      const entry = await bucket()
        .then((kv) => kv.get(key))
        .catch(() => null);
      return entry?.json<Value>();
    };
    const stream = async (filter = '') =>
      (await jetstreamManager(reader)).streams.info(`KV_${name}_state`, { subjects_filter: filter });
    /** Asked for in one go: to go through keys that are taken out meanwhile may never come to an end. */
    const keysOf = async (root: string): Promise<string[]> => {
      const prefix = `$KV.${name}_state.${root}.`;
      const found = await stream(`${prefix}>`).catch(() => undefined);
      return Object.keys(found?.state.subjects ?? {})
        .map((subject) => subject.slice(prefix.length))
        .toSorted();
    };
    return { startNode, bucket, read, keysOf, stream };
  }

  test('the bucket holds the keys and values of the seed for 24 hours', async () => {
    verifies('FOLD-14');
    const { startNode, read, keysOf, stream } = startCluster();
    const { agent, rootOf } = await startNode();
    const { branch_id, session_id } = await agent.branch('Search API logs', words(7));
    const root = rootOf(session_id);
    await expect
      .poll(() => read(`${root}.meta.session_state`), soon)
      .toMatchObject({
        ...{ session_id, active_branch_id: branch_id, branch_depth: 1, branch_path: ['main', branch_id] },
      });
    expect(await read(`${root}.branches.${branch_id}`)).toMatchObject({
      ...{ id: branch_id, description: 'Search API logs', prompt: words(7), parent_id: null },
      ...{ status: 'active', created_at: expect.any(String), tokens: 7 },
    });
    await agent.spend(90);
    await agent.fold('Found 3 patterns');
    await expect.poll(() => read(`${root}.meta.session_state`), soon).toMatchObject({ branch_depth: 0 });
    expect(await read(`${root}.branches.${branch_id}`)).toMatchObject({
      ...{ id: branch_id, status: 'folded', summary: 'Found 3 patterns', tokens_folded: 97 },
      folded_at: expect.any(String),
    });
    expect((await keysOf(root)).map((key) => key.replace(/\.\d+\.\d+$/, ''))).toEqual([
      `branches.${branch_id}`,
      'events.branch.created',
      'events.branch.folded',
      'events.operation.completed',
      'meta.session_state',
    ]);
    expect((await stream()).config.max_age).toBe(24 * 60 * 60 * 1e9);
  });

  /** What is told of events from now on. */
  async function listen() {
    const heard: { subject: string; value: Value }[] = [];
    const subscription = reader.subscribe('contextd.*.*.*.events.>', {
      callback: (_error, message) => {
        heard.push({ subject: message.subject, value: message.json<Value>() });
      },
    });
    await reader.flush();
    onTestFinished(() => subscription.unsubscribe());
    return heard;
  }

  test('those who subscribe hear what happens in branches', async () => {
    verifies('FOLD-14');
    const heard = await listen();
    const { startNode } = startCluster();
    const { agent, rootOf } = await startNode();
    const { branch_id, session_id } = await agent.branch('b', words(3));
    await agent.spend(5);
    await agent.fold('done');
    await expect.poll(() => heard.length, soon).toBe(3);
    const root = rootOf(session_id);
    expect(heard.map(({ subject }) => subject)).toEqual([
      `contextd.${root}.events.branch.created`,
      `contextd.${root}.events.operation.completed`,
      `contextd.${root}.events.branch.folded`,
    ]);
    expect(heard.map(({ value }) => value.data)).toMatchObject([
      { branch_id, description: 'b' },
      { branch_id, tokens: 5, tool: 'Read' },
      { branch_id, summary: 'done' },
    ]);
  });

  test('the node that wrote an entry tells it, and no other one', async () => {
    const heard = await listen();
    const { startNode, read } = startCluster();
    const [one, other] = [await startNode(), await startNode()];
    const { branch_id, session_id } = await one.agent.branch('b', words(3));
    const root = one.rootOf(session_id);
    await expect.poll(() => read(`${root}.meta.session_state`), soon).toMatchObject({ branch_depth: 1 });
    await other.journal.reached(one.journal.head().seq);
    await other.agent.call('context_return', { message: 'done elsewhere', session_id });
    await expect.poll(() => read(`${root}.meta.session_state`), soon).toMatchObject({ branch_depth: 0 });
    expect(await read(`${root}.branches.${branch_id}`)).toMatchObject({ summary: 'done elsewhere' });
    await one.journal.reached(other.journal.head().seq);
    await Promise.all([one, other].map(({ services }) => services.settle()));
    await reader.flush();
    expect(heard.map(({ value }) => value.type)).toEqual(['branch.created', 'branch.folded']);
  });

  test('what was forgotten is taken out of the bucket', async () => {
    const { startNode, read, keysOf } = startCluster();
    const { agent, rootOf, journal, services } = await startNode();
    const { branch_id, session_id } = await agent.branch('a plan', 'of roses');
    const kept = await agent.branch('another', 'of lilies');
    await agent.fold('lilies it is');
    const root = rootOf(session_id);
    const all = async () =>
      JSON.stringify(await Promise.all((await keysOf(root)).map((key) => read(`${root}.${key}`))));
    await expect.poll(all, soon).toMatch(/roses.*lilies it is|lilies it is.*roses/);
    const { forgetters } = services.parts;
    await forget(journal, localOwner, { kind: 'branch', id: branch_id, org: 'local' }, forgetters);
    await expect.poll(all, soon).not.toContain('roses');
    await expect
      .poll(() => read(`${root}.branches.${branch_id}`), soon)
      .toMatchObject({
        ...{ description: '[forgotten]', prompt: '', status: 'active' },
      });
    expect(await read(`${root}.branches.${kept.branch_id}`)).toMatchObject({ summary: 'lilies it is' });
    await forget(journal, localOwner, { kind: 'session', id: session_id, org: 'local' }, forgetters);
    await expect.poll(() => keysOf(root), soon).toEqual([]);
  });

  test('values never go backwards', async () => {
    const { startNode, read, bucket } = startCluster();
    const { agent, rootOf } = await startNode();
    const { branch_id, session_id } = await agent.branch('b', words(3));
    const root = rootOf(session_id);
    await expect.poll(() => read(`${root}.meta.session_state`), soon).toBeDefined();
    const key = `${root}.branches.${branch_id}`;
    await (await bucket()).put(key, JSON.stringify({ id: branch_id, status: 'later', seq: 1_000_000 }));
    await agent.spend(5);
    await expect.poll(() => read(`${root}.meta.session_state`), soon).toMatchObject({ total_tokens: 8 });
    expect(await read(key)).toMatchObject({ status: 'later' });
    await (await bucket()).put(key, JSON.stringify({ id: branch_id, status: 'earlier', seq: 1 }));
    await agent.fold('done');
    await expect.poll(() => read(key), soon).toMatchObject({ status: 'folded', tokens_folded: 8 });
  });

  test('what nobody could write is written later', async () => {
    const { startNode, read, bucket } = startCluster();
    const { agent, rootOf, startMirror } = await startNode();
    const { branch_id, session_id } = await agent.branch('b', words(3));
    const root = rootOf(session_id);
    await expect.poll(() => read(`${root}.meta.session_state`), soon).toBeDefined();
    for (const key of [`branches.${branch_id}`, 'meta.session_state'])
      await (await bucket()).purge(`${root}.${key}`);
    const mirror = startMirror();
    onTestFinished(() => mirror.close());
    await mirror.repair();
    await expect.poll(() => read(`${root}.branches.${branch_id}`), soon).toMatchObject({ status: 'active' });
    const later = await agent.branch('just before NATS is silent', words(2));
    const [server] = nats.servers;
    server!.stop();
    try {
      // Longer than a write waits for its acknowledgement.
      await new Promise((resolve) => setTimeout(resolve, 6000));
    } finally {
      server!.continue();
    }
    await expect
      .poll(() => read(`${root}.branches.${later.branch_id}`), soon)
      .toMatchObject({ status: 'active' });
  });
});
