import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { addAbortSignal, Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip, constants as zlib } from 'node:zlib';
import { InfoldError } from '../../kernel/errors.ts';
import { copyDatabase, type Database, isBusy, openDatabase } from '../../kernel/sqlite.ts';
import { BlobStore } from '../blobs.ts';
import { withFileLock } from '../file-lock.ts';
import { hexOf } from '../integrity/chain.ts';
import type { Projector } from '../projections/projector.ts';
import { checkNotNewer, readHead, readVersion } from '../rows.ts';
import { clusterOf, readCursor } from './node.ts';
import { LIST_WAIT, type Stores, within } from './stores.ts';

/** What the stream says of the newest snapshot. */
export interface SnapshotMark {
  /** The object that holds it, and the digest of its bytes. */
  object: string;
  sha256: string;
  bytes: number;
  /** The entry that it reaches to, the hash of the chain there, and how far it followed the stream. */
  seq: number;
  hash: string;
  position: number;
  at: number;
  node: string;
}

const PREFIX = 'snapshot.';
const DATABASE = 'infold.db';
/** Bytes that are packed and unpacked at once: the usual 16 KB make that twice as slow. */
const PIECE = 1 << 20;
const LOCK = 'restoring.lock';
/** Another process of this node may be fetching it. */
const RESTORE_WAIT = 10 * 60_000;
/** A node that is further behind than this begins with the snapshot: to apply so many messages takes about a second. */
const WORTH_IT = 20_000;

export function isSnapshot(object: string): boolean {
  return object.startsWith(PREFIX);
}

export async function lastSnapshot(stores: Stores): Promise<SnapshotMark | undefined> {
  const query = { last_by_subj: stores.subjects.snapshot };
  const message = await stores.manager.streams.getMessage(stores.stream, query);
  return message?.json<SnapshotMark>();
}

/**
 * Puts a copy of a node's file into the object store, names it in the stream, and takes away those before it. Ends with the
 * signal: another node may be at it then.
 */
