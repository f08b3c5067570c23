import type { KV } from '@nats-io/kv';
import { sleep } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { hexOf } from '../integrity/chain.ts';
import { type Entry, FORGOTTEN } from '../journal.ts';
import { contentOf, ENTRY_COLUMNS, type EntryRow, type EntryStore } from '../rows.ts';
import type { WrittenEvent, WrittenForgotten } from '../upcast.ts';
import type { Stores } from './stores.ts';
import { readText } from './wire.ts';

/** What is left of an entry whose body was erased, for a node that never saw the body. */
export interface Left {
  /** The entry that tells of it. */
  by: number;
  /** The newest forgetting that this takes into account: a later one may leave less of what an earlier one left. */
  asOf: number;
  events: WrittenEvent[];
}

interface ErasedRow {
  seq: number;
  digest: Uint8Array;
  /** Where its body stood in the stream. */
  body: number | null;
  replaced_by: number;
}

/** What a forgetting erased: entries, and with them what earlier forgettings had left of others. */
const ERASED_BY = `
  WITH RECURSIVE erased (seq) AS (
    SELECT seq FROM journal_entry WHERE replaced_by = ?
    UNION SELECT entry.seq FROM erased JOIN journal_entry AS entry ON entry.replaced_by = erased.seq
  )
  SELECT seq, digest, body, replaced_by FROM erased
  JOIN journal_entry USING (seq) LEFT JOIN journal_position USING (seq) ORDER BY seq DESC`;

const BUCKET = 'erased';
/** Whoever wrote the forgetting erases first; the others look whether it was done. */
const OTHERS = 2000;
const RETRY = 1000;
/** Milliseconds for which a server may answer that has its copy later than others. */
const STALE = 3000;
const STALE_LOOK = 250;

/** Where it is written down that a body belonged to no entry, and was discarded. */
export function voidKey(digest: string): string {
  return `void.${digest}`;
}

/**
 * Takes bodies out of the stream, with erasure. What is left of them is written down before: a node that finds a header without
 * its body knows from there that it was erased, and not lost.
 */
export class Erasure {
  readonly #stores: Stores;
  readonly #store: EntryStore;
  readonly #isOver: () => boolean;
  readonly #onError: (error: unknown) => void;
  readonly #left = new Map<string, Left>();
  #due: { seq: number; isOwn: boolean }[] = [];
  #working: Promise<void> | undefined;
  /** Digests of bodies that are missing, and were not erased. */
  readonly #missing = new Set<string>();

  constructor(stores: Stores, store: EntryStore, isOver: () => boolean, onError: (error: unknown) => void) {
    this.#stores = stores;
    this.#store = store;
    this.#isOver = isOver;
    this.#onError = onError;
  }

  /** Whether everything that was to be erased is. */
  get isDone(): boolean {
    return this.#due.length === 0;
  }

  left(digest: string): Left | undefined {
    return this.#left.get(digest);
  }

