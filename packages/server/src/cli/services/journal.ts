import { existsSync } from 'node:fs';
import { mayOnlyBeRead } from '../../journal/open.ts';
import { SqliteJournal } from '../../journal/sqlite.ts';
import { type Config, DEFAULT_DATA } from '../../kernel/config.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { progressBar } from '../progress-bar.ts';
import { PROJECTIONS } from './projections.ts';

export async function openJournal(config: Config): Promise<SqliteJournal> {
  const bar = progressBar('upgrading the data folder');
  try {
    return await SqliteJournal.open({
      folder: config.data,
      projections: PROJECTIONS,
      limits: config.limits,
      onRebuild: bar.update,
    });
  } finally {
    bar.done();
  }
}

/** For commands that look at what is there: a mistyped folder is not made, and not taken for an empty one. */
export async function openExistingJournal(config: Config): Promise<SqliteJournal> {
  if (!existsSync(config.data) && config.data !== DEFAULT_DATA) {
    throw new InfoldError('not_found', `There is no data folder ${config.data}; check --data`);
  }
  return openJournal(config);
}

/** To serve from: every call of an agent writes. */
export async function openJournalToServe(config: Config): Promise<SqliteJournal> {
  const journal = await openJournal(config);
  if (!mayOnlyBeRead(journal.database.path)) return journal;
  await journal.close();
  throw new InfoldError(
    'storage_read_only',
    `${journal.database.path} is read-only and cannot be written. It can be verified and searched from the command line`,
  );
}
