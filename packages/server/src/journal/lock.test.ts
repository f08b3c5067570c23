import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '@infold/protocol';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { type Database, openDatabase } from '../kernel/sqlite.ts';
import { counterValue, counting, PROJECTIONS, stateOf } from './journal-fixture.suite.ts';
import { retryWhileLocked } from './lock.ts';
import { SqliteJournal } from './sqlite.ts';

let folder: string;
let journal: SqliteJournal;
let other: Database;
/** How often the journal tried to begin a transaction, and waited for the lock in vain. */
let tries: number;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** How often it did at most before other timers of this process had their turn. */
async function mostAtOnce(work: () => Promise<unknown>): Promise<number> {
  let [most, last] = [0, tries];
  const look = () => {
    most = Math.max(most, tries - last);
    last = tries;
  };
  const timer = setInterval(look, 1);
  await work();
  clearInterval(timer);
  look();
  return most;
}

/** Until it did so often enough. */
const tried = (times: number) => expect.poll(() => tries, { interval: 5 }).toBeGreaterThanOrEqual(times);

describe('while another connection holds the lock', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'infold-lock-'));
  });
  afterEach(async () => {
    await journal.close();
    other.close();
    rmSync(folder, { recursive: true });
  });

  async function setUp(lockWait: number): Promise<void> {
    journal = await SqliteJournal.open({ folder, projections: PROJECTIONS, limits: { ...LIMITS, lockWait } });
    await journal.commit(counting('x'));
    other = await openDatabase(join(folder, 'infold.db'));
    const { database } = journal;
    const exec = database.exec.bind(database);
    tries = 0;
    vi.spyOn(database, 'exec').mockImplementation((sql) => {
      try {
        exec(sql);
      } catch (error) {
        tries++;
        throw error;
      }
    });
  }

  /** Nothing else happens in this process for so many milliseconds, each time that the journal tries in vain. */
  const standstill = () => journal.database.get<{ timeout: number }>('PRAGMA busy_timeout')!.timeout;

  test('a commit waits, the event loop does not, and the commit goes through', async () => {
    verifies('KERN-02');
    await setUp(10_000);
    other.exec('BEGIN IMMEDIATE');
    const most = await mostAtOnce(async () => {
      const commits = [journal.commit(counting('x')), journal.commit(counting('x', { group: true }))];
      await tried(10);
      other.exec('ROLLBACK');
      await Promise.all(commits);
    });
    expect(most * standstill()).toBeLessThanOrEqual(50);
    expect(counterValue(journal.database, 'x')).toBe(journal.head().seq);
  });

  test('fifty writers wait in line: the event loop turns, and each gets its turn in order', async () => {
    verifies('KERN-02');
    await setUp(20_000);
    other.exec('BEGIN IMMEDIATE');
    const first = journal.head().seq + 1;
    const most = await mostAtOnce(async () => {
      const commits = Array.from({ length: 50 }, () => journal.commit(counting('x')));
      await tried(10);
      other.exec('ROLLBACK');
      const seqs = (await Promise.all(commits)).map(({ entry }) => entry!.seq);
      expect(seqs).toEqual(seqs.map((_, index) => first + index));
    });
    expect(most * standstill()).toBeLessThanOrEqual(50);
  });

  test('for too long, each of many writers is "busy" within its own wait', async () => {
    verifies('KERN-02');
    await setUp(200);
    other.exec('BEGIN IMMEDIATE');
    const started = performance.now();
    const waits = await Promise.all(
      Array.from({ length: 50 }, () =>
        journal.commit(counting('x')).then(
          () => Number.NaN,
          (error: { code: string }) => {
            expect(error.code).toBe('journal_busy');
            return performance.now() - started;
          },
        ),
      ),
    );
    // One wait after the other would take ten seconds.
    expect(Math.max(...waits)).toBeLessThan(5000);
    other.exec('ROLLBACK');
    expect((await journal.commit(counting('x'))).answer).toBe(2);
  });

  test('reads go on', async () => {
    verifies('KERN-02');
    await setUp(10_000);
    other.exec("BEGIN IMMEDIATE; UPDATE counter SET value = 99 WHERE name = 'x'");
    expect(counterValue(journal.database, 'x')).toBe(1);
    expect(journal.entriesAfter(0, 10)).toHaveLength(1);
    expect((await journal.verify()).ok).toBe(true);
    other.exec('ROLLBACK');
  });

  test.each([false, true])(
    'for too long, a commit is "busy", can be retried and wrote nothing (group: %s)',
    async (group) => {
      verifies('KERN-02');
      await setUp(100);
      const before = stateOf(journal);
      other.exec('BEGIN IMMEDIATE');
      let decided = 0;
      const request = counting('x', { group });
      const watched: typeof request = {
        ...request,
        decide: (database, now) => {
          decided++;
          return request.decide(database, now);
        },
      };
      await expect(journal.commit(watched)).rejects.toMatchObject({
        code: 'journal_busy',
        retryable: true,
        retryAfter: expect.any(Number),
      });
      await expect(journal.rebuild()).rejects.toMatchObject({ code: 'journal_busy', retryable: true });
      other.exec('ROLLBACK');
      expect(decided).toBe(0);
      expect(stateOf(journal)).toEqual(before);
      expect((await journal.commit(request)).answer).toBe(2);
    },
  );

  test('closing waits for the commits that wait', async () => {
    await setUp(10_000);
    other.exec('BEGIN IMMEDIATE');
    const waiting = [journal.commit(counting('x')), journal.commit(counting('x', { group: true }))];
    await pause(20);
    const closing = journal.close();
    await pause(20);
    other.exec('ROLLBACK');
    await closing;
    const answers = (await Promise.all(waiting)).map((committed) => committed.answer);
    expect(answers.sort()).toEqual([2, 3]);
  });

  test('a commit that waits survives a rebuild that begins meanwhile, and closing', async () => {
    await setUp(10_000);
    await Promise.all(Array.from({ length: 2500 }, () => journal.commit(counting('x', { group: true }))));
    other.exec('BEGIN IMMEDIATE');
    const waiting = Array.from({ length: 20 }, () => journal.commit(counting('x')));
    await pause(30);
    const rebuilt = journal.rebuild();
    await pause(30);
    other.exec('ROLLBACK');
    const closing = journal.close();
    const answers = (await Promise.all(waiting)).map((committed) => committed.answer);
    expect(answers.sort((one, another) => one - another)).toEqual(answers.map((_, index) => 2502 + index));
    expect((await rebuilt).entries).toBeGreaterThanOrEqual(2501);
    await closing;
  });
});

describe('retryWhileLocked', () => {
  const busy = () => Object.assign(new Error('database is locked'), { errcode: 5 });
  const failingTimes = (times: number, error: () => Error) => () => {
    if (times-- > 0) throw error();
    return 'done';
  };

  test('tries again on a lock only, with SQLite extended codes too', async () => {
    const snapshot = () => Object.assign(new Error('database is locked'), { errcode: 5 | (2 << 8) });
    expect(await retryWhileLocked(failingTimes(3, busy), { wait: 5000 })).toBe('done');
    expect(await retryWhileLocked(failingTimes(3, snapshot), { wait: 5000 })).toBe('done');
    const full = () => Object.assign(new Error('database or disk is full'), { errcode: 13 });
    await expect(retryWhileLocked(failingTimes(1, full), { wait: 5000 })).rejects.toThrow('full');
  });

  test('does not count the time that this process itself held the lock', async () => {
    let work: Promise<void> | undefined = pause(120).then(() => {
      work = undefined;
    });
    const attempt = failingTimes(1, busy);
    expect(await retryWhileLocked(attempt, { wait: 60, ownWork: () => work })).toBe('done');
  });
});