  /** Finds out whether the body with this digest was erased. */
  async learn(digest: string): Promise<void> {
    if (this.#left.has(digest)) return;
    const found = await (await erasedBucket(this.#stores)).get(digest);
    if (found?.operation === 'PUT') this.#left.set(digest, found.json<Left>());
  }

  /** Whether it is certain that the body with this digest is missing, and was not erased. */
  isMissing(digest: string): boolean {
    return this.#missing.has(digest);
  }

  /**
   * Makes that certain, or learns what is left of it. An entry without its body is void for good, and any server may answer what is
   * asked of a bucket, also one whose copy is behind: in the end its leader is asked.
   */
  async makeSure(digest: string): Promise<void> {
    const bucket = await erasedBucket(this.#stores);
    const until = performance.now() + (this.#stores.replicas > 1 ? STALE : 0);
    for (;;) {
      await this.learn(digest);
      if (this.#left.has(digest)) return;
      if ((await bucket.get(voidKey(digest)))?.operation === 'PUT' || performance.now() > until) break;
      await sleep(STALE_LOOK);
    }
    const found = await this.#stores.askLeader(BUCKET, digest);
    if (found) this.#left.set(digest, found as Left);
    else this.#missing.add(digest);
  }

  applied(digest: string): void {
    this.#left.delete(digest);
    this.#missing.delete(digest);
  }

  /** An entry that erases others was applied. */
  follow(entry: Entry, isOwn: boolean): void {
    if (!entry.events.some(({ type }) => type === FORGOTTEN)) return;
    this.#due.push({ seq: entry.seq, isOwn });
    this.#working ??= this.#work();
  }

  /** What a process that ended left to do. */
  resume(): void {
    const { database } = this.#store;
    const rows = database.all<{ seq: number }>(
      `SELECT DISTINCT replaced_by AS seq FROM journal_entry
       WHERE replaced_by > (SELECT forgotten FROM journal_cluster) ORDER BY 1`,
    );
    this.#due.unshift(...rows.map(({ seq }) => ({ seq, isOwn: false })));
    if (this.#due.length > 0) this.#working ??= this.#work();
  }

  async settle(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#due.length > 0 && !this.#isOver()) {
      const { seq, isOwn } = this.#due[0]!;
      try {
        if (!isOwn) await sleep(OTHERS * Math.random());
        await this.#erase(seq);
        this.#store.database.run('UPDATE journal_cluster SET forgotten = max(forgotten, ?)', seq);
        this.#due.shift();
      } catch (error) {
        this.#onError(error);
        await sleep(RETRY);
      }
    }
    this.#working = undefined;
  }

  async #erase(by: number): Promise<void> {
    const { database } = this.#store;
    const bucket = await erasedBucket(this.#stores);
    const left = new Map<number, Map<number, WrittenEvent[]>>();
    for (const { seq, digest, body, replaced_by } of database.all<ErasedRow>(ERASED_BY, by)) {
      const told = left.get(replaced_by) ?? leftBy(database, this.#store, replaced_by);
      left.set(replaced_by, told);
      await this.#leave(bucket, hexOf(digest), { by: replaced_by, asOf: by, events: told.get(seq) ?? [] });
      if (body !== null) await this.#eraseBody(body);
    }
  }

  /** Writes down what is left, unless somebody knows of a later forgetting. What stood there before goes with its bytes. */
  async #leave(bucket: KV, key: string, left: Left): Promise<void> {
    const text = JSON.stringify(left);
    for (;;) {
      const found = await bucket.get(key);
      const known = found?.operation === 'PUT' ? found : undefined;
      if (known && known.json<Left>().asOf >= left.asOf) return;
      try {
        if (!known) await bucket.create(key, text);
        else {
          await bucket.update(key, text, known.revision);
          await this.#stores.eraseMessage(`KV_${this.#stores.name}_${BUCKET}`, known.revision);
        }
        return;
      } catch (error) {
        // Another node may be at it too.
        if ((await bucket.get(key))?.revision === known?.revision) throw error;
      }
    }
  }

  /** The body names the object that holds its data: it goes after that, so that whoever goes on after a crash knows it too. */
  async #eraseBody(position: number): Promise<void> {
    const { manager, stream } = this.#stores;
    const message = await manager.streams.getMessage(stream, { seq: position });
    // Undone by no one: where it is gone already, another node was faster.
    if (!message) return;
    const { blob } = readText(message.string());
    if (blob !== null && !this.#isNamed(blob)) {
      await this.#stores.erase(await this.#stores.objects(), blob);
    }
    await this.#stores.eraseMessage(stream, position);
  }

  #isNamed(blob: string): boolean {
    const { database } = this.#store;
    return database.get('SELECT 1 FROM journal_entry WHERE blob = ? LIMIT 1', blob) !== undefined;
  }
}

/** Two values for each key, so that the older one can be erased when the newer one stands. */
export function erasedBucket(stores: Stores): Promise<KV> {
  return stores.bucket(BUCKET, { history: 2 });
}

/** Of an entry that was erased before its folder was moved into a cluster. */
export async function leaveMark(stores: Stores, digest: string, left: Omit<Left, 'asOf'>): Promise<void> {
  const text = JSON.stringify({ ...left, asOf: left.by } satisfies Left);
  await (await erasedBucket(stores)).put(digest, text);
}

/** What an entry says is left of others, as it was written. */
function leftBy(database: Database, store: EntryStore, by: number): Map<number, WrittenEvent[]> {
  const row = database.get<EntryRow>(`SELECT ${ENTRY_COLUMNS} FROM journal_entry WHERE seq = ?`, by);
  const left = new Map<number, WrittenEvent[]>();
  for (const { type, data } of row ? contentOf(row, store).events : []) {
    if (type !== FORGOTTEN) continue;
    for (const { seq, events } of (data as WrittenForgotten).entries) left.set(seq, events);
  }
  return left;
}
