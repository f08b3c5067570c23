import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { COMMIT_POINTS } from '../../packages/server/src/journal/sqlite.ts';
import { verifies } from '../requirements.ts';
import {
  checkJournal,
  type History,
  LONG,
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

const WRITES = 24;

/** How often a worker comes to the point, at the least; the second one has less left to write. */
const hitsAt = (point: string, death: number) => (point === 'blob-written' || death > 0 ? 2 : 12);

describe('a process killed in the middle of a commit', () => {
  test.each(COMMIT_POINTS)(
    'at "%s" loses nothing that was acknowledged and leaves nothing half-done',
    async (point) => {
      verifies('KERN-01', 'KERN-04', 'KERN-05');
      for (let round = 0; round < ROUNDS; round++) {
        const random = randomOf(round * 100 + COMMIT_POINTS.indexOf(point));
        const here = `${folder}/${point}-${round}`;
        const order = { folder: here, worker: 'one', from: 1, to: WRITES };
        const history: History = new Map();
        // Twice, because the second process finds what the first one left behind.
        for (let death = 0; death < 2; death++) {
          const kill = { point, hit: 1 + random(hitsAt(point, death)) };
          const ending = await runWorker({ ...order, from: 1 + death * 2, kill });
          expect(ending, `seed ${round}: ${JSON.stringify(kill)}`).toMatchObject({
            signal: 'SIGKILL',
            done: false,
            failed: [],
            problems: [],
            stderr: '',
          });
          remember(history, 'one', ending.acknowledged);
          await checkJournal(here, history);
        }
        const retried = await runWorker(order);
        expect(retried).toMatchObject({ code: 0, done: true, failed: [], problems: [] });
        remember(history, 'one', retried.acknowledged);
        expect((await checkJournal(here, history)).entries).toBe(WRITES);
        removeFolder(here);
      }
    },
    LONG ? 3_600_000 : 120_000,
  );
});

test('a process killed while it makes the tables anew leaves the old ones', async () => {
  verifies('KERN-01', 'KERN-04');
  const order = { folder, worker: 'one', from: 1, to: 120 };
  const history: History = new Map();
  remember(history, 'one', (await runWorker(order)).acknowledged);
  const random = randomOf(7);
  for (let round = 0; round < Math.min(ROUNDS, 50); round++) {
    const worker = startWorker({ ...order, task: 'rebuild' });
    await worker.begun;
    await new Promise((resolve) => setTimeout(resolve, random(40)));
    worker.process.kill('SIGKILL');
    expect((await worker.ended).signal).toBe('SIGKILL');
    expect((await checkJournal(folder, history)).entries).toBe(120);
  }
});
