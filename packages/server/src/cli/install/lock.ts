import { join } from 'node:path';
import { withFileLock } from '../../journal/file-lock.ts';
import { InfoldError } from '../../kernel/errors.ts';

const PATIENCE = 20_000;

/** One process at a time changes files of hosts. */
export async function withLock<T>(data: string, work: () => Promise<T>): Promise<T> {
  const done = await withFileLock(join(data, 'installs.lock'), PATIENCE, work);
  if (!done) throw otherIsRunning();
  return done.result;
}

function otherIsRunning(): InfoldError {
  return new InfoldError(
    'journal_busy',
    'Another "infold install" or "infold uninstall" is running; try again when it has ended',
    { retryable: true },
  );
}
