import { nextTurn } from '../../kernel/background.ts';
import { sleep } from '../../kernel/clock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { isBusy, storageError } from '../../kernel/sqlite.ts';
import { type Entry, FORGOTTEN } from '../journal.ts';
import { LocalJournal, type LocalJournalOptions, nothing, type WrittenEntry } from '../local.ts';
import {
  ENTRY_COLUMNS,
  type EntryContent,
  type EntryRow,
  entryFromRow,
  type HeadRow,
  notReached,
  readHead,
} from '../rows.ts';
import type { WrittenForgotten } from '../upcast.ts';
import type { Cluster } from './cluster.ts';
import { Erasure } from './erasure.ts';
import { Follower, type Message } from './follower.ts';
import { clusterKeys } from './keys.ts';
import { type Cursor, readCursor, writeCursor } from './node.ts';
import type { SnapshotMark } from './snapshots.ts';
import { type StoreOptions, type Stores, unavailable } from './stores.ts';
import { Upkeep, type UpkeepSchedule } from './upkeep.ts';
import { type EntryHead, type EntryText, readHeads, readText } from './wire.ts';

/** The points at which a test can stop a node: those of a file, of publishing, and of making a snapshot. */
export type NatsPoint =
  | Parameters<NonNullable<LocalJournalOptions['onPoint']>>[0]
  | 'publishing'
  | 'published'
  | 'snapshot-made'
  | 'snapshot-stored';

export interface NatsJournalOptions extends Omit<LocalJournalOptions, 'onPoint'>, StoreOptions {
  upkeep?: Partial<UpkeepSchedule>;
  onPoint?: (point: NatsPoint) => void;
  /** Types of events that this program knows. A node that meets another one stops following. */
  knownTypes?: ReadonlySet<string>;
}

/** What became of an entry where it was applied. The same on every node. */
export type Applied = { entry: Entry } | { earlier: Entry } | { error: unknown; head: number } | 'void';

type Body = EntryText & { position: number };

/** The header of entries, on its way to be applied. */
interface Arrived {
  position: number;
  heads: EntryHead[];
  /** Nothing to apply: the nodes are asked what their tables come to here. */
  isAudit?: boolean;
}

/** A write transaction that stays open for what comes next. */
interface Held {
  head: HeadRow;
  cursor: Cursor;
  /** The newest entry before it. */
  before: number;
  /** What was applied in it, to be applied again should it be lost. */
  arrived: Arrived[];
  bodies: Body[];
  timer: NodeJS.Timeout | undefined;
}

interface Batch {
  results: [EntryHead, Applied][];
  entries: Entry[];
}

const APPLY_TIME = 15;
const MOST_APPLIED = 1000;
/** Milliseconds that a transaction is held for more to come, and that others then have a chance at the lock. */
const HOLD = 20;
const HOLD_FAR_BEHIND = 250;
const REST = 3;
/** After one was lost, so long each batch is committed by itself. */
const AFTER_LOSS = 5000;
/** A header counts only if its body came at most so many messages before it, so that every node decides alike. */
export const BODY_WINDOW = 4096;
/** Milliseconds without anything to apply after which writes are waited for again. */
const RELAXED = 10;
const END_WAIT = 5000;
export const RETRY = 100;
const FAR_BEHIND = 200;
const WRITTEN_KNOWN = 10_000;
const STREAMS_KNOWN = 50_000;

/**
 * The file of a node: it follows the stream. The place of an entry, its hash and whether it counts at all are found here, alike on
 * every node. NATS has what is applied, so that batches share a transaction which is held for a moment; who reads on this
 * connection sees what is in it.
 */
