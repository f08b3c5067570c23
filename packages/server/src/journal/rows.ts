import type { EntryId } from '@infold/protocol';
import { InfoldError } from '../kernel/errors.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { BlobStore } from './blobs.ts';
import { actorOf } from './integrity/chain.ts';
import { type Entry, FORGOTTEN } from './journal.ts';
import type { Projector } from './projections/projector.ts';
import { PROJECTIONS_SINCE, SCHEMA_VERSION } from './schema.ts';
import { readEvents, type WrittenEvent, type WrittenForgotten } from './upcast.ts';

/** What an entry in a file of its own is taken for, without looking at the file. */
const BLOB_BYTES = 1024 * 1024;

export const ENTRY_COLUMNS = 'seq, id, stream, rev, at, actor, cause, data, blob, replaced_by';

export interface EntryRow {
  seq: number;
  id: string;
  stream: string;
  rev: number;
  at: number;
  actor: string;
  cause: string | null;
  data: string | null;
  blob: string | null;
  /** The entry that says what is left of this one, when its data was erased. */
  replaced_by: number | null;
}

/** What a program must know to work with a file. */
export interface FileVersion {
  schema: number;
  /** Which projections the file holds, in which versions. */
  projections: string;
}

export interface HeadRow extends FileVersion {
  seq: number;
  hash: Uint8Array;
}

export function readHead(database: Database): HeadRow {
  return headRow<HeadRow>(database, 'schema, projections, seq, hash');
}

/** Of a file of any version. */
export function readVersion(database: Database): FileVersion {
  const { schema } = headRow<{ schema: number }>(database, 'schema');
  return schema < PROJECTIONS_SINCE ? { schema, projections: '[]' } : readHead(database);
}

export function isCurrent({ schema, projections }: FileVersion, projector: Projector): boolean {
  return schema === SCHEMA_VERSION && projections === projector.versions;
}

export function checkNotNewer(
  { schema, projections }: FileVersion,
  projector: Projector,
  path: string,
): void {
  const newer =
    schema > SCHEMA_VERSION
      ? `schema ${schema}; this one supports ${SCHEMA_VERSION}`
      : // A file of an older schema may hold projections that have gone since.
        schema === SCHEMA_VERSION && projector.newer(projections);
  if (!newer) return;
  throw new InfoldError(
    'storage_newer',
    `${path} was written by a newer Infold (${newer}). Upgrade Infold, or choose another folder with --data`,
  );
}

/** Another process may have upgraded the file under this one, or it was restored from an older backup. */
export function checkCurrent(version: FileVersion, projector: Projector, path: string): void {
  if (isCurrent(version, projector)) return;
  checkNotNewer(version, projector, path);
  throw new InfoldError(
    'storage_invalid',
    `${path} was replaced by an older version (schema ${version.schema}); restart Infold`,
  );
}

export function notReached(seq: number, head: number): InfoldError {
  const message = `The journal is at position ${head} here, and ${seq} was asked for; try again in 1 s`;
  return new InfoldError('unavailable', message, { retryable: true, retryAfter: 1 });
}

function headRow<Row extends object>(database: Database, columns: string): Row {
  const row = database.get<Row>(`SELECT ${columns} FROM journal_head WHERE one = 1`);
  if (!row) throw new InfoldError('storage_invalid', `${database.path} is damaged: its journal has no head`);
  return row;
}

/** What the `data` of a row, or its blob, holds as JSON. */
export interface EntryContent {
  events: WrittenEvent[];
  answer?: unknown;
}

/**
 * Drivers cut text at a NUL and replace a lone surrogate. A name that reads differently from what was hashed would
 * break the chain, so it is refused. Entry data needs no such check: JSON escapes both.
 */
export function checkName(name: string | undefined): void {
  if (name === undefined || !(name.includes('\0') || /\p{Surrogate}/u.test(name))) return;
  throw new InfoldError(
    'invalid_arguments',
    `${JSON.stringify(name)} contains characters that cannot be stored`,
  );
}

/** Of these positions the first (or last) whose entries hold about so many bytes, and at least one. */
export function fittingOf(
  database: Database,
  seqs: readonly number[],
  bytes: number,
  isFromTheEnd: boolean,
): number[] {
  const rows = database.all<{ seq: number; bytes: number | null }>(
    `SELECT seq, octet_length(data) AS bytes FROM journal_entry WHERE seq IN (SELECT value FROM json_each(?))
     ORDER BY seq ${isFromTheEnd ? 'DESC' : ''}`,
    JSON.stringify(seqs),
  );
  let held = 0;
  const end = rows.findIndex((row, index) => {
    held += row.bytes ?? BLOB_BYTES;
    return held > bytes && index > 0;
  });
  return rows.slice(0, end === -1 ? rows.length : end).map(({ seq }) => seq);
}

export interface EntryStore {
  database: Database;
  blobs: BlobStore;
}

export function entryFromRow(row: EntryRow, store: EntryStore): Entry {
  const content = contentOf(row, store);
  return {
    seq: row.seq,
    id: row.id as EntryId,
    stream: row.stream,
    rev: row.rev,
    at: row.at,
    actor: actorOf(row.actor),
    cause: row.cause as EntryId | null,
    ...content,
    events: readEvents(content.events, row, store.database),
    erased: row.data === null && row.blob === null,
  };
}

/** What was written, as it was written. */
export function contentOf(row: EntryRow, store: EntryStore): EntryContent {
  if (row.data === null && row.blob === null) return { events: leftOf(row, store) };
  return JSON.parse(row.data ?? readBlob(row, store.blobs)) as EntryContent;
}

/**
 * Forgetting takes the text out of an entry; its structure is still needed to make the tables again. What is left
 * stands in the entry that records the forgetting, which is chained like any other.
 */
function leftOf({ seq, replaced_by }: EntryRow, store: EntryStore): WrittenEvent[] {
  if (replaced_by === null) return [];
  const row = store.database.get<EntryRow>(
    `SELECT ${ENTRY_COLUMNS} FROM journal_entry WHERE seq = ?`,
    replaced_by,
  );
  for (const { type, data } of row ? contentOf(row, store).events : []) {
    if (type !== FORGOTTEN) continue;
    const left = (data as WrittenForgotten).entries.find((entry) => entry.seq === seq);
    if (left) return left.events;
  }
  throw new InfoldError(
    'storage_invalid',
    `Entry ${seq} was erased, but no event records what is left of it; run "infold verify"`,
  );
}

function readBlob(row: EntryRow, blobs: BlobStore): string {
  const data = blobs.read(row.blob!);
  if (data === undefined) {
    throw new InfoldError(
      'storage_invalid',
      `The data of entry ${row.seq} is missing or damaged (blob ${row.blob}); run "infold verify"`,
    );
  }
  return data;
}

/** In the order of the stream's own index, from its end: what is asked for is what is new. */
export function rowsOfStream(database: Database, stream: string, seq: number, limit: number): EntryRow[] {
  return database.all<EntryRow>(
    `SELECT ${ENTRY_COLUMNS} FROM journal_entry WHERE stream = ?1 AND rev > coalesce(
       (SELECT rev FROM journal_entry WHERE stream = ?1 AND seq <= ?2 ORDER BY rev DESC LIMIT 1), 0)
     ORDER BY rev LIMIT ?3`,
    stream,
    seq,
    limit,
  );
}
