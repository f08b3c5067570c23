import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CommitRequest } from '../../packages/server/src/journal/journal.ts';
import { dumpTables } from '../../packages/server/src/journal/journal-fixture.suite.ts';
import type { SqliteJournal } from '../../packages/server/src/journal/sqlite.ts';
import { verifies } from '../requirements.ts';
import { counterOf } from './projection.mjs';
import {
  canMount,
  checkJournal,
  mountSmall,
  openJournal,
  remember,
  remountReadOnly,
  removeFolder,
  runWorker,
  temporaryFolder,
  unmount,
} from './support.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => removeFolder(folder));

let number = 0;

function write(size: number, group = false): CommitRequest<number> {
  const own = ++number;
  const name = counterOf(own);
  return {
    stream: 'main',
    actor: { org: 'acme', principal: 'ada' },
    group,
    decide: (database) => {
      const last = database.get<{ value: number }>('SELECT value FROM counter WHERE name = ?', name);
      const value = (last?.value ?? 0) + 1;
      return {
        events: [
          { type: 'write.made', data: { worker: 'one', number: own, padding: 'x'.repeat(size) + own } },
          { type: 'counter.set', data: { name, value } },
        ],
        answer: value,
      };
    },
  };
}

/** Takes all the space that is left, down to the last block. */
function fill(path: string): void {
  for (const [index, size] of [1_000_000, 100_000, 4096, 1].entries()) {
    for (let file = 0; ; file++) {
      try {
        writeFileSync(join(path, `filler-${index}-${file}`), Buffer.alloc(size));
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
        break;
      }
    }
  }
}

function makeRoom(path: string): void {
  for (const name of readdirSync(path)) if (name.startsWith('filler-')) rmSync(join(path, name));
}

const needsMount = '(needs the right to mount a tmpfs)';

describe.skipIf(!canMount)(`a full disk ${needsMount}`, () => {
  let journal: SqliteJournal | undefined;
  beforeEach(() => mountSmall(folder, 12));
  afterEach(async () => {
    await journal?.close();
    journal = undefined;
    unmount(folder);
  });

  test.each([
    ['data in a row', 100_000, false],
    ['data in a file', 400_000, false],
    ['a group with data in rows', 100_000, true],
    ['a group with data in files', 400_000, true],
  ])(
    'refuses a write with a clear error, reads go on, and with room so do writes: %s',
    async (_, size, group) => {
      verifies('KERN-01');
      const data = join(folder, 'data');
      journal = await openJournal(data);
      const own = journal;
      await own.commit(write(10));
      await own.commit(write(size, group));
      fill(folder);

      const state = () => ({ head: own.head(), tables: dumpTables(own.database) });
      let before = state();
      let refused: unknown;
      // What SQLite's log has room for already may still be written; that is small.
      for (let attempt = 0; attempt < 50 && refused === undefined; attempt++) {
        before = state();
        const outcomes = await Promise.allSettled([
          own.commit(write(size, group)),
          own.commit(write(size, group)),
        ]);
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') refused ??= outcome.reason;
          else before = state();
        }
      }
      expect(refused).toMatchObject({
        code: 'disk_full',
        retryable: true,
        message: expect.stringMatching(/full; nothing was written/),
      });
      expect(state()).toEqual(before);
      expect(own.entryAt(2)?.events).toHaveLength(2);
      expect((await own.verify()).ok).toBe(true);
      await expect(openJournal(join(folder, 'another'))).rejects.toMatchObject({ code: 'disk_full' });

      makeRoom(folder);
      await own.commit(write(size, group));
      await own.commit(write(10));
      expect(own.head().seq).toBe(before.head.seq + 2);
      const leftovers = readdirSync(data, { recursive: true }).filter((name) =>
        String(name).endsWith('.tmp'),
      );
      expect(leftovers).toEqual([]);
      await own.close();
      await checkJournal(data, new Map());
    },
  );
});

describe.skipIf(!canMount)(`a read-only disk ${needsMount}`, () => {
  beforeEach(() => mountSmall(folder, 12));
  afterEach(() => unmount(folder));

  test('lets the journal be verified, and is one clear error where something would be written', async () => {
    const data = join(folder, 'data');
    // In another process, which leaves no file open for writing.
    expect(await runWorker({ folder: data, worker: 'one', from: 1, to: 5 })).toMatchObject({ done: true });
    mkdirSync(join(folder, 'empty'));
    remountReadOnly(folder);
    const codes = expect.stringMatching(/^storage_(failed|read_only)$/);
    const naming = (path: string) => ({ code: codes, message: expect.stringContaining(path) });
    const journal = await openJournal(data);
    expect(await journal.verify()).toMatchObject({ ok: true });
    expect(await journal.verifyTables()).toMatchObject({ ok: true });
    await expect(journal.commit(write(10))).rejects.toMatchObject(naming(data));
    await journal.close();
    await expect(openJournal(join(folder, 'empty'))).rejects.toMatchObject(naming(join(folder, 'empty')));
    await expect(openJournal(join(folder, 'new'))).rejects.toMatchObject(naming(join(folder, 'new')));
  });
});

describe('a write that the system refuses', () => {
  test.each([
    // Below a blob's size only blobs fail first; above it, SQLite's log reaches the limit at some time.
    ['while writing a file beside the journal', 300],
    ['while writing the log of the journal', 1200],
  ])('is a clear error, reads go on, and another process can go on writing: %s', async (_, blocks) => {
    verifies('KERN-01');
    const order = { folder, worker: 'one', from: 1, to: 2000 };
    const ending = await runWorker({ ...order, task: 'write until failure' }, blocks);
    expect(ending).toMatchObject({ done: true, code: 0, problems: [], stderr: '' });
    expect(ending.failed).toHaveLength(1);
    expect(ending.failed[0]).toMatchObject({
      code: 'storage_failed',
      retryable: true,
      message: expect.stringContaining('nothing was written'),
    });
    const count = ending.acknowledged.length;
    expect(count).toBeGreaterThan(0);
    expect(ending.read).toEqual({ head: count, entries: count, count, ok: true });

    const history = new Map();
    remember(history, 'one', ending.acknowledged);
    expect((await checkJournal(folder, history)).entries).toBe(count);
    const next = await runWorker({ ...order, to: count + 20 });
    expect(next).toMatchObject({ done: true, failed: [], problems: [] });
    remember(history, 'one', next.acknowledged);
    expect((await checkJournal(folder, history)).entries).toBe(count + 20);
  });
});
