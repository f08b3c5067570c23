import { retryWhileLocked } from '../../journal/lock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { isBusy } from '../../kernel/sqlite.ts';

const WAIT = 5000;

/** Waits for other processes without standing still; a caller never sees SQLite's own word for it. */
export async function retryBusy<T>(attempt: () => T): Promise<T> {
  try {
    return await retryWhileLocked(attempt, { wait: WAIT });
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new InfoldError('journal_busy', 'Another process holds the scratch file; try again', {
      retryable: true,
      retryAfter: 1,
      cause: error,
    });
  }
}
