import { type Proof, proofSchema } from '@infold/protocol';
import { giveWay } from '../../kernel/background.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { BlobStore } from '../blobs.ts';
import { readHead } from '../rows.ts';
import {
  actorOf,
  actorText,
  bodyDigest,
  bytesOf,
  type EntryHeader,
  entryHash,
  equalBytes,
  GENESIS,
  hexOf,
} from './chain.ts';
import {
  CHECKPOINT_INTERVAL,
  checkpointText,
  hashesAfter,
  intervalRoots,
  lastCheckpoint,
  type SignedCheckpoint,
} from './checkpoints.ts';
import { isSignedBy, keyIdOf, keysOf, type SigningKeys } from './keys.ts';
import { leafHash, pathOf, rootFrom, rootOf } from './merkle.ts';

interface ProvenRow extends EntryHeader {
  salt: Uint8Array | null;
  data: string | null;
  blob: string | null;
  hash: Uint8Array;
}

export interface ProofStore {
  database: Database;
  blobs: BlobStore;
  keys: SigningKeys;
}

/** Entries that are looked through at once for an id. */
const PAGE = 2000;

/** The position of an entry, by its id. Only ids that callers chose have an index, so the others are looked for. */
export async function positionOf(database: Database, id: string): Promise<number | undefined> {
  const chosen = database.get<{ seq: number }>(
    'SELECT seq FROM journal_entry WHERE id = ? AND chosen = 1',
    id,
  );
  if (chosen) return chosen.seq;
  for (let end = readHead(database).seq; end > 0; end -= PAGE) {
    const found = database.get<{ seq: number }>(
      'SELECT seq FROM journal_entry WHERE seq > ? AND seq <= ? AND id = ?',
      end - PAGE,
      end,
      id,
    );
    if (found) return found.seq;
    await giveWay();
  }
  return undefined;
}

/**
 * Under the last checkpoint; an entry that is newer than that is proven under one that is made for it at the head and not
 * kept. All checkpoints that are due have been made.
 */
export async function proveEntry(store: ProofStore, seq: number, withBody: boolean): Promise<Proof> {
  const { database } = store;
  const row = database.get<ProvenRow>('SELECT * FROM journal_entry WHERE seq = ?', seq);
  if (!row)
    throw new InfoldError('not_found', `There is no entry ${seq}; the newest is ${readHead(database).seq}`);
  const checkpoint = await checkpointFor(store, seq);
  const interval = Math.floor((seq - 1) / CHECKPOINT_INTERVAL);
  const { id, stream, rev, at, actor, cause, digest } = row;
  const proof: Proof = {
    format: 'infold-proof/1',
    entry: { seq, id, stream, rev, at, actor: actorOf(actor), cause, digest: hexOf(digest) },
    previous: hexOf(seq === 1 ? GENESIS : hashesAfter(database, seq - 2, 1)[0]!),
    path: {
      interval: pathOf(leavesOf(database, interval, checkpoint.seq), (seq - 1) % CHECKPOINT_INTERVAL),
      journal: pathOf(rootsUpTo(database, checkpoint.seq), interval),
    },
    checkpoint: shownCheckpoint(database, checkpoint),
    ...(withBody ? { body: bodyOf(store, row) } : {}),
  };
  const problem = problemOf(proof);
  if (problem) throw unprovable(seq, problem);
  return proof;
}

/** With the key that signed it. */
export function shownCheckpoint(
  database: Database,
  { seq, root, hash, key, signature }: Omit<SignedCheckpoint, 'intervalRoot'>,
): Proof['checkpoint'] {
  const publicKey = keysOf(database).find(({ id }) => id === key)?.public_key;
  if (!publicKey) throw unprovable(seq, `the key ${key} is not known`);
  const public_key = Buffer.from(publicKey).toString('base64');
  return { seq, root, hash, key: { id: key, public_key }, signature };
}

async function checkpointFor(
  { database, keys }: ProofStore,
  seq: number,
): Promise<Omit<SignedCheckpoint, 'intervalRoot'>> {
  const last = lastCheckpoint(database);
  return last && last.seq >= seq ? last : checkpointAtHead({ database, keys }, seq);
}

