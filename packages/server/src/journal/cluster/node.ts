import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { StreamInfo } from '@nats-io/jetstream';
import { InfoldError } from '../../kernel/errors.ts';
import { randomId } from '../../kernel/ids.ts';
import { writePrivateFile } from '../../kernel/private-files.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { readHead } from '../rows.ts';

/** What makes a data folder a node's. */
export const CLUSTER_TABLES = `
CREATE TABLE IF NOT EXISTS journal_cluster (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  stream TEXT NOT NULL,
  position INTEGER NOT NULL,
  oldest INTEGER NOT NULL,
  forgotten INTEGER NOT NULL
) STRICT;
-- Where the body of each entry stands in the stream, so that it can be erased there.
CREATE TABLE IF NOT EXISTS journal_position (seq INTEGER PRIMARY KEY, body INTEGER) STRICT;
-- A node asks in a schedule of its own what was erased, and which entries still name an object: never of the whole journal.
CREATE INDEX IF NOT EXISTS journal_entry_replaced ON journal_entry (replaced_by) WHERE replaced_by IS NOT NULL;
CREATE INDEX IF NOT EXISTS journal_entry_blob ON journal_entry (blob) WHERE blob IS NOT NULL;
`;

/** How far a node has followed the stream. */
export interface Cursor {
  /** Which stream: its name and when it was made. */
  stream: string;
  /** Everything up to here was applied. */
  position: number;
  /** From here on there may be bodies whose headers come later. */
  oldest: number;
}

export function readCursor(database: Database): Cursor {
  return {
    ...database.get<Cursor & Record<string, never>>('SELECT stream, position, oldest FROM journal_cluster')!,
  };
}

/** The newest entry that erased others; 0 where none did. */
export function lastForgetting(database: Database): number {
  const sql = 'SELECT max(replaced_by) AS seq FROM journal_entry WHERE replaced_by IS NOT NULL';
  return database.get<{ seq: number | null }>(sql)!.seq ?? 0;
}

export function writeCursor(database: Database, { position, oldest }: Cursor): void {
  database.run('UPDATE journal_cluster SET position = ?, oldest = ?', position, oldest);
}

/** Which cluster a data folder belongs to, where it is a node's. */
export function clusterOf(database: Database): string | undefined {
  if (!database.hasTable('journal_cluster')) return undefined;
  return database.get<{ stream: string }>('SELECT stream FROM journal_cluster')?.stream;
}

/** One that was deleted and made again is another one. */
export function streamId(name: string, { created }: Pick<StreamInfo, 'created'>): string {
  return `${name} ${created}`;
}

/** Makes the folder follow this stream, if it follows none yet and holds nothing of its own. */
export function claimFolder(database: Database, name: string, info: StreamInfo): Cursor {
  const stream = streamId(name, info);
  database.exec('BEGIN IMMEDIATE');
  try {
    const known = database.get<{ stream: string }>('SELECT stream FROM journal_cluster');
    if (!known) {
      if (readHead(database).seq > 0) {
        throw new InfoldError(
          'conflict',
          `${database.path} has a journal of its own; move it into the cluster with "infold migrate --to nats", or choose another folder with --data`,
        );
      }
      database.run('INSERT INTO journal_cluster VALUES (1, ?, 0, 1, 0)', stream);
    } else if (known.stream !== stream) {
      throw new InfoldError(
        'conflict',
        `${database.path} belongs to another cluster (${known.stream}; this one is ${stream}); choose another folder with --data`,
      );
    }
    database.exec('COMMIT');
  } catch (error) {
    database.rollBack();
    throw error;
  }
  const cursor = readCursor(database);
  const lost = lostFrom(database, name, info, cursor.position);
  if (lost) throw lost;
  return cursor;
}

/** Why a stream is not the one that this file followed up to a position, where it is not. */
export function lostFrom(
  database: Database,
  name: string,
  { created, state }: Pick<StreamInfo, 'created' | 'state'>,
  position: number,
): InfoldError | undefined {
  const isOther = clusterOf(database) !== streamId(name, { created });
  if (position <= state.last_seq && !isOther) return undefined;
  const found = isOther ? `the stream in NATS was made anew at ${created}` : `NATS has ${state.last_seq}`;
  return new InfoldError(
    'conflict',
    `NATS has lost entries: ${database.path} follows the journal up to message ${position}, and ${found}. See "What fails, and what to do" in docs/operations.md`,
  );
}

/** The name of a node in its folder. */
export const NODE_FILE = 'node';

/** Kept in the folder, and not in the database: that may come from another node. */
export function nodeName(folder: string): string {
  const path = join(folder, NODE_FILE);
  try {
    const name = readFileSync(path, 'utf8').trim();
    if (name !== '') return name;
  } catch {
    // The first start.
  }
  const host = hostname()
    .replace(/[^\w-]/g, '-')
    .slice(0, 40);
  const name = `${host}-${randomId('node').slice(-6)}`;
  writePrivateFile(path, `${name}\n`);
  return name;
}
