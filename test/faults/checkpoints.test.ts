import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CHECKPOINT_POINTS } from '../../packages/server/src/journal/integrity/checkpoints.ts';
import { problemOf } from '../../packages/server/src/journal/integrity/proof.ts';
import { verifies } from '../requirements.ts';
import { LONG } from '../support/runs.ts';
import {
  checkJournal,
  type History,
  openJournal,
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

/** What must hold when all checkpoints that are due were made: one for each thousand, all right, signed by one key. */
async function checkCheckpoints(entries: number): Promise<string[]> {
  const journal = await openJournal(folder);
  try {
    await journal.checkpoint();
    const rows = journal.database.all<{ seq: number; root: Uint8Array; key: string }>(
      'SELECT seq, root, key FROM journal_checkpoint ORDER BY seq',
    );
    const due = Math.floor(entries / 1000);
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: due }, (_, index) => (index + 1) * 1000));
    expect(await journal.verify()).toMatchObject({ ok: true, entries, checkpoints: due });
    for (const seq of [1, Math.ceil(entries / 2), entries]) {
      expect(problemOf(await journal.prove(seq))).toBeUndefined();
    }
    const { id } = await journal.keys.current();
    expect(new Set(rows.map(({ key }) => key))).toEqual(new Set([id]));
    expect(readdirSync(join(folder, 'keys'))).toContain(`${id}.pem`);
    return rows.map(({ root }) => Buffer.from(root).toString('hex'));
  } finally {
    await journal.close();
  }
}

/** Enough for one checkpoint, and some that follow it. */
const WRITES = 1040;

describe('a process killed while it makes a checkpoint', () => {
  test.each([...CHECKPOINT_POINTS, 'committed'] as const)(
    'at "%s" leaves the journal whole, and the checkpoint to the next one',
    async (point) => {
      verifies('KERN-01', 'KERN-03');
      const order = { folder, worker: 'one', from: 1, to: WRITES, small: true };
      const history: History = new Map();
      // The commit that completes the interval is the one that has a checkpoint made.
      const ending = await runWorker({ ...order, kill: { point, hit: 1, from: 1000 } });
      expect(ending).toMatchObject({ signal: 'SIGKILL', failed: [], problems: [], stderr: '' });
      remember(history, 'one', ending.acknowledged);
      const { entries } = await checkJournal(folder, history);
      expect(entries).toBeGreaterThanOrEqual(1000);
      const roots = await checkCheckpoints(entries);
      const retried = await runWorker(order);
      expect(retried).toMatchObject({ code: 0, done: true, failed: [], problems: [] });
      remember(history, 'one', retried.acknowledged);
      await checkJournal(folder, history);
      expect(await checkCheckpoints(WRITES)).toEqual(roots);
    },
    120_000,
  );
});

test(
  'several processes make one checkpoint for each thousand, with one key',
  async () => {
    verifies('KERN-02');
    const [processes, writes] = LONG ? [8, 5000] : [4, 800];
    const workers = Array.from({ length: processes }, (_, index) =>
      startWorker({ folder, worker: `worker-${index}`, from: 1, to: writes, small: true }),
    );
    for (const { ended } of workers) {
      expect(await ended).toMatchObject({ code: 0, done: true, failed: [], problems: [], stderr: '' });
    }
    const journal = await openJournal(folder);
    const made = journal.database.all('SELECT seq FROM journal_checkpoint').length;
    await journal.close();
    // They were made while the workers wrote, by whichever completed a thousand; the last may have been left by its end.
    expect(made).toBeGreaterThanOrEqual(Math.floor((processes * writes) / 1000) - 1);
    await checkCheckpoints(processes * writes);
  },
  LONG ? 3_600_000 : 120_000,
);
