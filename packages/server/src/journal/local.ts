import { join } from 'node:path';
import type { EntryId, EntrySet, Limits, Proof } from '@infold/protocol';
import { nextTurn } from '../kernel/background.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { InfoldError } from '../kernel/errors.ts';
import { randomBytesOf, uuidV7 } from '../kernel/ids.ts';
import { keepPrivate, makePrivateFolder } from '../kernel/private-files.ts';
import { type Database, openDatabase, storageError } from '../kernel/sqlite.ts';
import { BlobStore } from './blobs.ts';
import { cleanUpAfterErasing, type Erased, eraseEntries, mergeTextIndexes } from './erase.ts';
import {
  actorOf,
  actorText,
  bodyDigest,
  type EntryBody,
  entryHash,
  GENESIS,
  hexOf,
} from './integrity/chain.ts';
import {
  CHECKPOINT_INTERVAL,
  type CheckpointPoint,
  Checkpoints,
  isCheckpointDue,
} from './integrity/checkpoints.ts';
import { proveEntrySet } from './integrity/entry-set.ts';
import { adoptKey, KeyFiles, type KeyRow, type KeyShare, SigningKeys, type Write } from './integrity/keys.ts';
import { positionOf, proveEntry } from './integrity/proof.ts';
import { verifyChain } from './integrity/verify.ts';
import type {
  CommitRequest,
  Committed,
  Decision,
  Entry,
  EntrySetOptions,
  Head,
  Journal,
  Progress,
  TablesReport,
  VerifyReport,
} from './journal.ts';
import { LockQueue, retryWhileLocked } from './lock.ts';
import { configureConnection, mayOnlyBeRead, openJournalDatabase } from './open.ts';
import { type Projection, Projector } from './projections/projector.ts';
import { rebuildProjections } from './projections/rebuild.ts';
import { verifyTables } from './projections/tables.ts';
import {
  checkCurrent,
  ENTRY_COLUMNS,
  type EntryContent,
  type EntryRow,
  entryFromRow,
  fittingOf,
  type HeadRow,
  readHead,
  rowsOfStream,
} from './rows.ts';
import { Tail } from './tail.ts';
import { readEvents, writtenEvents } from './upcast.ts';

/** The points of a commit at which a test can stop the process. */
export const COMMIT_POINTS = [
  'begun',
  'decided',
  'blob-written',
  'appended',
  'projected',
  'committing',
  'committed',
  'delivered',
] as const;
export type CommitPoint = (typeof COMMIT_POINTS)[number];

export interface LocalJournalOptions {
  folder: string;
  projections: readonly Projection[];
  clock?: Clock;
  limits: Pick<Limits, 'lockWait' | 'inlineEntryBytes' | 'entryBytes'>;
  /** Called at each named point of a commit, and of making checkpoints. Fault tests end the process here. */
  onPoint?: (point: CommitPoint | CheckpointPoint) => void;
  /** Told while projections of an older file are made anew at opening. */
  onRebuild?: Progress;
  onError?: (error: unknown) => void;
}

/** An entry as its writer made it: all but what follows from its place in the journal. */
export interface WrittenEntry {
  id: EntryId;
  /** Whether its writer was given the id. */
  chosen: boolean;
  stream: string;
  at: number;
  /** As `actorText` gives it. */
  actor: string;
  cause: EntryId | null;
  digest: Uint8Array;
  /** Undefined where it was erased. */
  body: EntryBody | undefined;
  /** What the body's data say, or what is left of them. */
  content: EntryContent;
  /** The name of the file that holds the data, where they are large. */
  blob: string | null;
  /** Its position in its stream, where that was decided before. */
  rev?: number;
  /** The entry that says what is left of an erased one. */
  replacedBy?: number;
  /** Positions of entries whose data goes with this one. */
  erase?: readonly number[] | undefined;
  thorough?: boolean | undefined;
  key?: KeyRow | undefined;
}

export const nothing = () => {};