export async function makeSnapshot(
  stores: Stores,
  { database, node, now }: { database: Database; node: string; now: number },
  lost: AbortSignal,
  onPoint: (point: 'snapshot-made' | 'snapshot-stored') => void = () => {},
): Promise<SnapshotMark> {
  const folder = mkdtempSync(join(database.path, '..', 'snapshot-'));
  try {
    const path = join(folder, DATABASE);
    await copyDatabase(database.path, path);
    const { seq, hash, position } = await strip(path);
    lost.throwIfAborted();
    onPoint('snapshot-made');
    const object = `${PREFIX}${seq}.${now}`;
    const digest = new Digest();
    const packed = createReadStream(path, { highWaterMark: PIECE })
      .pipe(createGzip({ level: zlib.Z_BEST_SPEED, chunkSize: PIECE }))
      .pipe(digest);
    addAbortSignal(lost, packed);
    const objects = await stores.objects();
    await objects.put({ name: object }, Readable.toWeb(packed) as ReadableStream<Uint8Array>);
    onPoint('snapshot-stored');
    lost.throwIfAborted();
    const { sha256, bytes } = digest;
    const mark: SnapshotMark = { object, sha256, bytes, seq, hash: hexOf(hash), position, at: now, node };
    await stores.jetstream.publish(stores.subjects.snapshot, JSON.stringify(mark));
    for (const { name } of await within(LIST_WAIT, objects.list())) {
      if (isSnapshot(name) && name !== object) await stores.erase(objects, name);
    }
    return mark;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What belongs to one process alone goes. */
async function strip(path: string): Promise<{ seq: number; hash: Uint8Array; position: number }> {
  const copy = await openDatabase(path);
  try {
    const caches = copy.all<{ name: string }>(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND name GLOB 'cache_*' AND type IN ('table', 'virtual')`,
    );
    for (const { name } of caches) copy.exec(`DROP TABLE "${name}"`);
    const { seq, hash } = readHead(copy);
    return { seq, hash, position: readCursor(copy).position };
  } finally {
    copy.close();
  }
}

/**
 * Makes the newest snapshot the file of a node that has none, or one far behind. What does not hold what the stream says of it, or
 * was made by a newer program, is left alone: everything can be read from the stream too. Answers whether it was done.
 */
export async function restoreSnapshot(
  stores: Stores,
  folder: string,
  projector: Projector,
): Promise<SnapshotMark | undefined> {
  const mark = await lastSnapshot(stores);
  if (!mark) return undefined;
  // Another process of this node may be at it.
  const restored = await withFileLock(join(folder, LOCK), RESTORE_WAIT, async () => {
    const path = join(folder, DATABASE);
    const old = existsSync(path) ? await openDatabase(path) : undefined;
    try {
      if (old && !isFarBehind(old, mark)) return undefined;
      const isDone = await fetchSnapshot(stores, folder, mark, projector, (fetched) =>
        swap(fetched, path, old),
      );
      return isDone ? mark : undefined;
    } finally {
      old?.close();
    }
  });
  return restored?.result;
}

function isFarBehind(database: Database, { position }: SnapshotMark): boolean {
  // Not a node's: opening it says so.
  if (!database.hasTable('journal_head') || clusterOf(database) === undefined) return false;
  return readCursor(database).position + WORTH_IT < position;
}

async function fetchSnapshot(
  stores: Stores,
  folder: string,
  mark: SnapshotMark,
  projector: Projector,
  take: (path: string) => boolean,
): Promise<boolean> {
  const staging = mkdtempSync(join(folder, 'restoring-'));
  try {
    const path = join(staging, DATABASE);
    const packed = await stores.read(await stores.objects(), mark.object);
    if (!packed) return false;
    const digest = new Digest();
    await pipeline(
      packed,
      digest,
      createGunzip({ chunkSize: PIECE }),
      createWriteStream(path, { mode: 0o600, highWaterMark: 4 * PIECE }),
    );
    if (digest.sha256 !== mark.sha256) return false;
    await checkSnapshot(path, mark, stores, folder, projector);
    sync(path);
    return take(path);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** In one step, so that there is a whole file at any moment; false where another process has the old one open. */
function swap(fetched: string, path: string, old: Database | undefined): boolean {
  try {
    // Nobody else may have it open for that. And no log is left, which would be taken for one of the new file.
    old?.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
  if (!old) for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  renameSync(fetched, path);
  return true;
}

function sync(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Also fetches what its entries name: what is read from there is not waited for later. */
async function checkSnapshot(
  path: string,
  { seq, hash, position }: SnapshotMark,
  stores: Stores,
  folder: string,
  projector: Projector,
): Promise<void> {
  const database = await openDatabase(path);
  try {
    checkNotNewer(readVersion(database), projector, `The newest snapshot of the cluster`);
    const head = readHead(database);
    if (head.seq !== seq || hexOf(head.hash) !== hash || readCursor(database).position !== position) {
      throw new InfoldError('storage_invalid', 'The newest snapshot is not what the journal says of it');
    }
    const blobs = new BlobStore(join(folder, 'blobs'));
    const named = database.all<{ blob: string }>(
      'SELECT DISTINCT blob FROM journal_entry WHERE blob IS NOT NULL',
    );
    for (const { blob } of named) {
      if (blobs.read(blob) !== undefined) continue;
      const data = await stores.getObject(blob);
      if (data !== undefined) blobs.write(data);
    }
  } finally {
    database.close();
  }
}

/** Passes bytes on, and knows what they come to. */
class Digest extends Transform {
  readonly #hash = createHash('sha256');
  bytes = 0;
  #sha256: string | undefined;

  get sha256(): string {
    this.#sha256 ??= this.#hash.digest('hex');
    return this.#sha256;
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error: null, chunk: Buffer) => void): void {
    this.#hash.update(chunk);
    this.bytes += chunk.length;
    done(null, chunk);
  }
}
