import { giveWay } from '../../kernel/background.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { Progress } from '../journal.ts';
import { readHead } from '../rows.ts';
import { bytesOf, hexOf } from './chain.ts';
import type { SigningKeys, Write } from './keys.ts';
import { MerkleTree } from './merkle.ts';

/** Part of the format: another number gives other roots. */
export const CHECKPOINT_INTERVAL = 1000;

/** What all entries up to a position come to. It follows from them alone. Hashes are hex. */
export interface Checkpoint {
  seq: number;
  /** The root over the entries since the checkpoint before. */
  intervalRoot: string;
  /** The root over all entries up to here. */
  root: string;
  /** The hash of the entry here: the head of the chain at that moment. */
  hash: string;
}

export interface SignedCheckpoint extends Checkpoint {
  key: string;
  signature: string;
}

/** What is signed. As text, so that any program can check it. */
export function checkpointText({ seq, root, hash }: Omit<Checkpoint, 'intervalRoot'>): string {
  return `infold checkpoint 1\n${seq}\n${root}\n${hash}\n`;
}

/**
 * A tree in two storeys: the entries of each interval have a root, and so have these roots. A path is as long as in one tree,
 * and to make one takes the entries of one interval and the roots of the others instead of every entry.
 */
export class JournalTree {
  readonly #interval = new MerkleTree();
  readonly #intervals = new MerkleTree();

  get size(): number {
    return this.#intervals.size * CHECKPOINT_INTERVAL + this.#interval.size;
  }

