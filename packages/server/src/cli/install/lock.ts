import { join } from 'node:path';
import { retryWhileLocked } from '../../journal/lock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { makePrivateFolder } from '../../kernel/private-files.ts';
import { isBusy, openDatabase } from '../../kernel/sqlite.ts';

const PATIENCE = 20_000;

/**
 * One process at a time changes files of hosts. SQLite's lock on a file ends with the process that holds it, so that a
 * crash leaves none behind: the next one goes on within 60 ms, where a lock file that has to grow old first
 * (proper-lockfile) would keep it waiting for 10 s.
 */
export async function withLock<T>(data: string, work: () => Promise<T>): Promise<T> {
  makePrivateFolder(data);
  const database = await openDatabase(join(data, 'installs.lock'), { blockingWait: 50 });
  try {
    await retryWhileLocked(() => database.exec('BEGIN EXCLUSIVE'), { wait: PATIENCE }).catch((error) => {
      throw isBusy(error) ? otherIsRunning() : error;
    });
    return await work();
  } finally {
    database.close();
  }
}

function otherIsRunning(): InfoldError {
  return new InfoldError(
    'journal_busy',
    'Another "infold install" or "infold uninstall" is running; try again when it has ended',
    { retryable: true },
  );
}
