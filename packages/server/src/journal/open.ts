import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sleep } from '../kernel/clock.ts';
import { InfoldError } from '../kernel/errors.ts';
import { type Database, isBusy, openDatabase, storageError } from '../kernel/sqlite.ts';
import { BlobStore } from './blobs.ts';
import { GENESIS } from './integrity/chain.ts';
import type { Progress } from './journal.ts';
import type { Projector } from './projections/projector.ts';
import { rebuildProjections } from './projections/rebuild.ts';
import { checkNotNewer, type FileVersion, isCurrent, readVersion } from './rows.ts';
import { JOURNAL_TABLES, PROJECTIONS_SINCE, SCHEMA_VERSION } from './schema.ts';

/** "INFO" in ASCII: tells our file from another program's SQLite database. */
const APPLICATION_ID = 0x494e464f;
const OPEN_WAIT = 10_000;

export async function openJournalDatabase(
  path: string,
  projector: Projector,
  onRebuild?: Progress,
): Promise<Database> {
  if (mayOnlyBeRead(path)) return openForReading(path, projector);
  const deadline = performance.now() + OPEN_WAIT;
  for (;;) {
    let database: Database | undefined;
    try {
      database = await openDatabase(path);
      await prepare(database, projector, onRebuild);
      return database;
    } catch (error) {
      database?.close();
      if (!isBusy(error) || performance.now() > deadline) throw storageError(error, path);
      await sleep(5 + Math.random() * 30);
    }
  }
}

/** Another user's folder, or one on a medium that cannot be written: it can still be verified and searched. */
export function mayOnlyBeRead(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    for (const place of [path, dirname(path)]) accessSync(place, constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

async function openForReading(path: string, projector: Projector): Promise<Database> {
  let database: Database | undefined;
  try {
    // With a log there may be a writer, or what a writer left behind: then it must be read too.
    database = await openDatabase(path, { readOnly: true, immutable: !existsSync(`${path}-wal`) });
    const version = fileVersion(database);
    if (version && isCurrent(version, projector)) return database;
    if (version) checkNotNewer(version, projector, path);
    throw new InfoldError(
      'storage_read_only',
      `${path} was written by another version (schema ${version?.schema ?? 'none'}) and cannot be upgraded, because it is read-only`,
    );
  } catch (error) {
    database?.close();
    throw storageError(error, path);
  }
}

async function prepare(database: Database, projector: Projector, onRebuild?: Progress): Promise<void> {
  // Looked at before anything is set: another program's file must stay as it is.
  database.exec('BEGIN');
  let version = fileVersion(database);
  database.exec('COMMIT');
  // WAL is what lets readers and one writer work at the same time, in any number of processes.
  database.exec('PRAGMA journal_mode = WAL');
  configureConnection(database);
  if (version && isCurrent(version, projector)) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have made the file ready while this one waited for the lock.
    version = fileVersion(database);
    if (version === undefined) create(database, projector);
    else {
      checkNotNewer(version, projector, database.path);
      await upgrade(database, version, projector, onRebuild);
    }
    database.exec('COMMIT');
  } catch (error) {
    database.rollBack();
    throw error;
  }
}

export function configureConnection(database: Database): void {
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF; PRAGMA secure_delete = ON;');
  // Commits touch the same few pages over and over: the later they are copied into the file, the fewer copies.
  database.exec('PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000;');
}

/** Undefined for an empty file. Reads twice, so the caller holds a transaction: the file may be made meanwhile. */
function fileVersion(database: Database): FileVersion | undefined {
  const id = database.get<{ application_id: number }>('PRAGMA application_id')!.application_id;
  if (id !== APPLICATION_ID) {
    const tables = database.get<{ count: number }>('SELECT count(*) AS count FROM sqlite_schema')!.count;
    if (tables > 0) {
      throw new InfoldError('storage_invalid', `${database.path} belongs to another program`);
    }
    return undefined;
  }
  return readVersion(database);
}

function create(database: Database, projector: Projector): void {
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  database.exec(JOURNAL_TABLES);
  projector.createTables(database);
  database.run(
    'INSERT INTO journal_head (one, schema, projections, seq, hash) VALUES (1, ?, ?, 0, ?)',
    SCHEMA_VERSION,
    projector.versions,
    GENESIS,
  );
}

/** The journal's own tables have only been added to since version 1. Projections are never migrated: they are made anew. */
async function upgrade(
  database: Database,
  { schema, projections }: FileVersion,
  projector: Projector,
  onRebuild?: Progress,
): Promise<void> {
  database.exec(JOURNAL_TABLES);
  if (schema < PROJECTIONS_SINCE) {
    database.exec(`ALTER TABLE journal_head ADD COLUMN projections TEXT NOT NULL DEFAULT '[]'`);
  }
  const blobs = new BlobStore(join(dirname(database.path), 'blobs'));
  await rebuildProjections(database, projector.outdated(projections), blobs, onRebuild);
  database.run(
    'UPDATE journal_head SET schema = ?, projections = ? WHERE one = 1',
    SCHEMA_VERSION,
    projector.versions,
  );
}
