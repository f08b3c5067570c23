import { type EntrySet, MOST_PROOF_BYTES } from '@infold/protocol';
import { giveWay } from '../../kernel/background.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { EntrySetOptions } from '../journal.ts';
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
import { CHECKPOINT_INTERVAL, hashesAfter } from './checkpoints.ts';
import { leafHash, nodesBeside, type PlacedLeaf, rootFromMany } from './merkle.ts';
import {
  bodyOf,
  checkpointAtHead,
  type ProofStore,
  problemOfCheckpoint,
  rootsUpTo,
  shownCheckpoint,
  unprovable,
} from './proof.ts';

type SetEntry = EntrySet['entries'][number];

interface SetRow extends EntryHeader {
  hash: Uint8Array;
}

const HASH_BYTES = 32;
const intervalOf = (seq: number) => Math.floor((seq - 1) / CHECKPOINT_INTERVAL);
const placeOf = (seq: number) => (seq - 1) % CHECKPOINT_INTERVAL;

/**
 * Proves the entries at these positions under a checkpoint at the head, which is signed now. Holds the hashes of one interval
 * at a time, and what comes out. All checkpoints that are due have been made.
 */
export async function proveEntrySet(
  store: ProofStore,
  positions: readonly number[],
  { shows = () => false, progress }: EntrySetOptions,
): Promise<EntrySet> {
  const { database } = store;
  const seqs = [...new Set(positions)].sort((one, other) => one - other);
  const [first, last] = [seqs[0], seqs.at(-1)];
  if (first === undefined || first < 1 || last! > readHead(database).seq) {
    throw new InfoldError('not_found', `The journal does not have all of these ${seqs.length} entries`);
  }
  const checkpoint = await checkpointAtHead(store, last!);
  const [streams, actors] = [new Places<string>(), new Places<string>()];
  const entries: SetEntry[] = [];
  const intervals: string[] = [];
  let bytes = 0;

  const byInterval = grouped(seqs);
  for (const [interval, within] of byInterval) {
    const before = interval * CHECKPOINT_INTERVAL;
    const hashes = hashesAfter(database, before, Math.min(CHECKPOINT_INTERVAL, checkpoint.seq - before));
    const nodes = nodesBeside(hashes.map(leafHash), within.map(placeOf));
    intervals.push(joined(nodes));
    for (const row of rowsAt(database, within)) {
      const { seq, id, stream, rev, at, actor, cause, digest } = row;
      const isNext = seq === 1 || entries.at(-1)?.seq === seq - 1;
      entries.push({
        ...{ seq, id, stream: streams.of(stream), rev, at, actor: actors.of(actor), cause },
        digest: hexOf(digest),
        ...(isNext
          ? {}
          : { previous: hexOf(hashes[seq - before - 2] ?? hashesAfter(database, seq - 2, 1)[0]!) }),
        ...(shows(seq) ? { body: shownBody(store, seq) } : {}),
      });
      bytes += entries.at(-1)!.body?.data.length ?? 0;
      if (bytes > MOST_PROOF_BYTES) throw tooLarge();
    }
    progress?.(intervals.length, byInterval.length);
    await giveWay();
  }

  const set: EntrySet = {
    streams: streams.all,
    actors: actors.all.map(actorOf),
    entries,
    path: {
      intervals,
      journal: joined(
        nodesBeside(
          rootsUpTo(database, checkpoint.seq),
          byInterval.map(([interval]) => interval),
        ),
      ),
    },
    checkpoint: shownCheckpoint(database, checkpoint),
  };
  const problem = entries.length === seqs.length ? problemOfEntrySet(set) : 'some of its entries are missing';
  if (problem) throw unprovable(first, problem);
  return set;
}

export function tooLarge(): InfoldError {
  const most = MOST_PROOF_BYTES / 1024 / 1024;
  return new InfoldError('too_large', `The proof would be larger than ${most} MB; make it without content`);
}

function rowsAt(database: Database, seqs: readonly number[]): SetRow[] {
  return database.all<SetRow>(
    `SELECT seq, id, stream, rev, at, actor, cause, digest, hash FROM journal_entry
     WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq`,
    JSON.stringify(seqs),
  );
}

function shownBody({ database, blobs }: ProofStore, seq: number): SetEntry['body'] {
  const sql = 'SELECT seq, salt, data, blob FROM journal_entry WHERE seq = ?';
  return bodyOf({ blobs }, database.get<Parameters<typeof bodyOf>[1]>(sql, seq)!);
}

