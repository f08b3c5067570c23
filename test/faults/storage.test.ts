import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CommitRequest } from '../../packages/server/src/journal/journal.ts';
import { dumpTables } from '../../packages/server/src/journal/journal-fixture.suite.ts';
import { verifies } from '../requirements.ts';
import { counterOf } from './projection.mjs';
import {
  canMount,
  checkJournal,
  everyRound,
  fill,
  type History,
  makeRoom,
  mountSmall,
  openJournal,
  PATIENCE,
  ROUNDS,
  randomOf,
  remember,
  remountReadOnly,
  removeFolder,
  runWorker,
  temporaryFolder,
  unmount,
} from './support.ts';

declare module '../../packages/server/src/journal/journal.ts' {
  interface Events {
    'write.made': { worker: string; number: number; padding: string };
    'counter.set': { name: string; value: number };
  }
}

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

const needsMount = '(needs the right to mount a tmpfs)';

/** A new disk for each round: a driver may hold files open, and with them their space, for longer than it says. */
async function onOwnDisks(run: (disk: string, round: number) => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const disk = join(folder, String(round));
    mkdirSync(disk);
    mountSmall(disk, 12);
    try {
      await run(disk, round);
    } finally {
      unmount(disk);
    }
  }
}

describe.skipIf(!canMount)(`a full disk ${needsMount}`, () => {
  async function fillAndGoOn(disk: string, size: number, group: boolean): Promise<void> {
    const data = join(disk, 'data');
    const own = await openJournal(data);
    await own.commit(write(10));
    await own.commit(write(size, group));
    fill(disk);

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
    await expect(openJournal(join(disk, 'another'))).rejects.toMatchObject({ code: 'disk_full' });

    makeRoom(disk);
    await own.commit(write(size, group));
    await own.commit(write(10));
    expect(own.head().seq).toBe(before.head.seq + 2);
    const leftovers = readdirSync(data, { recursive: true }).filter((name) => String(name).endsWith('.tmp'));
    expect(leftovers).toEqual([]);
    await own.close();
    await checkJournal(data, new Map());
  }

  test.each([
    ['data in a row', 100_000, false],
    ['data in a file', 400_000, false],
    ['a group with data in rows', 100_000, true],
    ['a group with data in files', 400_000, true],
  ])(
    'refuses a write with a clear error, reads go on, and with room so do writes: %s',
    async (_, size, group) => {
      verifies('KERN-01');
      await onOwnDisks((disk, round) => fillAndGoOn(disk, size - randomOf(round)(30_000), group));
    },
    PATIENCE,
  );
});

describe.skipIf(!canMount)(`a read-only disk ${needsMount}`, () => {
  test(
    'lets the journal be verified, and is one clear error where something would be written',
    async () => {
      await onOwnDisks(async (disk, round) => {
        const data = join(disk, 'data');
        const order = { folder: data, worker: 'one', from: 1, to: 1 + (round % 12) };
        // In another process, which leaves no file open for writing.
        expect(await runWorker(order)).toMatchObject({ done: true });
        mkdirSync(join(disk, 'empty'));
        remountReadOnly(disk);
        const codes = expect.stringMatching(/^storage_(failed|read_only)$/);
        const naming = (path: string) => ({ code: codes, message: expect.stringContaining(path) });
        const journal = await openJournal(data);
        expect(await journal.verify()).toMatchObject({ ok: true });
        expect(await journal.verifyTables()).toMatchObject({ ok: true });
        await expect(journal.commit(write(10))).rejects.toMatchObject(naming(data));
        await journal.close();
        await expect(openJournal(join(disk, 'empty'))).rejects.toMatchObject(naming(join(disk, 'empty')));
        await expect(openJournal(join(disk, 'new'))).rejects.toMatchObject(naming(join(disk, 'new')));
      });
    },
    PATIENCE,
  );
});

describe('a write that the system refuses', () => {
  test.each([
    // Below a blob's size only blobs fail first; above it, SQLite's log reaches the limit at some time.
    ['while writing a file beside the journal', 300, 40],
    ['while writing the log of the journal', 1000, 400],
  ])(
    'is a clear error, reads go on, and another process can go on writing: %s',
    async (_, least, more) => {
      verifies('KERN-01');
      await everyRound(async (round) => {
        const here = join(folder, String(round));
        const order = { folder: here, worker: 'one', from: 1, to: 2000 };
        const blocks = least + randomOf(round)(more);
        const ending = await runWorker({ ...order, task: 'write until failure' }, blocks);
        expect(ending, `${blocks} blocks`).toMatchObject({ done: true, code: 0, problems: [], stderr: '' });
        expect(ending.failed).toHaveLength(1);
        expect(ending.failed[0]).toMatchObject({
          code: 'storage_failed',
          retryable: true,
          message: expect.stringContaining('nothing was written'),
        });
        const count = ending.acknowledged.length;
        expect(count).toBeGreaterThan(0);
        expect(ending.read).toEqual({ head: count, entries: count, count, ok: true });

        const history: History = new Map();
        remember(history, 'one', ending.acknowledged);
        expect((await checkJournal(here, history)).entries).toBe(count);
        const next = await runWorker({ ...order, from: Math.max(1, count - 3), to: count + 5 });
        expect(next).toMatchObject({ done: true, failed: [], problems: [] });
        remember(history, 'one', next.acknowledged);
        expect((await checkJournal(here, history)).entries).toBe(count + 5);
        removeFolder(here);
      });
    },
    PATIENCE,
  );
});
