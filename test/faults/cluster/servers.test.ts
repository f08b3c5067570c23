import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { NEEDS_NATS, natsServer } from '../../support/nats.ts';
import { LONG } from '../../support/runs.ts';
import { PATIENCE } from '../support.ts';
import { TestCluster } from './cluster.ts';

/** How often each fault happens. */
const ROUNDS = LONG ? 20 : 1;
/** Operations before a fault, and after it: the clients are in full swing. */
const SOME = 40;
const WITHOUT_QUORUM = LONG ? 20_000 : 4_000;

describe.skipIf(natsServer === undefined)(`NATS servers that fail ${NEEDS_NATS}`, () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await TestCluster.start();
  });
  afterEach(() => cluster.quiet());
  afterAll(() => cluster?.stop());

  test.each(Array.from({ length: ROUNDS }, (_, index) => index + 1))(
    'the leader of the stream is killed (round %d)',
    async (round) => {
      verifies('CLU-02');
      const load = cluster.load(`killed.${round}`, round);
      await load.progress(SOME);
      const leader = await cluster.leader();
      await leader.kill();
      try {
        await load.progress(SOME);
      } finally {
        await leader.restart();
      }
      await load.progress(SOME);
      await cluster.settle(load);
    },
    PATIENCE,
  );

  test.each(Array.from({ length: ROUNDS }, (_, index) => index + 1))(
    'the leader of the stream stands still for a while (round %d)',
    async (round) => {
      verifies('CLU-02');
      const load = cluster.load(`still.${round}`, round);
      await load.progress(SOME);
      const leader = await cluster.leader();
      leader.stop();
      try {
        await load.progress(SOME);
      } finally {
        leader.continue();
      }
      await load.progress(SOME);
      await cluster.settle(load);
    },
    PATIENCE,
  );

  test.each(Array.from({ length: ROUNDS }, (_, index) => index + 1))(
    'all servers are killed and started again (round %d)',
    async (round) => {
      verifies('CLU-02');
      const load = cluster.load(`restarted.${round}`, round);
      await load.progress(SOME);
      await Promise.all(cluster.nats.servers.map((server) => server.kill()));
      await Promise.all(cluster.nats.servers.map((server) => server.restart()));
      await load.progress(SOME);
      await cluster.settle(load);
    },
    PATIENCE,
  );

  test.each(Array.from({ length: LONG ? 3 : 1 }, (_, index) => index + 1))(
    'without a quorum writes are told to try again, and reads go on (round %d)',
    async (round) => {
      verifies('CLU-02', 'CLU-06');
      const load = cluster.load(`quorum.${round}`, round);
      await load.progress(SOME);
      const leader = await cluster.leader();
      const lost = [leader, cluster.nats.servers.find((server) => server !== leader)!];
      await Promise.all(lost.map((server) => server.kill()));
      const begin = performance.now();
      const refused = () => load.refusals.filter(({ to, at }) => to === 'append' && at > begin);
      try {
        await expect.poll(() => refused().length, { timeout: 120_000 }).toBeGreaterThan(0);
        await wait(Math.max(0, begin + WITHOUT_QUORUM - performance.now()));
        expect(refused().map(({ refusal }) => refusal)).toEqual(
          refused().map(() => expect.objectContaining({ code: 'unavailable', retryable: true })),
        );
        // Each client may be waiting for its own append: these are asked by somebody else.
        for (const node of cluster.nodes) {
          const { seq } = await node.ask('head');
          const asked = performance.now();
          await node.ask('read', { stream: load.streams[0]!, atLeast: seq });
          expect(performance.now() - asked).toBeLessThan(30_000);
        }
      } finally {
        await Promise.all(lost.map((server) => server.restart()));
      }
      await load.progress(SOME);
      await cluster.settle(load);
    },
    PATIENCE,
  );
});