/** A journal and its tables in one SQLite file, but for how entries come to be in it. */
export abstract class LocalJournal implements Journal {
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly keys: SigningKeys;
  protected readonly projector: Projector;
  protected readonly clock: Clock;
  protected readonly limits: LocalJournalOptions['limits'];
  protected readonly onPoint: NonNullable<LocalJournalOptions['onPoint']>;
  protected readonly onError: (error: unknown) => void;
  protected readonly tail: Tail;
  protected readonly line = new LockQueue();
  readonly #checkpoints: Checkpoints;
  /** What is left to clear when the erasure of entries is durable. */
  #erased: Erased | undefined;
  /** Hashes of the entries of the transaction that is under way. */
  #hashes: Uint8Array[] = [];
  #rebuilding: Promise<unknown> | undefined;
  #checkpointing: Promise<void> | undefined;
  #checkpointDue = false;
  #closing: Promise<void> | undefined;

  protected constructor(database: Database, options: LocalJournalOptions, share?: KeyShare) {
    this.database = database;
    this.blobs = new BlobStore(join(options.folder, 'blobs'));
    this.projector = new Projector(options.projections);
    this.clock = options.clock ?? systemClock;
    this.limits = options.limits;
    this.onPoint = options.onPoint ?? nothing;
    this.onError = options.onError ?? nothing;
    this.tail = new Tail(this, this.onError);
    const write: Write = (work, options) => this.#transact(work, options);
    const shared = { database, write, clock: this.clock, onPoint: this.onPoint };
    this.keys = new SigningKeys({ ...shared, files: new KeyFiles(join(options.folder, 'keys')), share });
    this.#checkpoints = new Checkpoints({ ...shared, keys: this.keys });
  }

  /** Makes the folder and the file ready. */
  protected static async openFile(options: LocalJournalOptions): Promise<Database> {
    try {
      makePrivateFolder(options.folder);
    } catch (error) {
      throw new InfoldError('storage_failed', `Cannot create the data folder ${options.folder}`, {
        cause: error,
      });
    }
    // Folders of earlier versions were open to whoever the umask let in.
    for (const name of ['', 'infold.db', 'infold.db-wal', 'infold.db-shm', 'blobs', 'keys', 'records']) {
      keepPrivate(join(options.folder, name));
    }
    const path = join(options.folder, 'infold.db');
    return openJournalDatabase(path, new Projector(options.projections), options.onRebuild);
  }

  abstract commit<Answer>(request: CommitRequest<Answer>): Promise<Committed<Answer>>;

  abstract reached(seq: number): Promise<void>;

  /** Resolves when every accepted commit has been answered; nothing is written afterwards. */
  protected abstract settle(): Promise<void>;

  /** Lets go of what else is held, when nothing is under way any more. */
  protected async release(): Promise<void> {}

  head(): Head {
    const row = readHead(this.database);
    return { seq: row.seq, hash: hexOf(row.hash) };
  }

  hashAt(seq: number): string | undefined {
    if (seq === 0) return hexOf(GENESIS);
    const row = this.database.get<{ hash: Uint8Array }>('SELECT hash FROM journal_entry WHERE seq = ?', seq);
    return row && hexOf(row.hash);
  }

  entryAt(seq: number): Entry | undefined {
    const row = this.database.get<EntryRow>(`SELECT ${ENTRY_COLUMNS} FROM journal_entry WHERE seq = ?`, seq);
    return row && entryFromRow(row, this);
  }

  entriesAt(seqs: readonly number[], bytes?: number, isFromTheEnd = false): Entry[] {
    if (bytes !== undefined) return this.entriesAt(fittingOf(this.database, seqs, bytes, isFromTheEnd));
    return this.database
      .all<EntryRow>(
        `SELECT ${ENTRY_COLUMNS} FROM journal_entry WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq`,
        JSON.stringify(seqs),
      )
      .map((row) => entryFromRow(row, this));
  }

  entriesAfter(seq: number, limit: number): Entry[] {
    return this.database
      .all<EntryRow>(
        `SELECT ${ENTRY_COLUMNS} FROM journal_entry WHERE seq > ? ORDER BY seq LIMIT ?`,
        seq,
        limit,
      )
      .map((row) => entryFromRow(row, this));
  }

