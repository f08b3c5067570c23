import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { InfoldError } from '../kernel/errors.ts';
import { type Database, openDatabase, storageError } from '../kernel/sqlite.ts';
import { BlobStore } from './blobs.ts';
import type { VerifyReport } from './journal.ts';
import { verifyChain } from './verify.ts';

const TABLE =
  'CREATE TABLE journal_backup_blob (name TEXT PRIMARY KEY, data TEXT NOT NULL) STRICT, WITHOUT ROWID';

/**
 * A copy of the data folder in one file, made while others go on writing, and verified before it gets its name.
 * Copying anew leaves nothing of erased data in unused pages.
 */
export async function backUp(database: Database, blobs: BlobStore, file: string): Promise<VerifyReport> {
  const target = resolve(file);
  if (existsSync(target))
    throw new InfoldError('conflict', `${target} exists; a backup does not overwrite it`);
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  try {
    database.sql('VACUUM INTO ?').run(partial);
    let report: VerifyReport;
    const copy = await openDatabase(partial);
    try {
      copy.exec(`PRAGMA synchronous = FULL; ${TABLE}; BEGIN IMMEDIATE`);
      for (const { blob } of referredBlobs(copy)) {
        const data = blobs.read(blob);
        if (data === undefined)
          throw new InfoldError('storage_invalid', `Blob ${blob} is missing or damaged`);
        copy.run('INSERT INTO journal_backup_blob VALUES (?, ?)', blob, data);
      }
      copy.exec('COMMIT');
      report = await verifyChain(copy, backedUpBlobs(copy));
    } finally {
      copy.close();
    }
    if (!report.ok) throw new InfoldError('storage_invalid', damage(report));
    renameSync(partial, target);
    return report;
  } catch (error) {
    rmSync(partial, { force: true });
    throw storageError(error, target);
  }
}

/** Puts a backup in place as a data folder that has none yet. */
export async function restore(file: string, folder: string): Promise<VerifyReport> {
  const source = resolve(file);
  if (!existsSync(source)) throw new InfoldError('not_found', `There is no file ${source}`);
  const target = join(folder, 'infold.db');
  if (existsSync(target)) {
    throw new InfoldError(
      'conflict',
      `${folder} already holds data; restore into another folder with --data`,
    );
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  const backup = await openDatabase(source, { readOnly: true });
  try {
    backup.sql('VACUUM INTO ?').run(partial);
  } catch (error) {
    throw storageError(error, source);
  } finally {
    backup.close();
  }
  try {
    const report = await unpack(partial, new BlobStore(join(folder, 'blobs')));
    renameSync(partial, target);
    return report;
  } finally {
    rmSync(partial, { force: true });
  }
}

async function unpack(path: string, blobs: BlobStore): Promise<VerifyReport> {
  const copy = await openDatabase(path);
  try {
    const packed = copy.get(`SELECT 1 FROM sqlite_schema WHERE name = 'journal_backup_blob'`);
    if (!packed)
      throw new InfoldError('storage_invalid', `${dirname(path)}: the file is no backup of Infold`);
    for (const { name, data } of copy.iterate<{ name: string; data: string }>(
      'SELECT * FROM journal_backup_blob',
    )) {
      if (blobs.write(data) !== name) throw new InfoldError('storage_invalid', `Blob ${name} is damaged`);
    }
    copy.exec('DROP TABLE journal_backup_blob; VACUUM');
    const report = await verifyChain(copy, blobs);
    if (!report.ok) throw new InfoldError('storage_invalid', damage(report));
    return report;
  } catch (error) {
    throw storageError(error, path);
  } finally {
    copy.close();
  }
}

function referredBlobs(database: Database): { blob: string }[] {
  return database.all<{ blob: string }>('SELECT DISTINCT blob FROM journal_entry WHERE blob IS NOT NULL');
}

/** Reads blobs out of the backup itself: what was packed is what is verified. */
function backedUpBlobs(copy: Database): BlobStore {
  const store = new BlobStore('');
  store.read = (name) =>
    copy.get<{ data: string }>('SELECT data FROM journal_backup_blob WHERE name = ?', name)?.data;
  return store;
}

function damage({ first }: VerifyReport): string {
  return `The journal is damaged at entry ${first?.seq}: ${first?.problem}`;
}
