import { afterEach, beforeEach, expect, test } from 'vitest';
import { verifies } from '../requirements.ts';
import {
  checkJournal,
  type Ending,
  type History,
  PATIENCE,
  pause,
  ROUNDS,
  randomOf,
  remember,
  removeFolder,
  startWorker,
  temporaryFolder,
} from './support.ts';

const PROCESSES = 8;
/** Each process dies this often. */
const DEATHS = Math.max(3, Math.ceil(ROUNDS / PROCESSES));
/** What it writes in the life that it may end. */
const LAST_WRITES = 100;

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => removeFolder(folder));

/** Dies as often as it must, then writes to its end. */
async function live(worker: string, seed: number, history: History): Promise<Ending[]> {
  const random = randomOf(seed);
  const endings: Ending[] = [];
  let from = 1;
  for (let life = 0; life <= DEATHS; life++) {
    const isLast = life === DEATHS;
    const running = startWorker({ folder, worker, from, to: isLast ? from + LAST_WRITES : 1_000_000 });
    if (!isLast) {
      void running.begun.then(() => pause(random(500))).then(() => running.process.kill('SIGKILL'));
    }
    const ending = await running.ended;
    endings.push(ending);
    remember(history, worker, ending.acknowledged);
    if (!isLast && ending.signal !== 'SIGKILL') break;
    // From the first that it has no answer for; a few that it has are asked for again.
    const known = history.get(worker)!;
    while (known.has(from)) from++;
    if (!isLast) from = Math.max(1, from - 3);
  }
  return endings;
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
    for (const own of lives) {
      expect(own.map(({ signal }) => signal)).toEqual([...Array(DEATHS).fill('SIGKILL'), null]);
      expect(own.at(-1)).toMatchObject({ code: 0, done: true });
    }
    let written = 0;
    for (const known of history.values()) {
      expect(Math.max(...known.keys())).toBe(known.size);
      written += known.size;
    }
    expect((await checkJournal(folder, history)).entries).toBe(written);
  },
  PATIENCE,
);