  entriesOf(stream: string, seq: number, limit: number): Entry[] {
    return rowsOfStream(this.database, stream, seq, limit).map((row) => entryFromRow(row, this));
  }

  positionsOf(stream: string): Iterable<{ seq: number; at: number }> {
    return this.database.iterate<{ seq: number; at: number }>(
      'SELECT seq, at FROM journal_entry WHERE stream = ? ORDER BY rev',
      stream,
    );
  }

  watch(listener: (entry: Entry) => void): () => void {
    return this.tail.watch(listener);
  }

  verify(progress?: Progress): Promise<VerifyReport> {
    return verifyChain(this.database, this.blobs, progress);
  }

  async checkpoint(progress?: Progress): Promise<void> {
    if (mayOnlyBeRead(this.database.path)) return;
    // One at a time: the next one goes on from where this one ends.
    while (this.#checkpointing) await this.#checkpointing;
    this.checkOpen();
    const making = this.#checkpoints.make(() => this.isClosing, progress);
    this.#checkpointing = making.catch(nothing).then(() => {
      this.#checkpointing = undefined;
    });
    await making;
  }

  async prove(entry: number | EntryId, { body = false } = {}): Promise<Proof> {
    const seq = typeof entry === 'number' ? entry : await positionOf(this.database, entry);
    if (seq === undefined) throw new InfoldError('not_found', `There is no entry ${entry}`);
    await this.checkpoint();
    return proveEntry(this, seq, body);
  }

  async proveSet(positions: readonly number[], options: EntrySetOptions = {}): Promise<EntrySet> {
    await this.checkpoint();
    return proveEntrySet(this, positions, options);
  }

  verifyTables(progress?: Progress): Promise<TablesReport> {
    return verifyTables(this.database, this.projector, this.blobs, progress);
  }

  async rebuild(progress?: Progress): Promise<{ entries: number; events: number }> {
    while (this.#rebuilding) await this.#rebuilding.catch(nothing);
    this.checkOpen();
    const running = this.#rebuildApart(progress);
    this.#rebuilding = running;
    try {
      return await running;
    } finally {
      this.#rebuilding = undefined;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  protected get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  protected checkOpen(): void {
    if (this.#closing) throw new InfoldError('storage_failed', 'The journal is closed');
  }

  /** How long others may hold the lock; work of this process is waited for to its end. */
  protected get patience() {
    return { wait: this.limits.lockWait, ownWork: () => this.#rebuilding };
  }

  /** What the request writes, from the tables as they are; undefined where it decides to write nothing. */
  protected decide(
    request: CommitRequest<unknown>,
    blobFor: (data: string) => string | null = (data) => this.blobFor(data),
  ): { decision: Decision<unknown>; written: WrittenEntry | undefined } {
    const now = this.clock();
    const decision = request.decide(this.database, now);
    this.onPoint('decided');
    if (decision.events.length === 0) return { decision, written: undefined };
    const chosen = request.id !== undefined;
    const events = writtenEvents(decision.events);
    const data = JSON.stringify(chosen ? { events, answer: decision.answer ?? null } : { events });
    const body = { salt: randomBytesOf(16), data };
    const written: WrittenEntry = {
      id: request.id ?? uuidV7(now),
      chosen,
      stream: request.stream,
      at: now,
      actor: actorText(request.actor),
      cause: request.cause ?? null,
      digest: bodyDigest(body),
      body,
      // Projections and watchers get what was stored, not what was handed in: a date or an undefined field would
      // otherwise look different when it is read again.
      content: JSON.parse(data) as EntryContent,
      blob: blobFor(data),
      erase: decision.erase,
      thorough: decision.thorough,
      key: decision.key,
    };
    return { decision, written };
  }

  /** Puts an entry at the end, with its effects. The caller holds the write transaction and keeps the head afterwards. */
  protected append(written: WrittenEntry, head: HeadRow): Entry {
    const { database } = this;
    const { id, stream, at, actor, cause, content, digest, body, blob } = written;
    const seq = head.seq + 1;
    const entry: Entry = {
      ...{ seq, id, stream, rev: written.rev ?? this.nextRevision(stream), at, actor: actorOf(actor), cause },
      ...content,
      events: readEvents(content.events, { seq, stream }, database),
      erased: body === undefined,
    };
    const hash = entryHash(head.hash, { ...entry, actor, digest });
    database.run(
      `INSERT INTO journal_entry (seq, id, chosen, stream, rev, at, actor, cause, salt, data, blob, replaced_by, digest, hash)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[seq, id, written.chosen ? 1 : 0, stream, entry.rev, at, actor, cause],
      ...[body?.salt ?? null, body && blob === null ? body.data : null, body ? blob : null],
      ...[written.replacedBy ?? null, digest, hash],
    );
    this.onPoint('appended');
    if (written.erase) {
      const blobs = [...(this.#erased?.blobs ?? []), ...eraseEntries(database, written.erase, seq)];
      this.#erased = { blobs, thorough: (written.thorough || this.#erased?.thorough) ?? false };
    }
    if (written.key) adoptKey(database, written.key);
    this.projector.apply(database, entry);
    if (written.thorough) mergeTextIndexes(database);
    this.onPoint('projected');
    head.seq = seq;
    head.hash = hash;
    this.#hashes.push(hash);
    return entry;
  }

  /** Begins a write transaction and answers the head that it found. */
  protected begin(): HeadRow {
    this.#hashes = [];
    this.#erased = undefined;
    this.database.exec('BEGIN IMMEDIATE');
    this.onPoint('begun');
    const head = readHead(this.database);
    checkCurrent(head, this.projector, this.database.path);
    return head;
  }

  protected writeHead(head: HeadRow): void {
    this.database.run('UPDATE journal_head SET seq = ?, hash = ? WHERE one = 1', head.seq, head.hash);
  }

  /** Ends it: what was appended since the position `written` is kept. */
  protected commitSince(written: number, head: HeadRow): void {
    this.onPoint('committing');
    this.database.exec('COMMIT');
    this.onPoint('committed');
    this.#checkpoints.follow(written, this.#hashes);
    const intervals = (seq: number) => Math.floor(seq / CHECKPOINT_INTERVAL);
    if (intervals(head.seq) > intervals(written)) this.#checkpointDue = true;
  }

  /** Tells watchers of entries that were kept, in their order, and does what follows from them. */
  protected deliver(entries: readonly Entry[]): void {
    for (const entry of entries) this.tail.deliver(entry);
    this.onPoint('delivered');
    this.checkpointIfDue();
    if (this.#erased) cleanUpAfterErasing(this.database, this.blobs, this.#erased);
    this.#erased = undefined;
  }

  /** Runs the work so that a refusal leaves the rest of the transaction alone; a failure of the storage ends it. */
  protected apart<T>(work: () => T): { result: T } | { error: unknown } {
    const hashes = this.#hashes.length;
    this.database.exec('SAVEPOINT one_commit');
    try {
      const result = work();
      this.database.exec('RELEASE one_commit');
      return { result };
    } catch (error) {
      // A failure of the storage itself may have ended the whole transaction: everyone in it must know. Other
      // failures, a violated constraint too, concern this request only.
      if (storageError(error, this.database.path) !== error) throw error;
      this.database.exec('ROLLBACK TO one_commit; RELEASE one_commit');
      this.#hashes.length = hashes;
      return { error };
    }
  }

  /** What the work answers; all that it wrote is taken back. The caller holds the write transaction. */
  protected undone<T>(work: () => T): T {
    const hashes = this.#hashes.length;
    const erased = this.#erased;
    this.database.exec('SAVEPOINT undone');
    try {
      return work();
    } finally {
      this.database.exec('ROLLBACK TO undone; RELEASE undone');
      this.#hashes.length = hashes;
      this.#erased = erased;
    }
  }

  /** Where data too large for a row is kept; written before the entry that names it. */
  protected blobFor(data: string): string | null {
    const { inlineEntryBytes, entryBytes } = this.limits;
    const bytes = Buffer.byteLength(data);
    if (bytes > entryBytes) {
      throw new InfoldError('too_large', `The entry is larger than ${entryBytes} bytes`);
    }
    if (bytes <= inlineEntryBytes) return null;
    const name = this.blobs.write(data);
    this.onPoint('blob-written');
    return name;
  }

  /** Whether a writer chose this id. */
  protected hasEntry(id: EntryId): boolean {
    return this.database.get('SELECT 1 FROM journal_entry WHERE id = ? AND chosen = 1', id) !== undefined;
  }

  /** The entry whose writer chose this id. */
  protected entryById(id: EntryId): Entry | undefined {
    const row = this.database.get<EntryRow>(
      `SELECT ${ENTRY_COLUMNS} FROM journal_entry WHERE id = ? AND chosen = 1`,
      id,
    );
    return row && entryFromRow(row, this);
  }

  /** What an earlier version, or a process that was killed, left to do. */
  protected resume(): void {
    if (isCheckpointDue(this.database) && !mayOnlyBeRead(this.database.path)) this.#checkpointSoon();
  }

  protected checkpointIfDue(): void {
    if (this.#checkpointDue) this.#checkpointSoon();
  }

  /** Nobody waits for these: a failure that can pass by itself is left to the next time. */
  #checkpointSoon(): void {
    this.#checkpointDue = true;
    this.#checkpointing ??= this.#checkpointInTurns().finally(() => {
      this.#checkpointing = undefined;
    });
  }

  async #checkpointInTurns(): Promise<void> {
    try {
      // Whoever opened the journal or committed the last entry is answered first.
      await nextTurn();
      while (this.#checkpointDue && !this.isClosing) {
        this.#checkpointDue = false;
        await this.#checkpoints.make(() => this.isClosing);
      }
    } catch (error) {
      if (!(InfoldError.isInstance(error) && error.retryable)) this.onError(error);
    }
  }

  async #finish(): Promise<void> {
    await this.settle();
    await this.#rebuilding?.catch(nothing);
    await this.#checkpointing;
    await this.release();
    this.tail.close();
    this.database.close();
  }

  /** On a connection of its own, so that readers in this process see the old tables until the new ones are whole. */
  async #rebuildApart(progress?: Progress): Promise<{ entries: number; events: number }> {
    const { path } = this.database;
    this.database.settle();
    const database = await openDatabase(path);
    try {
      configureConnection(database);
      await retryWhileLocked(() => database.exec('BEGIN IMMEDIATE'), { wait: this.limits.lockWait });
      checkCurrent(readHead(database), this.projector, path);
      const result = await rebuildProjections(database, this.projector, this.blobs, progress);
      database.exec('COMMIT');
      return result;
    } catch (error) {
      throw storageError(error, path);
    } finally {
      database.close();
    }
  }

  /** A write to the journal's own tables that is no entry. */
  async #transact<T>(work: () => T, { durable = true } = {}): Promise<T> {
    const { database } = this;
    const attempt = () => {
      database.settle();
      const restore = durable ? nothing : this.relax();
      try {
        database.exec('BEGIN IMMEDIATE');
        checkCurrent(readHead(database), this.projector, database.path);
        const result = work();
        database.exec('COMMIT');
        return result;
      } catch (error) {
        database.rollBack();
        throw error;
      } finally {
        restore();
      }
    };
    try {
      return await this.line.run(attempt, this.patience);
    } catch (error) {
      throw storageError(error, database.path);
    }
  }

  /** What may be lost is not waited for: the next durable write makes it durable too, in its order. */
  protected relax(): () => void {
    this.database.exec('PRAGMA synchronous = NORMAL');
    return () => this.database.exec('PRAGMA synchronous = FULL');
  }

  protected nextRevision(stream: string): number {
    const sql = 'SELECT max(rev) AS rev FROM journal_entry WHERE stream = ?';
    return (this.database.get<{ rev: number | null }>(sql, stream)!.rev ?? 0) + 1;
  }
}