  /** Answers the root of the interval that the entry completes. */
  add(hash: Uint8Array): string | undefined {
    this.#interval.add(hash);
    if (this.#interval.size < CHECKPOINT_INTERVAL) return undefined;
    const root = this.#interval.root();
    this.#interval.clear();
    this.#intervals.addHash(root);
    return root;
  }

  /** A whole interval whose root is known. */
  addInterval(root: string): void {
    this.#intervals.addHash(root);
  }

  root(): string {
    if (this.#interval.size === 0) return this.#intervals.root();
    const all = this.#intervals.copy();
    all.addHash(this.#interval.root());
    return all.root();
  }
}

const CHECKPOINT = `SELECT seq, lower(hex(interval_root)) AS intervalRoot, lower(hex(root)) AS root,
  lower(hex(hash)) AS hash, key, lower(hex(signature)) AS signature FROM journal_checkpoint`;

export function lastCheckpoint(database: Database): SignedCheckpoint | undefined {
  return database.get<SignedCheckpoint>(`${CHECKPOINT} ORDER BY seq DESC LIMIT 1`);
}

export function checkpointAt(database: Database, seq: number): SignedCheckpoint | undefined {
  return database.get<SignedCheckpoint>(`${CHECKPOINT} WHERE seq = ?`, seq);
}

/** Roots of the intervals up to a position, as far as they have checkpoints. */
export function intervalRoots(database: Database, end: number): string[] {
  return database
    .all<{ root: string }>(
      'SELECT lower(hex(interval_root)) AS root FROM journal_checkpoint WHERE seq <= ? ORDER BY seq',
      end,
    )
    .map(({ root }) => root);
}

/** Whether entries have come to an interval that has no checkpoint yet. */
export function isCheckpointDue(database: Database): boolean {
  const last = lastCheckpoint(database)?.seq ?? 0;
  return readHead(database).seq >= last + CHECKPOINT_INTERVAL;
}

export function hashesAfter(database: Database, seq: number, limit: number): Uint8Array[] {
  return database
    .all<{ hash: Uint8Array }>(
      'SELECT hash FROM journal_entry WHERE seq > ? ORDER BY seq LIMIT ?',
      seq,
      limit,
    )
    .map(({ hash }) => hash);
}

/** Few, because a hash stands behind up to 256 KB of data in its row. */
const PAGE = 100;
/** Checkpoints that share a transaction: to sign so many takes a millisecond. */
const BATCH = 16;

/** The points of making checkpoints at which a test can stop the process. */
export const CHECKPOINT_POINTS = ['key-written', 'checkpoint-signed', 'checkpoint-written'] as const;
export type CheckpointPoint = (typeof CHECKPOINT_POINTS)[number];

interface Store {
  database: Database;
  keys: SigningKeys;
  write: Write;
  onPoint: (point: CheckpointPoint) => void;
}

/**
 * Makes the checkpoints that are due: of entries that were just written, or of a journal that had none. It goes on from
 * what is there, whichever process made it, and two that make the same one make it alike.
 */
export class Checkpoints {
  readonly #store: Store;
  #tree = new JournalTree();
  /** Made, and not kept yet. */
  #made: Checkpoint[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  /** Entries that this process just committed: where it has kept up with the journal, they need not be read for this. */
  follow(after: number, hashes: readonly Uint8Array[]): void {
    if (this.#tree.size === after) for (const hash of hashes) this.#add(hash);
  }

  /** Gives way to others meanwhile. Ends early when `isOver` says so, and goes on from there the next time. */
  async make(isOver: () => boolean, progress?: Progress): Promise<void> {
    const { database } = this.#store;
    const head = () => readHead(database).seq;
    try {
      for (let end = head(); this.#tree.size < end && !isOver(); end = head()) {
        const pause = giveWay();
        if (pause) {
          progress?.(this.#tree.size, end);
          await pause;
        }
        if (!this.#adopt()) for (const hash of this.#nextHashes()) this.#add(hash);
        if (this.#made.length >= BATCH) await this.#keep(this.#made.splice(0));
      }
      await this.#keep(this.#made.splice(0));
      progress?.(this.#tree.size, head());
    } catch (error) {
      // What was not kept is made again.
      this.#tree = new JournalTree();
      this.#made = [];
      throw error;
    }
  }

  #add(hash: Uint8Array): void {
    const intervalRoot = this.#tree.add(hash);
    if (!intervalRoot) return;
    this.#made.push({ seq: this.#tree.size, intervalRoot, root: this.#tree.root(), hash: hexOf(hash) });
  }

  /** Takes over the next checkpoint, where it is there already. */
  #adopt(): boolean {
    const { size } = this.#tree;
    if (size % CHECKPOINT_INTERVAL !== 0) return false;
    const checkpoint = checkpointAt(this.#store.database, size + CHECKPOINT_INTERVAL);
    if (checkpoint) this.#tree.addInterval(checkpoint.intervalRoot);
    return checkpoint !== undefined;
  }

  #nextHashes(): Uint8Array[] {
    const { size } = this.#tree;
    const left = CHECKPOINT_INTERVAL - (size % CHECKPOINT_INTERVAL);
    const hashes = hashesAfter(this.#store.database, size, Math.min(PAGE, left));
    if (hashes.length > 0) return hashes;
    throw new InfoldError('storage_invalid', `The journal has no entry ${size + 1}; run "infold verify"`);
  }

  async #keep(made: readonly Checkpoint[]): Promise<void> {
    if (made.length === 0) return;
    const { database, keys, write, onPoint } = this.#store;
    const key = await keys.current();
    const signed = made.map((one) => ({ ...one, signature: key.sign(checkpointText(one)) }));
    onPoint('checkpoint-signed');
    const insert = () => {
      for (const { seq, intervalRoot, root, hash, signature } of signed) {
        database.run(
          `INSERT OR IGNORE INTO journal_checkpoint (seq, interval_root, root, hash, key, signature)
           VALUES (?, ?, ?, ?, ?, ?)`,
          seq,
          bytesOf(intervalRoot),
          bytesOf(root),
          bytesOf(hash),
          key.id,
          signature,
        );
      }
    };
    // One that is lost is made again.
    await write(insert, { durable: false });
    onPoint('checkpoint-written');
  }
}