/** Signed now, and not kept. */
export async function checkpointAtHead(
  { database, keys }: Pick<ProofStore, 'database' | 'keys'>,
  seq: number,
): Promise<Omit<SignedCheckpoint, 'intervalRoot'>> {
  const key = await keys.current();
  const head = readHead(database);
  if (head.seq - (lastCheckpoint(database)?.seq ?? 0) > CHECKPOINT_INTERVAL) {
    throw unprovable(seq, 'it is not under a checkpoint yet');
  }
  const checkpoint = { seq: head.seq, root: rootOf(rootsUpTo(database, head.seq)), hash: hexOf(head.hash) };
  return { ...checkpoint, key: key.id, signature: hexOf(key.sign(checkpointText(checkpoint))) };
}

/** Leaves of an interval, as far as they stand under a checkpoint at `end`. */
function leavesOf(database: Database, interval: number, end: number): string[] {
  const first = interval * CHECKPOINT_INTERVAL;
  return hashesAfter(database, first, Math.min(CHECKPOINT_INTERVAL, end - first)).map(leafHash);
}

/** Of every interval that a checkpoint at `end` covers, the last one whole or not. */
export function rootsUpTo(database: Database, end: number): string[] {
  const roots = intervalRoots(database, end);
  if (roots.length * CHECKPOINT_INTERVAL < end) roots.push(rootOf(leavesOf(database, roots.length, end)));
  return roots;
}

export function bodyOf(
  { blobs }: Pick<ProofStore, 'blobs'>,
  row: Pick<ProvenRow, 'seq' | 'salt' | 'data' | 'blob'>,
): NonNullable<Proof['body']> {
  const data = row.data ?? (row.blob === null ? undefined : blobs.read(row.blob));
  if (row.salt !== null && data !== undefined) return { salt: hexOf(row.salt), data };
  if (row.salt === null) throw new InfoldError('not_found', `The body of entry ${row.seq} was erased`);
  throw unprovable(row.seq, 'its data is missing or damaged');
}

export function unprovable(seq: number, problem: string): InfoldError {
  return new InfoldError(
    'storage_invalid',
    `Entry ${seq} cannot be proven: ${problem}. Run "infold verify" to check the journal`,
  );
}

/** What a file holds, if it is a proof. A process reads one or two: to compile the schema would take longer. */
export function readProof(text: string): Proof | undefined {
  try {
    return proofSchema.parse(JSON.parse(text), { jitless: true });
  } catch {
    return undefined;
  }
}

/**
 * What is wrong with a proof; undefined when it holds: then the holder of the key in it has signed a journal that has this
 * entry at this place. Whose key that is, the caller must know.
 */
export function problemOf({ entry, previous, path, checkpoint, body }: Proof): string | undefined {
  const digest = bytesOf(entry.digest);
  if (body && !equalBytes(bodyDigest({ salt: bytesOf(body.salt), data: body.data }), digest)) {
    return 'the body is not the one that was written';
  }
  const hash = entryHash(bytesOf(previous), { ...entry, actor: actorText(entry.actor), digest });
  const { seq } = checkpoint;
  if (entry.seq > seq) return 'the entry is newer than the checkpoint';
  if (entry.seq === seq && hexOf(hash) !== checkpoint.hash)
    return 'the entry is not the one that was written';
  const interval = Math.floor((entry.seq - 1) / CHECKPOINT_INTERVAL);
  const before = interval * CHECKPOINT_INTERVAL;
  const intervalRoot = rootFrom(
    leafHash(hash),
    entry.seq - 1 - before,
    Math.min(CHECKPOINT_INTERVAL, seq - before),
    path.interval,
  );
  const root =
    intervalRoot && rootFrom(intervalRoot, interval, Math.ceil(seq / CHECKPOINT_INTERVAL), path.journal);
  if (root === undefined || root !== checkpoint.root)
    return 'the entry does not lead to the root of the checkpoint';
  return problemOfCheckpoint(checkpoint);
}

/** What is wrong with the key of a checkpoint, or with its signature. */
export function problemOfCheckpoint(checkpoint: Proof['checkpoint']): string | undefined {
  const publicKey = Buffer.from(checkpoint.key.public_key, 'base64');
  // Base64 has several spellings of the same bytes.
  const isSpelt = publicKey.toString('base64') === checkpoint.key.public_key;
  if (!isSpelt || keyIdOf(publicKey) !== checkpoint.key.id)
    return 'the public key is not the one that its id names';
  return isSignedBy(publicKey, checkpointText(checkpoint), bytesOf(checkpoint.signature))
    ? undefined
    : 'the checkpoint is not signed by the key';
}
