import { dirname } from 'node:path';
import { makePrivateFile, makePrivateFolder } from '../kernel/private-files.ts';
import { isBusy, openDatabase } from '../kernel/sqlite.ts';
import { retryWhileLocked } from './lock.ts';

/**
 * One process at a time does the work; undefined where another one is still at it after `wait` milliseconds. SQLite's lock on
 * a file ends with the process that holds it, so that a crash leaves none behind: the next one goes on within 60 ms, where
 * a lock file that has to grow old first (proper-lockfile) would keep it waiting for 10 s.
 */
export async function withFileLock<T>(
  path: string,
  wait: number,
  work: () => Promise<T>,
): Promise<{ result: T } | undefined> {
  makePrivateFolder(dirname(path));
  makePrivateFile(path);
  const database = await openDatabase(path, { blockingWait: 50 });
  try {
    try {
      await retryWhileLocked(() => database.exec('BEGIN EXCLUSIVE'), { wait });
    } catch (error) {
      if (isBusy(error)) return undefined;
      throw error;
    }
    return { result: await work() };
  } finally {
    database.close();
  }
}
