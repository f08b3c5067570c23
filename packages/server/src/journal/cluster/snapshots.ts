import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip, constants as zlib } from 'node:zlib';
import { InfoldError } from '../../kernel/errors.ts';
import { makePrivateFolder } from '../../kernel/private-files.ts';
import { copyDatabase, type Database, openDatabase } from '../../kernel/sqlite.ts';
import { BlobStore } from '../blobs.ts';
import { hexOf } from '../integrity/chain.ts';
import { readHead, readVersion } from '../rows.ts';
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
/** A node that is further behind than this begins with the snapshot: to apply so many messages takes about a second. */
const WORTH_IT = 20_000;

export async function lastSnapshot(stores: Stores): Promise<SnapshotMark | undefined> {
  const query = { last_by_subj: stores.subjects.snapshot };
  const message = await stores.manager.streams.getMessage(stores.stream, query);
  return message?.json<SnapshotMark>();
}

/** Puts a copy of a node's file into the object store, names it in the stream, and takes away those before it. */
export async function makeSnapshot(
  stores: Stores,
  { database, node, now }: { database: Database; node: string; now: number },
  onPoint: (point: 'snapshot-made' | 'snapshot-stored') => void = () => {},
): Promise<SnapshotMark> {
  const folder = mkdtempSync(join(database.path, '..', 'snapshot-'));
  try {
    const path = join(folder, DATABASE);
    await copyDatabase(database.path, path);
    const { seq, hash, position } = await strip(path);
    onPoint('snapshot-made');
    const object = `${PREFIX}${seq}.${now}`;
    const digest = new Digest();
    const packed = createReadStream(path, { highWaterMark: PIECE })
      .pipe(createGzip({ level: zlib.Z_BEST_SPEED, chunkSize: PIECE }))
      .pipe(digest);
    const objects = await stores.objects();
    await objects.put({ name: object }, Readable.toWeb(packed) as ReadableStream<Uint8Array>);
    onPoint('snapshot-stored');
    const { sha256, bytes } = digest;
    const mark: SnapshotMark = { object, sha256, bytes, seq, hash: hexOf(hash), position, at: now, node };
    await stores.jetstream.publish(stores.subjects.snapshot, JSON.stringify(mark));
    for (const { name } of await within(LIST_WAIT, objects.list())) {
      if (name.startsWith(PREFIX) && name !== object) await objects.delete(name);
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
 * Makes the newest snapshot the file of a node that has none, or one far behind. What does not hold what the stream says of it is
 * left alone: everything can be read from the stream too. Answers whether it was done.
 */
export async function restoreSnapshot(stores: Stores, folder: string): Promise<SnapshotMark | undefined> {
  const mark = await lastSnapshot(stores);
  if (!mark || !(await isWorthIt(join(folder, DATABASE), mark))) return undefined;
  makePrivateFolder(folder);
  const staging = mkdtempSync(join(folder, 'restoring-'));
  try {
    const path = join(staging, DATABASE);
    const packed = await stores.read(await stores.objects(), mark.object);
    if (!packed) return undefined;
    const digest = new Digest();
    await pipeline(
      packed,
      digest,
      createGunzip({ chunkSize: PIECE }),
      createWriteStream(path, { mode: 0o600, highWaterMark: 4 * PIECE }),
    );
    if (digest.sha256 !== mark.sha256) return undefined;
    await checkSnapshot(path, mark, stores, folder);
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `${DATABASE}${suffix}`), { force: true });
    renameSync(path, join(folder, DATABASE));
    return mark;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function isWorthIt(path: string, { position }: SnapshotMark): Promise<boolean> {
  if (!existsSync(path)) return true;
  const database = await openDatabase(path, { readOnly: true });
  try {
    // Not a node's: opening it says so.
    if (!database.hasTable('journal_head') || clusterOf(database) === undefined) return false;
    return readCursor(database).position + WORTH_IT < position;
  } finally {
    database.close();
  }
}

/** Also fetches what its entries name: what is read from there is not waited for later. */
async function checkSnapshot(
  path: string,
  { seq, hash, position }: SnapshotMark,
  stores: Stores,
  folder: string,
): Promise<void> {
  const database = await openDatabase(path);
  try {
    readVersion(database);
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
