import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EntryId } from '@infold/protocol';
import type { StreamInfo } from '@nats-io/jetstream';
import { InfoldError } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { hexOf } from '../integrity/chain.ts';
import { currentKey, type KeyRow, keysOf } from '../integrity/keys.ts';
import type { Head, Progress } from '../journal.ts';
import { retryWhileLocked } from '../lock.ts';
import { contentOf, type EntryContent, type EntryRow, readHead } from '../rows.ts';
import type { SqliteJournal } from '../sqlite.ts';
import { leaveMark } from './erasure.ts';
import { clusterKeys } from './keys.ts';
import { CLUSTER_TABLES, clusterOf, lastForgetting, NODE_FILE, streamId } from './node.ts';
import { type Stores, unavailable } from './stores.ts';
import { writeHeads, writeText } from './wire.ts';

interface MovedRow extends EntryRow {
  chosen: number;
  salt: Uint8Array | null;
  digest: Uint8Array;
}

/** Few, because an entry may hold 256 KB in its row. */
const PAGE = 200;
/** Of the whole folder: somebody else may be writing to it. */
const LOCK_WAIT = 5000;

/**
 * Publishes every entry of a data folder to an empty stream, as it was written: whoever follows the stream reaches the same head.
 * The folder is a node's from then on, also for processes that have it open. What is written to it meanwhile is not lost: then it
 * stays as it is.
 */
export async function moveToCluster(
  journal: SqliteJournal,
  stores: Stores,
  progress?: Progress,
): Promise<Head> {
  const { database } = journal;
  if (clusterOf(database) !== undefined) {
    throw new InfoldError('conflict', `${database.path} belongs to a node of a cluster already`);
  }
  const info = await stores.openStream();
  if (info.state.last_seq > 0) {
    throw new InfoldError(
      'conflict',
      `The stream ${stores.stream} holds ${info.state.messages} messages already; a data folder is moved into an empty one. To join that cluster start "infold serve --nats" with another folder`,
    );
  }
  const head = journal.head();
  const bodies = await publishAll(journal, stores, head, progress);
  await shareKey(journal, stores);
  const last = await stores.info();
  await retryWhileLocked(() => database.exec('BEGIN IMMEDIATE'), { wait: LOCK_WAIT });
  try {
    // With the lock held: whoever writes after it finds that the folder is a node's.
    if (journal.head().hash !== head.hash) {
      throw new InfoldError(
        'conflict',
        `Something was written to ${database.path} meanwhile; stop every Infold that uses it, delete the stream ${stores.stream} and try again`,
      );
    }
    claim(database, stores.stream, last, bodies);
    database.exec('COMMIT');
  } catch (error) {
    database.rollBack();
    throw error;
  }
  return head;
}

/** The folder has followed all of the stream. The caller holds the write transaction. */
function claim(
  database: Database,
  name: string,
  info: StreamInfo,
  bodies: readonly [seq: number, body: number | null][],
): void {
  database.exec(CLUSTER_TABLES);
  for (const [seq, body] of bodies) database.run('INSERT INTO journal_position VALUES (?, ?)', seq, body);
  const position = info.state.last_seq;
  database.run(
    'INSERT INTO journal_cluster VALUES (1, ?, ?, ?, ?)',
    ...[streamId(name, info), position, position + 1, lastForgetting(database)],
  );
}

/** Answers where the body of each entry came to stand. */
async function publishAll(
  journal: SqliteJournal,
  stores: Stores,
  head: Head,
  progress?: Progress,
): Promise<[seq: number, body: number | null][]> {
  const { database } = journal;
  const { jetstream, subjects } = stores;
  const bodies: [number, number | null][] = [];
  const keys = keysOf(database);
  let position = 0;
  for (let after = 0; after < head.seq; ) {
    const rows = database.all<MovedRow>(
      'SELECT * FROM journal_entry WHERE seq > ? ORDER BY seq LIMIT ?',
      after,
      PAGE,
    );
    const published: Promise<unknown>[] = [];
    // Each message says which one it follows: nothing of another writer comes between, and none is left out.
    const publish = (subject: string, text: string) => {
      published.push(jetstream.publish(subject, text, { expect: { lastSequence: position } }));
      position++;
    };
    for (const row of rows) {
      const name = hexOf(row.digest);
      if (row.salt === null) {
        await leaveMark(stores, name, { by: row.replaced_by!, events: contentOf(row, journal).events });
      } else {
        const data = row.data ?? journal.blobs.read(row.blob!);
        if (data === undefined)
          throw new InfoldError('storage_invalid', `Blob ${row.blob} is missing or damaged`);
        if (row.blob !== null) await stores.putObject(row.blob, data);
        publish(subjects.body(row.stream), writeText({ name, salt: row.salt, data, blob: row.blob }));
      }
      bodies.push([row.seq, row.salt === null ? null : position]);
      publish(subjects.head(row.stream), writeHeads([{ ...headOf(row), name, key: keyNamedBy(row, keys) }]));
      after = row.seq;
    }
    try {
      await Promise.all(published);
    } catch (error) {
      throw unavailable(
        `Moving stopped after entry ${after}; delete the stream ${stores.stream} before it is tried again`,
        error,
      );
    }
    progress?.(after, head.seq);
  }
  return bodies;
}

function headOf({ id, chosen, stream, rev, at, actor, cause, digest }: MovedRow) {
  return {
    ...{ id: id as EntryId, chosen: chosen === 1, stream, rev, at, actor, digest },
    cause: cause as EntryId | null,
  };
}

/** The key that is in use from this entry on, where it says so. */
function keyNamedBy({ data }: MovedRow, keys: readonly KeyRow[]): KeyRow | undefined {
  if (!data?.includes('"key.rotated"')) return undefined;
  const { events } = JSON.parse(data) as EntryContent;
  const to = events.find(({ type }) => type === 'key.rotated')?.data as { to: string } | undefined;
  return to && keys.find(({ id }) => id === to.to);
}

/** The key in use signs for the whole cluster. */
async function shareKey({ database, keys }: SqliteJournal, stores: Stores): Promise<void> {
  const row = currentKey(database);
  const pem = row && keys.files.read(row.id);
  if (pem === undefined) return;
  const share = clusterKeys(stores);
  await share.keep(row!, pem);
  await share.promote(row!.id, []);
}

/** The folder of a node becomes one that stands alone, with everything that it has followed. The stream stays as it is. */
export function leaveCluster(database: Database, folder: string): Head {
  if (clusterOf(database) === undefined) {
    throw new InfoldError('conflict', `${database.path} does not belong to a node of a cluster`);
  }
  database.forgetStatements();
  database.exec('BEGIN IMMEDIATE; DROP TABLE journal_cluster; DROP TABLE journal_position; COMMIT');
  rmSync(join(folder, NODE_FILE), { force: true });
  const { seq, hash } = readHead(database);
  return { seq, hash: hexOf(hash) };
}
