import { afterEach, beforeEach, expect, test } from 'vitest';
import { verifies } from '../requirements.ts';
import {
  checkJournal,
  type Ending,
  type History,
  LONG,
  randomOf,
  remember,
  removeFolder,
  startWorker,
  temporaryFolder,
} from './support.ts';

const PROCESSES = 8;
const WRITES = LONG ? 5000 : 300;
/** Each process dies this often, unless it is done before. */
const DEATHS = LONG ? 30 : 3;

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => removeFolder(folder));

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** Writes all of its numbers, with as many lives as it takes. */
async function live(worker: string, seed: number, history: History): Promise<Ending[]> {
  const random = randomOf(seed);
  const endings: Ending[] = [];
  let from = 1;
  for (let life = 0; ; life++) {
    const running = startWorker({ folder, worker, from, to: WRITES });
    if (life < DEATHS) {
      void running.begun.then(() => pause(random(500))).then(() => running.process.kill('SIGKILL'));
    }
    const ending = await running.ended;
    endings.push(ending);
    remember(history, worker, ending.acknowledged);
    if (ending.done || ending.signal !== 'SIGKILL') return endings;
    // From the first that it has no answer for; a few that it has are asked for again.
    const known = history.get(worker)!;
    from = 1;
    while (known.has(from)) from++;
    from = Math.max(1, from - 3);
  }
}

test(
  `${PROCESSES} processes that die and come back lose nothing, write nothing twice and are never refused`,
  async () => {
    verifies('KERN-02', 'KERN-01', 'KERN-05');
    const history: History = new Map();
    const lives = await Promise.all(
      Array.from({ length: PROCESSES }, (_, index) => live(`worker-${index}`, index + 1, history)),
    );
    for (const ending of lives.flat()) {
      expect(ending).toMatchObject({ failed: [], problems: [], stderr: '' });
    }
    for (const own of lives) expect(own.at(-1)).toMatchObject({ code: 0, done: true });
    expect(lives.flat().filter((ending) => ending.signal === 'SIGKILL').length).toBeGreaterThan(PROCESSES);
    for (const known of history.values()) expect(known.size).toBe(WRITES);
    expect((await checkJournal(folder, history)).entries).toBe(PROCESSES * WRITES);
  },
  LONG ? 3_600_000 : 120_000,
);
