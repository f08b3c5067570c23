import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { COMMIT_POINTS } from '../../packages/server/src/journal/local.ts';
import { verifies } from '../requirements.ts';
import {
  checkJournal,
  everyRound,
  type History,
  PATIENCE,
  pause,
  ROUNDS,
  randomOf,
  remember,
  removeFolder,
  runWorker,
  startWorker,
  temporaryFolder,
} from './support.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => removeFolder(folder));

/** So many deaths does a folder go through: each process finds what the one before left behind. */
const LIVES = 5;

/** After how many times that it comes to the point the worker dies, at the most: few writes have a blob. */
const hitsAt = (point: string) => (point === 'blob-written' ? 2 : 12);

describe('a process killed in the middle of a commit', () => {
  test.each(COMMIT_POINTS)(
    'at "%s" loses nothing that was acknowledged and leaves nothing half-done',
    async (point) => {
      verifies('KERN-01', 'KERN-04', 'KERN-05');
      await everyRound(
        async (group) => {
          const random = randomOf(group * 100 + COMMIT_POINTS.indexOf(point));
          const here = `${folder}/${point}-${group}`;
          const order = { folder: here, worker: 'one', from: 1, to: 10_000 };
          const history: History = new Map();
          for (let life = 0; life < Math.min(LIVES, ROUNDS - group * LIVES); life++) {
            const kill = { point, hit: 1 + random(hitsAt(point)) };
            // The last that it has an answer for is asked for again.
            const from = Math.max(1, ...(history.get('one')?.keys() ?? []));
            const ending = await runWorker({ ...order, from, kill });
            expect(ending, `life ${life}: ${JSON.stringify(kill)}`).toMatchObject({
              signal: 'SIGKILL',
              done: false,
              failed: [],
              problems: [],
              stderr: '',
            });
            remember(history, 'one', ending.acknowledged);
            await checkJournal(here, history);
          }
          // What was written without an answer is among the next few.
          const to = Math.max(0, ...history.get('one')!.keys()) + 8;
          const retried = await runWorker({ ...order, to });
          expect(retried).toMatchObject({ code: 0, done: true, failed: [], problems: [] });
          remember(history, 'one', retried.acknowledged);
          expect((await checkJournal(here, history)).entries).toBe(to);
          removeFolder(here);
        },
        Math.ceil(ROUNDS / LIVES),
      );
    },
    PATIENCE,
  );
});

test(
  'a process killed while it makes the tables anew leaves the old ones',
  async () => {
    verifies('KERN-01', 'KERN-04');
    const order = { worker: 'one', from: 1, to: 120 };
    // One folder for each of the two that run at a time.
    const free = await Promise.all(
      [1, 2].map(async (lane) => {
        const history: History = new Map();
        const here = `${folder}/${lane}`;
        remember(history, 'one', (await runWorker({ ...order, folder: here })).acknowledged);
        return { here, history };
      }),
    );
    await everyRound(async (round) => {
      const own = free.pop()!;
      const worker = startWorker({ ...order, folder: own.here, task: 'rebuild' });
      await worker.begun;
      await pause(randomOf(round)(40));
      worker.process.kill('SIGKILL');
      expect((await worker.ended).signal).toBe('SIGKILL');
      expect((await checkJournal(own.here, own.history)).entries).toBe(120);
      free.push(own);
    });
  },
  PATIENCE,
);
