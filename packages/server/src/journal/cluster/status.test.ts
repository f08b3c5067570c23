import { jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NEEDS_NATS, natsServer, startNats, type TestNats } from '../../../../../test/support/nats.ts';
import { natsDefaults } from '../../kernel/nats-config.ts';
import { errorOf } from '../../testing/fixtures.suite.ts';
import { connectToNats } from './connect.ts';
import { readClusterStatus } from './status.ts';

describe.skipIf(natsServer === undefined)(`the status of a cluster ${NEEDS_NATS}`, () => {
  let nats: TestNats;
  let connection: NatsConnection;
  beforeAll(async () => {
    nats = await startNats({ servers: 3 });
    connection = await connectToNats({ ...natsDefaults(), url: nats.urls.join(',') }, { name: 'test' });
  }, 120_000);
  afterAll(async () => {
    await connection?.close();
    await nats?.stop();
  });

  const report = async (node: string, values: object) => {
    const bucket = await new Kvm(connection).create('infold_nodes', { replicas: 3 });
    await bucket.put(node, JSON.stringify({ node, version: '1', at: Date.now(), lag: 0, ...values }));
  };

  test('before the first node, says that there is none', async () => {
    expect(await readClusterStatus(connection)).toMatchObject({
      ...{ journal: null, snapshot: null, nodes: [], agree: true },
      server: { version: connection.info!.version },
    });
  });

  test('tells of servers, nodes and the newest snapshot', async () => {
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: 'INFOLD', subjects: ['infold.>'], num_replicas: 3 });
    expect((await readClusterStatus(connection)).snapshot).toBeNull();
    await manager.jetstream().publish('infold.mark.snapshot', JSON.stringify({ seq: 7 }));
    await report('one', { seq: 9, hash: 'aa', position: 1, forgotten: 6 });
    await report('two', { seq: 8, hash: 'bb', position: 0, lag: 1, at: Date.now() + 60_000 });
    await report('three', { seq: 2, hash: 'cc', ready: false, reason: 'it does not know an event' });
    const { journal, snapshot, nodes, agree } = await readClusterStatus(connection, 'infold', 60_000);
    expect(journal).toMatchObject({ stream: 'INFOLD', replicas: 3, messages: 1, position: 1 });
    expect(journal!.servers.map(({ name }) => name).sort()).toEqual(['n1', 'n2', 'n3']);
    expect(journal!.servers.filter(({ leader }) => leader)).toMatchObject([{ name: journal!.leader }]);
    expect(snapshot).toMatchObject({ seq: 7, age: expect.any(Number) });
    expect(snapshot!.age).toBeLessThan(60);
    expect(nodes.map(({ node, state, lag }) => [node, state, lag])).toEqual([
      ['one', 'ready', 0],
      ['three', 'stopped', 0],
      ['two', 'catching up', 1],
    ]);
    expect(nodes.map(({ clock }) => Math.abs(clock) > 30_000)).toEqual([false, false, true]);
    expect(nodes.map(({ forgotten }) => forgotten)).toEqual([6, 0, 0]);
    expect(agree).toBe(true);
    await report('four', { seq: 9, hash: 'ab' });
    expect((await readClusterStatus(connection)).agree).toBe(false);
  }, 60_000);

  test('without a majority of the servers, says that it cannot be told', async () => {
    await Promise.all(nats.servers.slice(0, 2).map((server) => server.kill()));
    const refusal = await errorOf(() => readClusterStatus(connection));
    expect(refusal).toMatchObject({ code: 'unavailable', retryable: true });
  }, 60_000);
});
