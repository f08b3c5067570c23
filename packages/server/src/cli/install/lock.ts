import { join } from 'node:path';
import { sleep } from '../../kernel/clock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { makePrivateFolder } from '../../kernel/private-files.ts';
import { isBusy, openDatabase } from '../../kernel/sqlite.ts';

const PATIENCE = 20_000;

/**
 * One process at a time changes files of hosts. SQLite's lock on a file ends with the process that holds it, so that a
 * crash leaves none behind.
 */
export async function withLock<T>(data: string, work: () => Promise<T>): Promise<T> {
  makePrivateFolder(data);
  const database = await openDatabase(join(data, 'installs.lock'), { blockingWait: 50 });
  try {
    const deadline = Date.now() + PATIENCE;
    for (;;) {
      try {
        database.exec('BEGIN EXCLUSIVE');
        break;
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (Date.now() > deadline) {
          throw new InfoldError(
            'journal_busy',
            'Another "infold install" or "infold uninstall" is running; try again when it has ended',
            {
              retryable: true,
            },
          );
        }
      }
      await sleep(20 + Math.random() * 60);
    }
    return await work();
  } finally {
    database.close();
  }
}
