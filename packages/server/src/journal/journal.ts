import type { EntryId, EntrySet, Proof } from '@infold/protocol';
import type { EventMap, Forgotten } from '@infold/protocol/events';
import type { Database } from '../kernel/sqlite.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { KeyRow, SigningKeys } from './integrity/keys.ts';

/** Who caused an entry. `agent` is the agent's own name within its principal, where it gave one. */
export interface Actor {
  org: string;
  principal: string;
  agent?: string;
}

/** What a journal holds: the catalogue. Tests declare events of their own into it. */
export interface Events extends EventMap {}

export type JournalEvent = { [Type in keyof Events]: { type: Type; data: Events[Type] } }[keyof Events];

/** One commit: all of its events, or none. */
export interface Entry {
  /** Position in the journal: 1, 2, 3, … without gaps. */
  seq: number;
  id: EntryId;
  stream: string;
  /** Position in its stream: 1, 2, 3, … without gaps. */
  rev: number;
  /** Milliseconds since 1970, by the clock of the process that wrote it. */
  at: number;
  actor: Actor;
  /** The entry that led to this one, if any. What has a cause is never mirrored back. */
  cause: EntryId | null;
  /** When the entry's data was erased: what was left of them. */
  events: JournalEvent[];
  /** What the writer was answered; kept only for entries with a caller-chosen id. */
  answer?: unknown;
  erased: boolean;
}

export interface Decision<Answer> {
  events: JournalEvent[];
  answer: Answer;
  /** Positions of entries whose data goes. One of the events must be a `Forgotten` that says what is left of them. */
  erase?: number[];
  /** Erase without trace: full-text indexes and the write-ahead log are cleared at once too, which takes longer. */
  thorough?: boolean;
  /** The key that signs from now on. One of the events says that it follows the one before it. */
  key?: KeyRow;
}

export const FORGOTTEN = 'data.forgotten';

export type { Forgotten };

export interface CommitRequest<Answer> {
  stream: string;
  actor: Actor;
  /**
   * Reads state and decides. Synchronous and without effects, because it may run more than once: again after a
   * conflict with another writer. No events means that nothing is written. Throwing leaves everything as it was.
   */
  decide: (database: Database, now: number) => Decision<Answer>;
  /**
   * A caller-chosen id: a second commit with it writes nothing and is answered as the first one was, as JSON
   * can tell it.
   */
  id?: EntryId;
  cause?: EntryId;
  /**
   * Share one durable write with other commits that arrive at the same time. The promise still resolves only
   * when the entry is durable: the caller trades a little latency for throughput, never safety.
   */
  group?: boolean;
}

export interface Committed<Answer> {
  answer: Answer;
  /** Absent when the decision held no events. */
  entry: Entry | undefined;
  /** True when an earlier commit with the same id was found and answered from. */
  replayed: boolean;
}

export interface Head {
  seq: number;
  /** Hex. The hash of the newest entry, which covers every entry before it. */
  hash: string;
}

export interface VerifyReport {
  ok: boolean;
  entries: number;
  events: number;
  erased: number;
  /** How many checkpoints there are. */
  checkpoints: number;
  head: Head;
  /** The first entry that is not as it was written, or whose checkpoint is not, and what is wrong with it. */
  first?: { seq: number; id: string | null; stream: string | null; problem: string };
}

export interface TablesReport {
  ok: boolean;
  tables: number;
  /** Names of tables that are not what the journal makes of them. */
  different: string[];
}

export type Progress = (done: number, total: number) => void;

/** How many entries are proven together. */
export interface EntrySetOptions {
  /** Whether what the entry at this position says is shown. */
  shows?: (seq: number) => boolean;
  progress?: Progress | undefined;
}

/**
 * The append-only journal and the tables made from it. Promises, each of which the conformance suite tests:
 *
 * 1. When `commit` resolves, the entry is durable: it survives the death of the process and of the machine.
 * 2. An entry's events and their effects in every projection become visible together, or not at all.
 * 3. `decide` sees every entry committed before it, by any process, and nothing is committed between what it
 *    read and what it wrote to its stream.
 * 4. The same `id` twice is one entry, and the second caller gets the first one's answer.
 * 5. A rejected commit changed nothing. When the journal stays locked, the rejection is `journal_busy`,
 *    retryable; the event loop is not held up while waiting.
 * 6. Watchers get every entry once, in order of `seq`, those of other processes within 100 ms.
 * 7. `verify` finds any entry that was changed, dropped or reordered, and names the first one.
 * 8. `rebuild` gives the same tables again, and `verifyTables` tells which ones are not what it would give.
 * 9. Every 1,000 entries a signed checkpoint is made, once, soon after the commit and without holding it up. Its root
 *    follows from the entries alone, erased or not. `prove` and `proveSet` answer what shows, without the journal, that
 *    entries are in it.
 */
export interface Journal {
  /** Projections are read here. Never written but by projections. */
  readonly database: Database;
  /** What checkpoints are signed with. */
  readonly keys: SigningKeys;
  /** What this journal shares with those of other machines, where it does. */
  readonly cluster?: Cluster | undefined;
  commit<Answer>(request: CommitRequest<Answer>): Promise<Committed<Answer>>;
  head(): Head;
  /** The hash of the entry at this position, which covers every entry before it; hex. Position 0 is before the first. */
  hashAt(seq: number): string | undefined;
  /** Resolves when entries up to this position can be read here; `unavailable`, retryable, when that takes too long. */
  reached(seq: number): Promise<void>;
  /** The entry at this position. */
  entryAt(seq: number): Entry | undefined;
  /**
   * The entries at these positions, oldest first; a position without an entry is left out. With `bytes`, only the first ones
   * that hold about so much, and at least one; or the last ones, where `isFromTheEnd`.
   */
  entriesAt(seqs: readonly number[], bytes?: number, isFromTheEnd?: boolean): Entry[];
  /** Entries after `seq`, oldest first. */
  entriesAfter(seq: number, limit: number): Entry[];
  /** Entries of one stream after the journal's position `seq`, oldest first. */
  entriesOf(stream: string, seq: number, limit: number): Entry[];
  /** Where the entries of a stream stand and when they were written, oldest first, without what they say. */
  positionsOf(stream: string): Iterable<{ seq: number; at: number }>;
  /** Calls `listener` for each entry from now on; returns the way to stop it. */
  watch(listener: (entry: Entry) => void): () => void;
  verify(progress?: Progress): Promise<VerifyReport>;
  /** Makes the checkpoints that are due, at once. */
  checkpoint(progress?: Progress): Promise<void>;
  /** That the entry with this position or id is in the journal; with what it says, where `body` is asked for. */
  prove(entry: number | EntryId, options?: { body?: boolean }): Promise<Proof>;
  /** The same of many entries, by their positions, which share one checkpoint and most of their paths. */
  proveSet(positions: readonly number[], options?: EntrySetOptions): Promise<EntrySet>;
  /** Compares the projections with what a rebuild would make, and leaves them as they are. */
  verifyTables(progress?: Progress): Promise<TablesReport>;
  /** Makes all projections anew; answers how many events were applied. */
  rebuild(progress?: Progress): Promise<{ entries: number; events: number }>;
  close(): Promise<void>;
}
