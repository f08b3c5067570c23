import { mkdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { entryIdForKey } from '../../../packages/server/src/kernel/ids.ts';
import { verifies } from '../../requirements.ts';
import { NEEDS_NATS, natsServer } from '../../support/nats.ts';
import { LONG } from '../../support/runs.ts';
import { canMount, fill, makeRoom, mountSmall, PATIENCE, randomOf, unmount } from '../support.ts';
import { TestCluster } from './cluster.ts';

/** How often each fault happens. */
const ROUNDS = LONG ? 20 : 1;
const rounds = Array.from({ length: ROUNDS }, (_, index) => index + 1);
/** Operations before a fault, and after it: the clients are in full swing. */
const SOME = 40;
const AWAY = LONG ? 50_000 : 10_000;
/** Where a commit may end for good: before it is in the stream, there, and in this node's file. */
const POINTS = [
  'decided',
  'publishing',
  'published',
  'appended',
  'projected',
  'committing',
  'committed',
  'delivered',
];

describe.skipIf(natsServer === undefined)(`nodes of a cluster that fail ${NEEDS_NATS}`, () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await TestCluster.start();
  });
  afterEach(() => cluster.quiet());
  afterAll(() => cluster?.stop());

  test.each(rounds)(
    'two nodes that decide on one stream at the same time are never refused, and none decides on what is no longer true (round %d)',
    async (round) => {
      verifies('CLU-02');
      const stream = cluster.fresh(`contended.${round}`);
      const writers = Array.from({ length: 8 }, async (_, writer) => {
        const places: number[] = [];
        for (let number = 0; number < 15; number++) {
          const node = cluster.nodes[writer % 2]!;
          places.push((await node.ask('append', { stream, item: `${writer}-${number}` })).answer);
        }
        return places;
      });
      const places = (await Promise.all(writers)).flat();
      expect(places.sort((a, b) => a - b)).toEqual(places.map((_, index) => index + 1));
    },
    PATIENCE,
  );

  test.each(rounds)(
    'a node is killed in a commit, at every point of it (round %d)',
    async (round) => {
      verifies('CLU-02');
      const load = cluster.load(`in-commit.${round}`, round);
      const random = randomOf(round);
      for (const point of POINTS) {
        const node = cluster.nodes[0]!;
        await node.ask('endAt', { point, hit: 1 + random(8) });
        expect(await node.ended, point).toBe('SIGKILL');
        await load.progress(5);
        await cluster.restartNode(0);
      }
      await cluster.settle(load);
    },
    PATIENCE,
  );

  test.each(rounds)(
    'a connection is cut after a message was sent and before its receipt came: the message is one entry (round %d)',
    async (round) => {
      verifies('CLU-02');
      const load = cluster.load(`cut.${round}`, round);
      await load.progress(SOME);
      const stream = cluster.fresh(`cut.${round}.alone`);
      const cut = cluster.relay.cutAfterPublish(`infold.${stream}`);
      const append = () => cluster.nodes[1]!.ask('append', { stream, item: 'x' });
      // The node may try by itself, or ask its client to.
      const first = append().catch((error) =>
        expect(error).toMatchObject({ code: 'unavailable', retryable: true }),
      );
      await cut;
      await first;
      await expect.poll(append, { timeout: 60_000 }).toMatchObject({ answer: 1, replayed: true });
      await load.progress(SOME);
      const { entries } = await cluster.settle(load);
      expect(entries.filter((entry) => entry.stream === stream)).toEqual([
        expect.objectContaining({ id: entryIdForKey('log', stream, 'x'), rev: 1 }),
      ]);
    },
    PATIENCE,
  );

  test.skipIf(!canMount).each(rounds)(
    'the disk of a node is full: the others go on, and with room so does it (round %d) (needs the right to mount a tmpfs)',
    async (round) => {
      verifies('CLU-02');
      await cluster.nodes[1]!.end();
      const name = cluster.fresh(`small-${round}`);
      const folder = `${cluster.folder}/${name}`;
      mkdirSync(folder);
      mountSmall(folder, 24);
      const before = cluster.folderOf(1);
      try {
        const node = await cluster.restartNode(1, { folder: `${folder}/data`, name });
        const load = cluster.load(`full.${round}`, round);
        await load.progress(SOME);
        fill(folder);
        await expect
          .poll(() => node.problems.length + load.refusals.length, { timeout: 60_000 })
          .toBeGreaterThan(0);
        // What this node is asked is refused only after a while.
        await load.progress(LONG ? 2 * SOME : SOME / 2);
        makeRoom(folder);
        await load.progress(SOME);
        await cluster.settle(load);
        await node.end();
      } finally {
        if (cluster.nodes[1]!.isRunning) await cluster.nodes[1]!.kill();
        unmount(folder);
        await cluster.restartNode(1, { folder: before });
      }
    },
    PATIENCE,
  );

  test.each(rounds)(
    'a table that is not what the journal makes of it is found when nodes compare theirs, and made anew (round %d)',
    async (round) => {
      verifies('CLU-02');
      const load = cluster.load(`spoilt.${round}`, round);
      await load.progress(SOME);
      const node = cluster.nodes[1]!;
      // In a log that no client reads: until it is made anew, it is wrong.
      const stream = cluster.fresh(`spoilt.${round}.alone`);
      await node.ask('append', { stream, item: 'x' });
      await node.ask('spoil', { stream });
      expect((await node.ask('inspect')).tables).toMatchObject({ ok: false, different: ['log'] });
      await cluster.nodes[0]!.ask('audit');
      await expect
        .poll(async () => (await node.ask('inspect')).tables, { timeout: 60_000 })
        .toMatchObject({ ok: true, different: [] });
      expect(node.problems.join('\n')).toMatch(/damaged \(log\)/);
      await load.progress(SOME);
      await cluster.settle(load);
    },
    PATIENCE,
  );

  test.each(rounds)(
    'a node is killed in a snapshot: the next one is made by another, and a new node begins with it (round %d)',
    async (round) => {
      verifies('CLU-02');
      const load = cluster.load(`in-snapshot.${round}`, round);
      await load.progress(SOME);
      for (const point of ['snapshot-made', 'snapshot-stored']) {
        const node = cluster.nodes[1]!;
        await node.ask('endAt', { point, hit: 1 });
        let isAsking = true;
        const asking = (async () => {
          while (isAsking) {
            await node.ask('snapshot').catch(() => {});
            await wait(200);
          }
        })();
        expect(await node.ended, point).toBe('SIGKILL');
        isAsking = false;
        await asking;
        await load.progress(5);
        await cluster.restartNode(1);
        if (point === 'snapshot-made') await cluster.endLease('snapshot');
      }
      // The one that died in it keeps the others from it for a while.
      await expect
        .poll(() => cluster.nodes[0]!.ask('snapshot').then(() => cluster.hasSnapshot()), { timeout: 60_000 })
        .toBe(true);
      await cluster.nodes[1]!.end();
      cluster.forgetFolder(1);
      await cluster.restartNode(1);
      await load.progress(SOME);
      await cluster.settle(load);
    },
    PATIENCE,
  );

  test.each(LONG ? [1, 2, 3] : [1])(
    `a node that was away for ${AWAY.toLocaleString('en')} entries catches up (round %d)`,
    async (round) => {
      verifies('CLU-02');
      await cluster.nodes[1]!.kill();
      const load = cluster.load(`away.${round}`, round);
      await cluster.write(cluster.fresh(`away.${round}.many`), AWAY);
      await load.progress(SOME);
      await cluster.restartNode(1);
      await cluster.settle(load);
    },
    PATIENCE,
  );
});