export abstract class FollowingJournal extends LocalJournal {
  readonly cluster: Cluster;
  protected readonly stores: Stores;
  protected readonly follower: Follower;
  protected readonly erasure: Erasure;
  protected readonly upkeep: Upkeep;
  protected readonly onNatsPoint: (point: NatsPoint) => void;
  readonly #knownTypes: ReadonlySet<string> | undefined;
  /** The position of the last header of each stream. */
  readonly #last = new Map<string, number>();
  /** Bodies whose headers are still to come, in their order. */
  #bodies = new Map<string, Body>();
  #arrived: Arrived[] = [];
  #applying: Promise<void> | undefined;
  #held: Held | undefined;
  /** When a transaction may be held again. */
  #mayHoldFrom = 0;
  readonly #onApplied = new Map<string, (applied: Applied) => void>();
  /** Positions of the newest entries that this process wrote. */
  readonly #wrote = new Set<number>();
  #cursor: Cursor;
  /** The newest entry that was applied. */
  #seq: number;
  #watchingPosition: { position: number; resolve: () => void }[] = [];
  #lastApplied = 0;
  #restoring: NodeJS.Timeout | undefined;
  /** For good: what comes after an entry that cannot be applied must not be applied either. */
  #hasStopped = false;
  /** Why this node applies nothing at the moment. */
  #stuck: InfoldError | undefined;

  protected constructor(
    database: LocalJournal['database'],
    options: NatsJournalOptions,
    stores: Stores,
    cursor: Cursor,
    node: string,
  ) {
    super(database, options as LocalJournalOptions, clusterKeys(stores));
    this.stores = stores;
    this.#knownTypes = options.knownTypes;
    this.#cursor = cursor;
    this.#seq = readHead(database).seq;
    database.settle = () => this.#commitHeld();
    this.cluster = {
      node,
      connection: stores.connection,
      publisher: stores.publisher,
      bucket: (name, settings) => stores.bucket(name, settings),
      objects: (name, settings) => stores.objects(name, settings),
      read: (objects, name) => stores.readWhole(objects, name),
      erase: (objects, name) => stores.erase(objects, name),
      state: () => this.#state(),
      wrote: (seq) => this.#wrote.has(seq),
    };
    this.follower = new Follower(
      stores,
      cursor.oldest - 1,
      (messages) => this.#arrive(messages),
      this.onError,
    );
    this.erasure = new Erasure(stores, this, () => this.isClosing, this.onError);
    this.onNatsPoint = options.onPoint ?? nothing;
    this.upkeep = new Upkeep(
      stores,
      {
        ...{ name: node, database, projector: this.projector, clock: this.clock, onPoint: this.onNatsPoint },
        state: () => this.#state(),
        head: () => this.head(),
        verifyTables: () => this.verifyTables(),
        rebuild: () => this.rebuild(),
        onError: this.onError,
      },
      options.upkeep,
    );
  }

  /** Resolves when all that was in the stream is applied. */
  protected async start(restored: SnapshotMark | undefined): Promise<void> {
    this.follower.start();
    await this.follower.caughtUp;
    while (this.#applying) await this.#applying;
    if (this.#stuck) throw this.#stuck;
    this.resume();
    this.erasure.resume();
    this.upkeep.start();
    if (restored) void this.#verifySnapshot(restored);
  }

  /** The newest entry that was applied. */
  protected get seq(): number {
    return this.#seq;
  }

  protected checkUnstuck(): void {
    if (this.#stuck) throw this.#stuck;
  }

  async reached(seq: number): Promise<void> {
    const deadline = performance.now() + this.limits.lockWait;
    while (this.head().seq < seq) {
      const left = deadline - performance.now();
      if (left <= 0) throw notReached(seq, this.head().seq);
      await this.#moved(this.#cursor.position + 1, Math.min(left, RETRY));
    }
  }

  protected async settle(): Promise<void> {
    // A server that does not answer must not keep a process from ending.
    const parts = [this.upkeep.stop(), this.follower.stop(), this.erasure.settle()];
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, END_WAIT);
    });
    await Promise.race([Promise.all(parts), late]);
    clearTimeout(timer);
    while (this.#applying) await this.#applying;
  }

  protected override async release(): Promise<void> {
    clearTimeout(this.#restoring);
    try {
      this.#commitHeld();
    } catch (error) {
      // It is applied again at the next start.
      this.onError(error);
    }
    await this.stores.connection.close();
  }

  #state() {
    const { position } = this.#cursor;
    const lag = Math.max(0, this.follower.newest - position);
    const reason = this.#stuck?.message ?? (this.follower.isConnected ? undefined : 'NATS does not answer');
    return { ready: reason === undefined && lag < BODY_WINDOW, reason, seq: this.head().seq, position, lag };
  }

  /** Behind the back of those who already read from it: a snapshot that is not whole is taken away, and this node stops. */
  async #verifySnapshot({ object }: SnapshotMark): Promise<void> {
    try {
      const { ok, first } = await this.verify();
      if (ok || this.isClosing) return;
      await (await this.stores.objects()).delete(object);
      const problem = `The snapshot that this node began with is damaged (entry ${first?.seq}: ${first?.problem}). Remove ${this.database.path} and start again`;
      this.#stop(new InfoldError('storage_invalid', problem));
    } catch (error) {
      if (!this.isClosing) this.onError(error);
    }
  }

