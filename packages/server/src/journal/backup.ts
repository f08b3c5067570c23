import { existsSync, linkSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { InfoldError } from '../kernel/errors.ts';
import { makePrivateFile, makePrivateFolder } from '../kernel/private-files.ts';
import { type Database, openDatabase, storageError } from '../kernel/sqlite.ts';
import { BlobStore } from './blobs.ts';
import { currentKey, KeyFiles } from './integrity/keys.ts';
import { verifyChain } from './integrity/verify.ts';
import type { Journal, VerifyReport } from './journal.ts';

const DATABASE = 'infold.db';
const BLOBS = 'blobs';
const KEYS = 'keys';
const SUFFIXES = ['-wal', '-shm', '-journal'];

export interface Restored extends VerifyReport {
  /** Where leftovers of an earlier database were moved to. */
  aside: string | null;
  /** Tables of the copy that were not what its journal makes of them, and were made anew. */
  rebuilt: string[];
}

const TABLES = `
CREATE TABLE journal_backup_blob (name TEXT PRIMARY KEY, data TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE journal_backup_key (id TEXT PRIMARY KEY, pem TEXT NOT NULL) STRICT, WITHOUT ROWID;`;

/** What makes a folder a node's of a cluster: who restores the copy has a journal of their own. */
const LEAVE_CLUSTER = 'DROP TABLE IF EXISTS journal_cluster; DROP TABLE IF EXISTS journal_position;';

/**
 * A copy of the data folder in one file, made while others go on writing, and verified before it gets its name.
 * Copying anew leaves nothing of erased data in unused pages. Where `keys` are given, the copy can sign as the folder does.
 */
export async function backUp(
  database: Database,
  blobs: BlobStore,
  file: string,
  keys?: KeyFiles,
): Promise<VerifyReport> {
  const target = resolve(file);
  if (existsSync(target))
    throw new InfoldError('conflict', `${target} already exists; a backup never overwrites a file`);
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  try {
    makePrivateFile(partial);
    database.settle();
    database.sql('VACUUM INTO ?').run(partial);
    let report: VerifyReport;
    const copy = await openDatabase(partial);
    try {
      copy.exec(`PRAGMA synchronous = FULL; ${TABLES} BEGIN IMMEDIATE; ${LEAVE_CLUSTER}`);
      for (const { blob } of referredBlobs(copy)) {
        const data = blobs.read(blob);
        if (data === undefined)
          throw new InfoldError('storage_invalid', `Blob ${blob} is missing or damaged`);
        copy.run('INSERT INTO journal_backup_blob VALUES (?, ?)', blob, data);
      }
      const key = currentKey(copy);
      const pem = key && keys?.read(key.id);
      if (pem !== undefined) copy.run('INSERT INTO journal_backup_key VALUES (?, ?)', key!.id, pem);
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

/** Opens a data folder as the program that will serve it does. */
export type OpenFolder = (folder: string) => Promise<Journal>;

/**
 * Puts a backup in place as a data folder that has none yet. It is unpacked, opened and verified beside its place
 * first, so that a failure changes nothing. What an earlier database left behind (a write-ahead log would be taken
 * for the new one's) is moved aside.
 */
export async function restore(file: string, folder: string, open: OpenFolder): Promise<Restored> {
  const source = resolve(file);
  if (!existsSync(source)) throw new InfoldError('not_found', `There is no file ${source}`);
  const target = join(folder, DATABASE);
  if (existsSync(target)) throw occupied(folder);
  const isNew = !existsSync(folder);
  makePrivateFolder(folder);
  const staging = mkdtempSync(join(folder, 'restoring-'));
  try {
    await unpack(source, staging);
    const journal = await open(staging);
    let report: VerifyReport;
    let rebuilt: string[] = [];
    try {
      report = await journal.verify();
      if (!report.ok) throw new InfoldError('storage_invalid', damage(report));
      // What is served comes from the tables, and the journal alone was verified so far.
      const { ok, different } = await journal.verifyTables();
      if (!ok) {
        await journal.rebuild();
        rebuilt = different;
      }
      // The file alone is moved: nothing may be left in its log, whether or not the driver is done with it.
      journal.database.get('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      await journal.close();
    }
    const aside = moveLeftoversAside(folder);
    for (const name of [BLOBS, KEYS]) {
      if (existsSync(join(staging, name))) renameSync(join(staging, name), join(folder, name));
    }
    placeAlone(join(staging, DATABASE), target, folder);
    return { ...report, aside, rebuilt };
  } catch (error) {
    // What was made for this restore alone goes with it; the folder is emptied below.
    if (isNew) rmSync(folder, { recursive: true, force: true });
    throw storageError(error, source);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Unlike renaming, linking never replaces what another process put there meanwhile. */
function placeAlone(staged: string, target: string, folder: string): void {
  try {
    linkSync(staged, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw occupied(folder);
    // Some file systems know no links.
    renameSync(staged, target);
  }
}

function moveLeftoversAside(folder: string): string | null {
  const leftovers = [...SUFFIXES.map((suffix) => `${DATABASE}${suffix}`), BLOBS, KEYS].filter((name) =>
    existsSync(join(folder, name)),
  );
  if (leftovers.length === 0) return null;
  const aside = mkdtempSync(join(folder, 'before-restore-'));
  for (const name of leftovers) renameSync(join(folder, name), join(aside, name));
  return aside;
}

function occupied(folder: string): InfoldError {
  return new InfoldError('conflict', `${folder} already holds data; restore into another folder with --data`);
}

/** The database and the blobs of a backup, as a data folder has them. */
async function unpack(source: string, folder: string): Promise<void> {
  const path = join(folder, DATABASE);
  makePrivateFile(path);
  const backup = await openDatabase(source, { readOnly: true });
  try {
    backup.sql('VACUUM INTO ?').run(path);
  } finally {
    backup.close();
  }
  const blobs = new BlobStore(join(folder, BLOBS));
  const copy = await openDatabase(path);
  try {
    if (!copy.hasTable('journal_backup_blob'))
      throw new InfoldError('storage_invalid', `${source} is not an Infold backup`);
    for (const { name, data } of copy.iterate<{ name: string; data: string }>(
      'SELECT * FROM journal_backup_blob',
    )) {
      if (blobs.write(data) !== name) throw new InfoldError('storage_invalid', `Blob ${name} is damaged`);
    }
    // Backups of earlier versions have no keys.
    if (copy.hasTable('journal_backup_key')) {
      const keys = new KeyFiles(join(folder, KEYS));
      for (const { id, pem } of copy.all<{ id: string; pem: string }>('SELECT * FROM journal_backup_key')) {
        keys.write(id, pem);
      }
    }
    copy.forgetStatements();
    copy.exec('DROP TABLE journal_backup_blob; DROP TABLE IF EXISTS journal_backup_key; VACUUM');
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
