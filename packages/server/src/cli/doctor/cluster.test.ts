import { jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NEEDS_NATS, natsServer, startNats, type TestNats } from '../../../../../test/support/nats.ts';
import { connectToNats } from '../../journal/cluster/connect.ts';
import { natsDefaults } from '../../kernel/nats-config.ts';
import { checkCluster, checkSync, readSync } from './cluster.ts';

describe.skipIf(natsServer === undefined)(`infold doctor of a cluster ${NEEDS_NATS}`, () => {
  let nats: TestNats;
  beforeAll(async () => {
    nats = await startNats();
  }, 120_000);
  afterAll(() => nats?.stop());

  const look = async () => {
    const checks = await checkCluster({ ...natsDefaults(), url: nats.url }, nats.servers[0]!.monitorPort);
    return Object.fromEntries(checks.map(({ name, ...check }) => [name, check]));
  };

  test('says where the first node is missing, then what risks acknowledged entries, and whose clock is wrong', async () => {
    expect(await look()).toMatchObject({
      cluster: { state: 'ok', detail: expect.stringContaining('no journal') },
    });
    const connection = await connectToNats({ ...natsDefaults(), url: nats.url }, { name: 'test' });
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: 'INFOLD', subjects: ['infold.>'], num_replicas: 1 });
    const bucket = await new Kvm(connection).create('infold_nodes');
    const report = (node: string, values: object) =>
      bucket.put(node, JSON.stringify({ node, seq: 1, hash: 'aa', lag: 0, at: Date.now(), ...values }));
    await report('one', {});
    expect(await look()).toMatchObject({
      cluster: { state: 'ok', detail: '1 node' },
      replicas: { state: 'warning', advice: expect.stringContaining('nats.replicas') },
      sync_interval: { state: 'warning', detail: expect.stringContaining('every 120 s; a crash') },
      clocks: { state: 'ok' },
    });
    await report('two', { at: Date.now() - 60_000, lag: 3 });
    expect(await look()).toMatchObject({
      cluster: { state: 'warning', detail: '2 nodes; two is catching up' },
      clocks: { state: 'warning', detail: expect.stringMatching(/^two is (59|60|61)\.\d s behind NATS$/) },
    });
    await report('two', { hash: 'ab' });
    expect(await look()).toMatchObject({ cluster: { state: 'problem' } });
    await connection.close();
  });
});

test('a cluster that cannot be reached is a problem that names the address', async () => {
  const [check, ...others] = await checkCluster({ ...natsDefaults(), url: 'nats://127.0.0.1:9' });
  expect(check).toMatchObject({ state: 'problem', detail: expect.stringContaining('nats://127.0.0.1:9') });
  expect(others).toEqual([]);
});

test('what NATS tells of how often it writes to disk decides what is risked', () => {
  // As servers of 2.10 and later answer at /varz.
  expect(readSync({ jetstream: { config: { sync_interval: 120_000_000_000, sync_always: true } } })).toBe(0);
  expect(readSync({ jetstream: { config: { sync_interval: 10_000_000_000 } } })).toBe(10_000);
  expect(readSync({})).toBeUndefined();
  expect(checkSync(1, 0, '2.12.0').state).toBe('ok');
  expect(checkSync(3, 0, '2.12.0').state).toBe('ok');
  expect(checkSync(3, 1000, '2.12.0').state).toBe('ok');
  expect(checkSync(1, 1000, '2.12.0').state).toBe('warning');
  expect(checkSync(3, 120_000, '2.12.0').detail).toContain('2 of 3 machines');
  expect(checkSync(1, undefined, '2.12.0').detail).toContain('cannot be seen');
  expect(checkSync(1, 120_000, '2.9.10').advice).toContain('2.10 or later');
  expect(checkSync(1, 120_000, '2.12.0').advice).not.toContain('or later');
});