/** Gives each value its place in a list, the same one always. */
class Places<Value> {
  readonly all: Value[] = [];
  readonly #places = new Map<Value, number>();

  of(value: Value): number {
    const known = this.#places.get(value);
    if (known !== undefined) return known;
    this.#places.set(value, this.all.length);
    return this.all.push(value) - 1;
  }
}

/** By their intervals, both in order. */
function grouped(seqs: readonly number[]): [interval: number, seqs: number[]][] {
  const groups: [number, number[]][] = [];
  for (const seq of seqs) {
    const interval = intervalOf(seq);
    if (groups.at(-1)?.[0] === interval) groups.at(-1)![1].push(seq);
    else groups.push([interval, [seq]]);
  }
  return groups;
}

function joined(hashes: readonly string[]): string {
  return Buffer.from(hashes.join(''), 'hex').toString('base64');
}

/** Undefined for a text that no list of hashes has. */
function separated(text: string): string[] | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % HASH_BYTES !== 0 || bytes.toString('base64') !== text) return undefined;
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, index) =>
    bytes.toString('hex', index * HASH_BYTES, (index + 1) * HASH_BYTES),
  );
}

/**
 * What is wrong with it; undefined when it holds: then the holder of the key in it has signed a journal that has these entries at
 * these places, and says in them what is shown. Whose key that is, the caller must know.
 */
export function problemOfEntrySet(set: EntrySet): string | undefined {
  const { checkpoint } = set;
  const leaves = leavesOf(set);
  if (typeof leaves === 'string') return leaves;
  const roots: PlacedLeaf[] = [];
  for (const [index, [interval, within]] of leaves.entries()) {
    const nodes = separated(set.path.intervals[index] ?? '');
    const size = Math.min(CHECKPOINT_INTERVAL, checkpoint.seq - interval * CHECKPOINT_INTERVAL);
    const hash = nodes && rootFromMany(within, size, nodes);
    if (!hash) return `the entries from ${interval * CHECKPOINT_INTERVAL + 1} on have no path to the root`;
    roots.push({ place: interval, hash });
  }
  if (set.path.intervals.length !== roots.length) return 'it holds paths that no entry has';
  const nodes = separated(set.path.journal);
  const size = Math.ceil(checkpoint.seq / CHECKPOINT_INTERVAL);
  if (!nodes || rootFromMany(roots, size, nodes) !== checkpoint.root) {
    return 'the entries do not lead to the root of the checkpoint';
  }
  return problemOfCheckpoint(checkpoint);
}

/** The leaves of the entries by their intervals, or what is wrong with the entries themselves. */
function leavesOf({ streams, actors, entries, checkpoint }: EntrySet): [number, PlacedLeaf[]][] | string {
  const groups: [number, PlacedLeaf[]][] = [];
  const actorTexts = actors.map(actorText);
  let before: { seq: number; hash: Uint8Array } = { seq: 0, hash: GENESIS };
  for (const entry of entries) {
    const { seq, digest, previous, body } = entry;
    const [stream, actor] = [streams[entry.stream], actorTexts[entry.actor]];
    if (seq <= before.seq) return `entry ${seq} is not in its place`;
    if (seq > checkpoint.seq) return `entry ${seq} is newer than the checkpoint`;
    if (stream === undefined || actor === undefined)
      return `entry ${seq} names a stream or an actor that is not there`;
    if (body && !equalBytes(bodyDigest({ salt: bytesOf(body.salt), data: body.data }), bytesOf(digest))) {
      return `what entry ${seq} shows is not what was written`;
    }
    const isNext = seq === before.seq + 1;
    if (isNext !== (previous === undefined)) return `entry ${seq} does not follow from the one before it`;
    const header = { ...entry, stream, actor, digest: bytesOf(digest) };
    const hash = entryHash(isNext ? before.hash : bytesOf(previous!), header);
    if (seq === checkpoint.seq && hexOf(hash) !== checkpoint.hash)
      return `entry ${seq} is not the one that was written`;
    const leaf = { place: placeOf(seq), hash: leafHash(hash) };
    if (groups.at(-1)?.[0] === intervalOf(seq)) groups.at(-1)![1].push(leaf);
    else groups.push([intervalOf(seq), [leaf]]);
    before = { seq, hash };
  }
  return groups;
}
