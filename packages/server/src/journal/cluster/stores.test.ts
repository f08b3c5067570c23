import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { NEEDS_NATS, natsServer, startNats, type TestNats } from '../../../../../test/support/nats.ts';
import { type StoreOptions, Stores } from './stores.ts';

describe.skipIf(natsServer === undefined)(`copies of the journal on three servers ${NEEDS_NATS}`, () => {
  let nats: TestNats;
  beforeAll(async () => {
    nats = await startNats({ servers: 3 });
  });
  afterAll(() => nats.stop());

  async function opened<T>(options: Omit<StoreOptions, 'connection'>, work: (stores: Stores) => Promise<T>) {
    const connection = await connect({ servers: nats.urls });
    try {
      return await work(await Stores.open({ connection, ...options }));
    } finally {
      await connection.close();
    }
  }
  const copiesOf = (stores: Stores, stream: string) =>
    stores.manager.streams.info(stream).then(({ config }) => config.num_replicas);

  test('become three when there are three, in the stream and in what was made with it', async () => {
    const name = 'grown';
    await opened({ name, replicas: 1 }, async (stores) => {
      await stores.openStream();
      await stores.bucket('keys');
      await stores.objects();
      expect(stores.replicas).toBe(1);
    });
    await opened({ name }, async (stores) => {
      await stores.openStream();
      expect(stores.replicas).toBe(3);
      for (const stream of [stores.stream, 'KV_grown_keys', 'OBJ_grown_objects']) {
        await expect.poll(() => copiesOf(stores, stream)).toBe(3);
      }
    });
  }, 120_000);

  test('are waited for while a server is missing, and are one only where it stays away', async () => {
    const few = await startNats({ servers: 3, late: 1 });
    const connection = await connect({ servers: few.urls });
    try {
      // Two of three choose their leader only after a while.
      await vi.waitUntil(() => Stores.open({ connection }).catch(() => undefined), { timeout: 60_000 });
      const alone = await Stores.open({ connection, name: 'alone', openWait: 8000 });
      expect((await alone.openStream()).config.num_replicas).toBe(1);
      const waiting = await Stores.open({ connection, name: 'waiting' });
      const opening = waiting.openStream();
      await Promise.race([opening, new Promise((resolve) => setTimeout(resolve, 1000))]);
      await few.servers[2]!.restart();
      expect((await opening).config.num_replicas).toBe(3);
      const again = await Stores.open({ connection, name: 'alone' });
      expect((await again.openStream()).config.num_replicas).toBe(3);
    } finally {
      await connection.close();
      await few.stop();
    }
  }, 180_000);
});