  /** Resolves when the entry with this body was applied, and says what became of it. */
  protected applied(name: string): Promise<Applied> {
    return new Promise((tell) => this.#onApplied.set(name, tell));
  }

  protected noLongerWaitFor(heads: readonly { head: EntryHead }[]): void {
    for (const { head } of heads) this.#onApplied.delete(head.name);
  }

  /** The position of the stream's last header, as far as is known. */
  protected lastKnown(stream: string): number | undefined {
    return this.#last.get(this.stores.subjects.head(stream));
  }

  protected remember(stream: string, position: number): void {
    const subject = this.stores.subjects.head(stream);
    this.#last.delete(subject);
    if (this.#last.size >= STREAMS_KNOWN) this.#last.delete(this.#last.keys().next().value!);
    this.#last.set(subject, position);
  }

  /** Resolves when everything up to this position of the stream has been applied. */
  protected async caughtUp(position: number, deadline = Number.POSITIVE_INFINITY): Promise<void> {
    while (this.#cursor.position < position) {
      const left = deadline - performance.now();
      this.checkUnstuck();
      if (left <= 0) throw unavailable('This node is behind the journal', `at ${this.#cursor.position}`);
      await this.#moved(position, Math.min(left, RETRY));
    }
  }

  #moved(position: number, wait: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, wait);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#watchingPosition.push({ position, resolve: done });
    });
  }

  /** Messages of the stream, in its order, each once. */
  #arrive(messages: readonly Message[]): void {
    if (this.#hasStopped) return;
    for (const { position, text, heads, data } of messages) {
      const body = text ?? (data?.kind === 'body' ? readText(data.text) : undefined);
      if (body) this.#bodies.set(body.name, { ...body, position });
      else if (heads) this.#arrived.push({ position, heads });
      else if (data?.kind === 'audit') this.#arrived.push({ position, heads: [], isAudit: true });
      else if (data?.kind === 'head') {
        try {
          this.#arrived.push({ position, heads: readHeads(data.text, position) });
        } catch (error) {
          this.#stop(error);
          return;
        }
      }
    }
    if (this.#arrived.length > 0) this.#applying ??= this.#applyAll();
    else this.#dropOldBodies();
  }

  async #applyAll(): Promise<void> {
    let pause = RETRY;
    while (this.#arrived.length > 0 && !this.#hasStopped && !(this.isClosing && this.#stuck)) {
      try {
        // Far behind, it is worth waiting for more to apply at once.
        if (this.#isFarBehind()) await nextTurn();
        if (this.#arrived[0]!.isAudit) {
          this.#commitHeld();
          const { position } = this.#arrived.shift()!;
          await this.upkeep.audit(position);
          continue;
        }
        // More may arrive meanwhile, whose bodies were not looked for.
        const ready = Math.min(this.#arrived.length, MOST_APPLIED);
        const missing = this.#missingBodies(ready);
        if (missing.length > 0) await this.#fetch(missing);
        const { results, entries } = await this.line.run(() => this.#attempt(ready), this.patience);
        this.#stuck = undefined;
        pause = RETRY;
        for (const [{ name }, applied] of results) {
          if (applied !== 'void' && 'entry' in applied && this.#onApplied.has(name))
            this.#noteWritten(applied.entry.seq);
        }
        this.deliver(entries);
        for (const [head, applied] of results) this.#settle(head, applied);
        this.#wake();
        this.#dropOldBodies();
        if (this.#arrived.length > 0) await nextTurn();
      } catch (error) {
        if (isNewer(error)) {
          this.#stop(error);
          break;
        }
        this.#report(error);
        await sleep(pause);
        pause = Math.min(pause * 2, 2000);
      }
    }
    this.#applying = undefined;
  }

  #isFarBehind(): boolean {
    return this.follower.newest - this.#cursor.position > FAR_BEHIND;
  }

  /** What came cannot be applied at the moment; a lock of another process passes by itself. */
  #report(error: unknown): void {
    if (isBusy(error)) return;
    const failure = storageError(error, this.database.path);
    if (!this.#stuck) this.onError(failure);
    this.#stuck = InfoldError.isInstance(failure)
      ? failure
      : unavailable('This node cannot apply entries', failure);
    this.#wake();
  }

  /** What is to be applied needs its bodies here: those that are objects, and what is left of those that were erased. */
  #missingBodies(ready: number): (string | Body)[] {
    const missing: (string | Body)[] = [];
    for (let index = 0; index < ready; index++) {
      const { position, heads } = this.#arrived[index]!;
      if (position <= this.#cursor.position) continue;
      for (const { name } of heads) {
        const body = this.#bodies.get(name);
        if (!body) missing.push(name);
        else if (body.blob !== null && body.data === '') missing.push(body);
      }
    }
    return missing;
  }

  async #fetch(missing: readonly (string | Body)[]): Promise<void> {
    for (const one of missing) {
      if (typeof one === 'string') await this.erasure.learn(one);
      else await this.#fetchObject(one, one.blob!);
    }
  }

  /** It was stored before its entry was published: where it is not there, it was erased, or NATS does not answer well. */
  async #fetchObject(body: EntryText, blob: string): Promise<void> {
    const data = this.blobs.read(blob) ?? (await this.stores.getObject(blob));
    if (data !== undefined) {
      this.blobs.write(data);
      body.data = data;
      return;
    }
    await this.erasure.learn(body.name);
    if (!this.erasure.left(body.name)) {
      throw unavailable('The data of an entry cannot be read from NATS', `object ${blob}`);
    }
  }

  /** Applies as many as there is time for; a refused entry leaves the others alone. */
  #attempt(ready: number): Batch {
    const held = this.#hold();
    const batch = this.#whole(() => {
      const applied = this.apart(() => this.#applyReady(ready, held, false));
      if (!('error' in applied)) return applied.result;
      if (isNewer(applied.error)) return applied;
      // Most entries are not refused: only then are they applied one by one.
      const one = this.apart(() => this.#applyReady(ready, held, true));
      return 'error' in one ? one : one.result;
    });
    if ('error' in batch) throw batch.error;
    const { head, cursor, results, count, erases } = batch;
    held.head = head;
    held.cursor = cursor;
    this.#cursor = cursor;
    this.#seq = head.seq;
    const applied = this.#arrived.splice(0, count);
    held.arrived.push(...applied);
    for (const { position, heads } of applied) {
      this.remember(heads[0]!.stream, position);
      for (const { name } of heads) {
        const body = this.#bodies.get(name);
        if (!body) continue;
        held.bodies.push(body);
        this.#bodies.delete(name);
      }
    }
    // What is erased must be gone before it is said to be.
    this.#letGo(erases);
    const entries = results.flatMap(([, outcome]) =>
      outcome !== 'void' && 'entry' in outcome ? [outcome.entry] : [],
    );
    return { results, entries };
  }

  #applyReady(ready: number, held: Held, careful: boolean) {
    const head = { ...held.head };
    const cursor = { ...held.cursor };
    const results: [EntryHead, Applied][] = [];
    const end = performance.now() + APPLY_TIME;
    let count = 0;
    let erases = false;
    for (const { position, heads, isAudit } of this.#arrived) {
      if (isAudit) break;
      // Another process of this node may have been faster.
      if (position <= cursor.position) results.push(...this.#appliedElsewhere(heads));
      else {
        const applied = this.#applyHeads(position, heads, head, careful);
        erases ||= applied.some(([, one]) => one !== 'void' && 'entry' in one && isForgetting(one.entry));
        results.push(...applied);
        cursor.position = position;
      }
      count++;
      if (count === ready || performance.now() > end) break;
    }
    cursor.oldest = this.#oldestBody(cursor.position) + 1;
    writeCursor(this.database, cursor);
    this.writeHead(head);
    return { head, cursor, results, count, erases };
  }

  /** The transaction that is open, or a new one. */
  #hold(): Held {
    if (this.#held) return this.#held;
    this.#relax();
    try {
      const head = this.begin();
      const cursor = readCursor(this.database);
      this.#held = { head, cursor, before: head.seq, arrived: [], bodies: [], timer: undefined };
    } catch (error) {
      this.database.rollBack();
      throw error;
    }
    return this.#held;
  }

  /** Commits, now or in a moment: a transaction for each entry would cost more than all else that is done for it. */
  #letGo(atOnce: boolean): void {
    const held = this.#held!;
    if (atOnce || performance.now() < this.#mayHoldFrom) this.#commitHeld();
    else held.timer ??= setTimeout(() => this.#endHold(), this.#isFarBehind() ? HOLD_FAR_BEHIND : HOLD);
  }

  #endHold(): void {
    try {
      this.#commitHeld();
    } catch (error) {
      this.#report(error);
      if (this.#arrived.length > 0) this.#applying ??= this.#applyAll();
    }
  }

  #commitHeld(): void {
    const held = this.#held;
    if (!held) return;
    this.#whole(() => this.commitSince(held.before, held.head));
    this.#held = undefined;
    if (held.timer) {
      clearTimeout(held.timer);
      this.#mayHoldFrom = performance.now() + REST;
    }
    this.checkpointIfDue();
  }

  /** Runs what belongs to the held transaction. Where the storage fails, nothing of that is left, and it is applied again. */
  #whole<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const { arrived, bodies, timer } = this.#held!;
      clearTimeout(timer);
      this.#held = undefined;
      this.database.rollBack();
      this.#mayHoldFrom = performance.now() + AFTER_LOSS;
      this.#arrived.unshift(...arrived);
      this.#bodies = new Map([...bodies, ...this.#bodies.values()].map((body) => [body.name, body]));
      this.#cursor = readCursor(this.database);
      this.#seq = readHead(this.database).seq;
      throw error;
    }
  }

  /** What the work answers, from tables that are as they were again afterwards. */
  protected tryOut<T>(work: (head: HeadRow) => T): T {
    const held = this.#hold();
    const result = this.#whole(() => this.undone(() => work({ ...held.head })));
    this.#letGo(false);
    return result;
  }

  /** NATS has what is applied here: nothing of it is waited for. Asked for once for many, since to say it takes a while. */
  #relax(): void {
    this.#lastApplied = performance.now();
    if (this.#restoring) return;
    const restore = this.relax();
    const look = () => {
      const left = this.#held ? HOLD : this.#lastApplied + RELAXED - performance.now();
      if (left > 0) this.#restoring = setTimeout(look, left);
      else {
        this.#restoring = undefined;
        restore();
      }
    };
    this.#restoring = setTimeout(look, RELAXED);
  }

  /** Entries of one header were decided on each other: after one that does not count, none does. */
  #applyHeads(
    position: number,
    heads: readonly EntryHead[],
    head: HeadRow,
    careful: boolean,
  ): [EntryHead, Applied][] {
    let isBroken = false;
    return heads.map((one) => {
      const applied = isBroken ? 'void' : this.#applyOne(position, one, head, careful);
      isBroken ||= applied === 'void' || !('entry' in applied);
      return [one, applied];
    });
  }

  #applyOne(position: number, one: EntryHead, head: HeadRow, careful: boolean): Applied {
    const earlier = one.chosen ? this.entryById(one.id) : undefined;
    if (earlier) return { earlier };
    // JetStream's own check lets two pass that come together, where it keeps several copies.
    if (one.rev !== this.nextRevision(one.stream)) return 'void';
    const body = this.#bodies.get(one.name);
    const left = this.erasure.left(one.name);
    if (!left && !(body && isBefore(body, position))) return 'void';
    const content: EntryContent = left
      ? { events: structuredClone(left.events) }
      : (JSON.parse(body!.data) as EntryContent);
    for (const { type } of content.events) this.#checkKnown(type, position);
    const written: WrittenEntry = {
      ...one,
      content,
      body: left ? undefined : { salt: body!.salt, data: body!.data },
      blob: left ? null : body!.blob,
      ...(left && { replacedBy: left.by }),
      erase: erasedBy(content),
    };
    if (written.erase) this.erasure.willErase(head.seq + 1, written.erase);
    const append = () => {
      const entry = this.append(written, head);
      this.database.run('INSERT INTO journal_position VALUES (?, ?)', entry.seq, body?.position ?? null);
      return entry;
    };
    if (!careful) return { entry: append() };
    const outcome = this.apart(append);
    return 'error' in outcome ? { ...outcome, head: head.seq } : { entry: outcome.result };
  }

  /** Entries of this process that another process of the node has applied before it could. */
  #appliedElsewhere(heads: readonly EntryHead[]): [EntryHead, Applied][] {
    return heads
      .filter(({ name }) => this.#onApplied.has(name))
      .map((head) => {
        const row = this.database.get<EntryRow>(
          `SELECT ${ENTRY_COLUMNS} FROM journal_entry WHERE stream = ? AND id = ? ORDER BY rev DESC LIMIT 1`,
          head.stream,
          head.id,
        );
        return [head, row ? { entry: entryFromRow(row, this) } : 'void'];
      });
  }

  #checkKnown(type: string, position: number): void {
    if (!this.#knownTypes || this.#knownTypes.has(type)) return;
    throw new InfoldError(
      'storage_newer',
      `Message ${position} of the journal was written by a newer Infold (it holds ${type}). Upgrade Infold`,
    );
  }

  #settle({ name }: EntryHead, applied: Applied): void {
    const tell = this.#onApplied.get(name);
    if (applied !== 'void' && 'entry' in applied) this.erasure.follow(applied.entry, tell !== undefined);
    this.erasure.applied(name);
    tell?.(applied);
    this.#onApplied.delete(name);
  }

  #noteWritten(seq: number): void {
    if (this.#wrote.size >= WRITTEN_KNOWN) this.#wrote.delete(this.#wrote.values().next().value!);
    this.#wrote.add(seq);
  }

  #wake(): void {
    if (this.#watchingPosition.length === 0) return;
    const { position } = this.#cursor;
    const isReady = (one: { position: number }) => one.position <= position || this.#stuck !== undefined;
    const ready = this.#watchingPosition.filter(isReady);
    this.#watchingPosition = this.#watchingPosition.filter((one) => !isReady(one));
    for (const { resolve } of ready) resolve();
  }

  #stop(error: unknown): void {
    this.#hasStopped = true;
    this.#stuck = InfoldError.isInstance(error) ? error : unavailable('This node cannot follow', error);
    this.onError(error);
    void this.follower.stop();
    this.#arrived = [];
    this.#wake();
  }

  #oldestBody(position: number): number {
    for (const body of this.#bodies.values())
      if (body.position > position - BODY_WINDOW) return body.position - 1;
    return position;
  }

  #dropOldBodies(): void {
    for (const [id, { position }] of this.#bodies) {
      if (position > this.#cursor.position - BODY_WINDOW) return;
      this.#bodies.delete(id);
    }
  }
}

/** Whether the body came before its header, and not too long before it. */
function isBefore({ position }: { position: number }, header: number): boolean {
  return position < header && header - position <= BODY_WINDOW;
}

function erasedBy({ events }: EntryContent): number[] | undefined {
  const told = events.filter(({ type }) => type === FORGOTTEN);
  if (told.length === 0) return undefined;
  return told.flatMap(({ data }) => (data as WrittenForgotten).entries.map(({ seq }) => seq));
}

function isForgetting({ events }: Entry): boolean {
  return events.some(({ type }) => type === FORGOTTEN);
}

function isNewer(error: unknown): boolean {
  return InfoldError.isInstance(error) && error.code === 'storage_newer';
}
