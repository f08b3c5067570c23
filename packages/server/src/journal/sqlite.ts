import { join } from 'node:path';
import type { EntryId, Limits, Proof } from '@infold/protocol';
import { nextTurn } from '../kernel/background.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { InfoldError } from '../kernel/errors.ts';
import { randomBytesOf, uuidV7 } from '../kernel/ids.ts';
import { keepPrivate, makePrivateFolder } from '../kernel/private-files.ts';
import { type Database, openDatabase, storageError } from '../kernel/sqlite.ts';
import { BlobStore } from './blobs.ts';
import { cleanUpAfterErasing, type Erased, eraseEntries, mergeTextIndexes } from './erase.ts';
import { actorText, bodyDigest, entryHash, hexOf } from './integrity/chain.ts';
import {
  CHECKPOINT_INTERVAL,
  type CheckpointPoint,
  Checkpoints,
  isCheckpointDue,
} from './integrity/checkpoints.ts';
import { adoptKey, KeyFiles, SigningKeys, type Write } from './integrity/keys.ts';
import { positionOf, proveEntry } from './integrity/proof.ts';
import { verifyChain } from './integrity/verify.ts';
import type {
  CommitRequest,
  Committed,
  Entry,
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
  checkName,
  ENTRY_COLUMNS,
  type EntryContent,
  type EntryRow,
  entryFromRow,
  firstOf,
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

export interface SqliteJournalOptions {
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

interface Waiting {
  request: CommitRequest<unknown>;
  resolve: (committed: Committed<unknown>) => void;
  reject: (error: unknown) => void;
}

type Outcome = { committed: Committed<unknown> } | { error: unknown };

const GROUP_SIZE = 512;
/** Milliseconds after which a group's transaction ends: who is left has the next one. */
const GROUP_TIME = 20;
const nothing = () => {};

/** The embedded journal: one SQLite file that any number of processes share. */
export class SqliteJournal implements Journal {
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly keys: SigningKeys;
  readonly #checkpoints: Checkpoints;
  readonly #onError: (error: unknown) => void;
  readonly #projector: Projector;
  readonly #clock: Clock;
  readonly #limits: SqliteJournalOptions['limits'];
  readonly #onPoint: NonNullable<SqliteJournalOptions['onPoint']>;
  /** What is left to clear when the erasure of entries is durable. */
  #erased: Erased | undefined;
  readonly #tail: Tail;
  readonly #line = new LockQueue();
  #group: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #rebuilding: Promise<unknown> | undefined;
  #checkpointing: Promise<void> | undefined;
  #checkpointDue = false;
  /** Hashes of the entries of the transaction that is under way. */
  #hashes: Uint8Array[] = [];
  #writing = 0;
  #onIdle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  private constructor(database: Database, options: SqliteJournalOptions) {
    this.database = database;
    this.blobs = new BlobStore(join(options.folder, 'blobs'));
    this.#projector = new Projector(options.projections);
    this.#clock = options.clock ?? systemClock;
    this.#limits = options.limits;
    this.#onPoint = options.onPoint ?? nothing;
    this.#onError = options.onError ?? nothing;
    this.#tail = new Tail(this, this.#onError);
    const write: Write = (work, options) => this.#transact(work, options);
    const shared = { database, write, clock: this.#clock, onPoint: this.#onPoint };
    this.keys = new SigningKeys({ ...shared, files: new KeyFiles(join(options.folder, 'keys')) });
    this.#checkpoints = new Checkpoints({ ...shared, keys: this.keys });
  }

  static async open(options: SqliteJournalOptions): Promise<SqliteJournal> {
    const path = join(options.folder, 'infold.db');
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
    const database = await openJournalDatabase(path, new Projector(options.projections), options.onRebuild);
    const journal = new SqliteJournal(database, options);
    // What an earlier version, or a process that was killed, left to do.
    if (isCheckpointDue(database) && !mayOnlyBeRead(path)) journal.#checkpointSoon();
    return journal;
  }

  async commit<Answer>(request: CommitRequest<Answer>): Promise<Committed<Answer>> {
    this.#checkOpen();
    if (request.group) return (await this.#enqueue(request as CommitRequest<unknown>)) as Committed<Answer>;
    const [outcome] = await this.#write([request as CommitRequest<unknown>]);
    if ('error' in outcome!) throw outcome.error;
    return outcome!.committed as Committed<Answer>;
  }

  head(): Head {
    const row = readHead(this.database);
    return { seq: row.seq, hash: hexOf(row.hash) };
  }

  entryAt(seq: number): Entry | undefined {
    const row = this.database.get<EntryRow>(`SELECT ${ENTRY_COLUMNS} FROM journal_entry WHERE seq = ?`, seq);
    return row && entryFromRow(row, this);
  }

  entriesAt(seqs: readonly number[], bytes?: number): Entry[] {
    if (bytes !== undefined) return this.entriesAt(firstOf(this.database, seqs, bytes));
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

  watch(listener: (entry: Entry) => void): () => void {
    return this.#tail.watch(listener);
  }

  verify(progress?: Progress): Promise<VerifyReport> {
    return verifyChain(this.database, this.blobs, progress);
  }

  async checkpoint(progress?: Progress): Promise<void> {
    if (mayOnlyBeRead(this.database.path)) return;
    // One at a time: the next one goes on from where this one ends.
    while (this.#checkpointing) await this.#checkpointing;
    this.#checkOpen();
    const making = this.#checkpoints.make(() => this.#closing !== undefined, progress);
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

  verifyTables(progress?: Progress): Promise<TablesReport> {
    return verifyTables(this.database, this.#projector, this.blobs, progress);
  }

  async rebuild(progress?: Progress): Promise<{ entries: number; events: number }> {
    while (this.#rebuilding) await this.#rebuilding.catch(nothing);
    this.#checkOpen();
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

  /** Ends when every accepted commit has been answered. */
  async #finish(): Promise<void> {
    while (this.#flushing) await this.#flushing;
    await this.#rebuilding?.catch(nothing);
    await this.#checkpointing;
    while (this.#writing > 0) await new Promise<void>((idle) => (this.#onIdle = idle));
    this.#tail.close();
    this.database.close();
  }

  #checkOpen(): void {
    if (this.#closing) throw new InfoldError('storage_failed', 'The journal is closed');
  }

  /** On a connection of its own, so that readers in this process see the old tables until the new ones are whole. */
  async #rebuildApart(progress?: Progress): Promise<{ entries: number; events: number }> {
    const { path } = this.database;
    const database = await openDatabase(path);
    try {
      configureConnection(database);
      await retryWhileLocked(() => database.exec('BEGIN IMMEDIATE'), { wait: this.#limits.lockWait });
      checkCurrent(readHead(database), this.#projector, path);
      const result = await rebuildProjections(database, this.#projector, this.blobs, progress);
      database.exec('COMMIT');
      return result;
    } catch (error) {
      throw storageError(error, path);
    } finally {
      database.close();
    }
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
      while (this.#checkpointDue && !this.#closing) {
        this.#checkpointDue = false;
        await this.#checkpoints.make(() => this.#closing !== undefined);
      }
    } catch (error) {
      if (!(InfoldError.isInstance(error) && error.retryable)) this.#onError(error);
    }
  }

  /** A write to the journal's own tables that is no entry. */
  async #transact<T>(work: () => T, { durable = true } = {}): Promise<T> {
    const { database } = this;
    const attempt = () => {
      // What may be lost is not waited for: the next durable write makes it durable too, in its order.
      const { synchronous } = database.get<{ synchronous: number }>('PRAGMA synchronous')!;
      if (!durable) database.exec('PRAGMA synchronous = NORMAL');
      try {
        database.exec('BEGIN IMMEDIATE');
        checkCurrent(readHead(database), this.#projector, database.path);
        const result = work();
        database.exec('COMMIT');
        return result;
      } catch (error) {
        database.rollBack();
        throw error;
      } finally {
        if (!durable) database.exec(`PRAGMA synchronous = ${synchronous}`);
      }
    };
    const patience = { wait: this.#limits.lockWait, ownWork: () => this.#rebuilding };
    try {
      return await this.#line.run(attempt, patience);
    } catch (error) {
      throw storageError(error, database.path);
    }
  }

  #enqueue(request: CommitRequest<unknown>): Promise<Committed<unknown>> {
    return new Promise((resolve, reject) => {
      this.#group.push({ request, resolve, reject });
      this.#flushing ??= new Promise<void>((done) => setImmediate(done)).then(() => this.#flush());
    });
  }

  async #flush(): Promise<void> {
    while (this.#group.length > 0) {
      const batch = this.#group.splice(0, GROUP_SIZE);
      try {
        const outcomes = await this.#write(batch.map((waiting) => waiting.request));
        this.#group.unshift(...batch.splice(outcomes.length));
        for (const [index, outcome] of outcomes.entries()) {
          const waiting = batch[index]!;
          if ('error' in outcome) waiting.reject(outcome.error);
          else waiting.resolve(outcome.committed);
        }
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
      if (this.#group.length > 0) await nextTurn();
    }
    this.#flushing = undefined;
  }

  async #write(requests: CommitRequest<unknown>[]): Promise<Outcome[]> {
    this.#writing++;
    try {
      const outcomes = await this.#line.run(() => this.#attempt(requests), {
        wait: this.#limits.lockWait,
        ownWork: () => this.#rebuilding,
      });
      for (const outcome of outcomes) {
        if ('committed' in outcome && outcome.committed.entry && !outcome.committed.replayed) {
          this.#tail.deliver(outcome.committed.entry);
        }
      }
      this.#onPoint('delivered');
      if (this.#checkpointDue) this.#checkpointSoon();
      if (this.#erased) cleanUpAfterErasing(this.database, this.blobs, this.#erased);
      this.#erased = undefined;
      return outcomes;
    } catch (error) {
      throw storageError(error, this.database.path);
    } finally {
      if (--this.#writing === 0) this.#onIdle?.();
    }
  }

  /**
   * One transaction for as many of the requests as there is time for, but for one at least; a request that refuses leaves
   * the others alone.
   */
  #attempt(requests: CommitRequest<unknown>[]): Outcome[] {
    const { database } = this;
    this.#hashes = [];
    database.exec('BEGIN IMMEDIATE');
    try {
      this.#onPoint('begun');
      const head = readHead(database);
      checkCurrent(head, this.#projector, database.path);
      const written = head.seq;
      const outcomes: Outcome[] = [];
      const end = performance.now() + GROUP_TIME;
      for (const request of requests) {
        outcomes.push(this.#decideOne(request, head, requests.length > 1));
        if (performance.now() > end) break;
      }
      if (head.seq === written) {
        database.exec('ROLLBACK');
        return outcomes;
      }
      database.run('UPDATE journal_head SET seq = ?, hash = ? WHERE one = 1', head.seq, head.hash);
      this.#onPoint('committing');
      database.exec('COMMIT');
      this.#onPoint('committed');
      this.#checkpoints.follow(written, this.#hashes);
      const intervals = (seq: number) => Math.floor(seq / CHECKPOINT_INTERVAL);
      if (intervals(head.seq) > intervals(written)) this.#checkpointDue = true;
      return outcomes;
    } catch (error) {
      database.rollBack();
      throw error;
    }
  }

  #decideOne(request: CommitRequest<unknown>, head: HeadRow, shared: boolean): Outcome {
    if (!shared) return { committed: this.#append(request, head) };
    this.database.exec('SAVEPOINT one_commit');
    try {
      const committed = this.#append(request, head);
      this.database.exec('RELEASE one_commit');
      return { committed };
    } catch (error) {
      // A failure of the storage itself may have ended the whole transaction: everyone in it must know. Other
      // failures, a violated constraint too, concern this request only.
      if (storageError(error, this.database.path) !== error) throw error;
      this.database.exec('ROLLBACK TO one_commit; RELEASE one_commit');
      return { error };
    }
  }

  #append(request: CommitRequest<unknown>, head: HeadRow): Committed<unknown> {
    const { database } = this;
    for (const name of [request.stream, request.id, request.cause]) checkName(name);
    if (request.id !== undefined) {
      const earlier = this.#entryById(request.id);
      if (earlier) return { answer: earlier.answer, entry: earlier, replayed: true };
    }
    const now = this.#clock();
    const decision = request.decide(database, now);
    this.#onPoint('decided');
    if (decision.events.length === 0) return { answer: decision.answer, entry: undefined, replayed: false };

    const events = writtenEvents(decision.events);
    const data = JSON.stringify(
      request.id === undefined ? { events } : { events, answer: decision.answer ?? null },
    );
    // Projections and watchers get what was stored, not what was handed in: a date or an undefined field would
    // otherwise look different when it is read again.
    const content = JSON.parse(data) as EntryContent;
    const blob = this.#blobFor(data);
    const salt = randomBytesOf(16);
    const digest = bodyDigest({ salt, data });
    const seq = head.seq + 1;
    const entry: Entry = {
      seq,
      id: request.id ?? uuidV7(now),
      stream: request.stream,
      rev: this.#lastRevision(request.stream) + 1,
      at: now,
      actor: request.actor,
      cause: request.cause ?? null,
      ...content,
      events: readEvents(content.events, { seq, stream: request.stream }, database),
      erased: false,
    };
    const actor = actorText(entry.actor);
    const hash = entryHash(head.hash, { ...entry, actor, digest });
    database.run(
      `INSERT INTO journal_entry (seq, id, chosen, stream, rev, at, actor, cause, salt, data, blob, digest, hash)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      entry.seq,
      entry.id,
      request.id === undefined ? 0 : 1,
      entry.stream,
      entry.rev,
      entry.at,
      actor,
      entry.cause,
      salt,
      blob === null ? data : null,
      blob,
      digest,
      hash,
    );
    this.#onPoint('appended');
    if (decision.erase) {
      const blobs = eraseEntries(database, decision.erase, entry.seq);
      this.#erased = { blobs, thorough: decision.thorough ?? false };
    }
    if (decision.key) adoptKey(database, decision.key);
    this.#projector.apply(database, entry);
    if (decision.thorough) mergeTextIndexes(database);
    this.#onPoint('projected');
    head.seq = entry.seq;
    head.hash = hash;
    this.#hashes.push(hash);
    return { answer: decision.answer, entry, replayed: false };
  }

  #blobFor(data: string): string | null {
    const { inlineEntryBytes, entryBytes } = this.#limits;
    const bytes = Buffer.byteLength(data);
    if (bytes > entryBytes) {
      throw new InfoldError('too_large', `The entry is larger than ${entryBytes} bytes`);
    }
    if (bytes <= inlineEntryBytes) return null;
    const name = this.blobs.write(data);
    this.#onPoint('blob-written');
    return name;
  }

  #lastRevision(stream: string): number {
    return (
      this.database.get<{ rev: number | null }>(
        'SELECT max(rev) AS rev FROM journal_entry WHERE stream = ?',
        stream,
      )!.rev ?? 0
    );
  }

  #entryById(id: EntryId): Entry | undefined {
    const row = this.database.get<EntryRow>(
      `SELECT ${ENTRY_COLUMNS} FROM journal_entry WHERE id = ? AND chosen = 1`,
      id,
    );
    return row && entryFromRow(row, this);
  }
}
