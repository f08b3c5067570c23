import type { Database } from '../kernel/sqlite.ts';
import type { BlobStore } from './blobs.ts';

/**
 * Takes the data out of entries. The digests stay, so that the chain still verifies; the salts go, so that they tell
 * nothing. Answers the blobs that may now belong to nobody.
 */
export function eraseEntries(database: Database, seqs: readonly number[], by: number): string[] {
  const list = JSON.stringify(seqs);
  const blobs = database.all<{ blob: string }>(
    'SELECT blob FROM journal_entry WHERE blob IS NOT NULL AND seq IN (SELECT value FROM json_each(?))',
    list,
  );
  database.run(
    `UPDATE journal_entry SET data = NULL, blob = NULL, salt = NULL, replaced_by = ?
     WHERE seq IN (SELECT value FROM json_each(?))`,
    by,
    list,
  );
  return blobs.map(({ blob }) => blob);
}

/** A word of a removed row stays in a full-text index until its part is merged: erasing cannot wait for that. */
export function mergeTextIndexes(database: Database): void {
  const indexes = database.all<{ name: string }>(
    `SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5%'`,
  );
  for (const { name } of indexes) database.exec(`INSERT INTO "${name}" ("${name}") VALUES ('optimize')`);
}

export interface Erased {
  /** Names of blobs that may now belong to nobody. */
  blobs: readonly string[];
  thorough: boolean;
}

/** Once the erasure is durable: files that no entry names any more, and old pages in the write-ahead log. */
export function cleanUpAfterErasing(database: Database, store: BlobStore, { blobs, thorough }: Erased): void {
  for (const name of blobs) {
    const named = database.get('SELECT 1 FROM journal_entry WHERE blob = ? LIMIT 1', name);
    if (!named) store.erase(name);
  }
  if (!thorough) return;
  database.settle();
  database.get('PRAGMA wal_checkpoint(TRUNCATE)');
}
