import type { EntryId } from '@infold/protocol';
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
import { HeldTransaction } from './held.ts';
import { type Arrived, type ArrivedBody, Inbox } from './inbox.ts';
import { clusterKeys } from './keys.ts';
import { Leftovers } from './leftovers.ts';
import { type Cursor, lostFrom, writeCursor } from './node.ts';
import type { SnapshotMark } from './snapshots.ts';
import { type StoreOptions, type Stores, unavailable } from './stores.ts';
import { Upkeep, type UpkeepSchedule } from './upkeep.ts';
import type { EntryHead } from './wire.ts';

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
export type Applied = { entry: Entry } | { earlier: EntryId } | { error: unknown; head: number } | 'void';

interface Result {
  head: EntryHead;
  applied: Applied;
  /** Where its body stands in the stream, where it came. */
  body: number | undefined;
}

interface Batch {
  results: Result[];
  entries: Entry[];
}

const APPLY_TIME = 15;
const MOST_APPLIED = 1000;
const END_WAIT = 5000;
export const RETRY = 100;
const FAR_BEHIND = 200;
/** A node is ready unless it is so many messages behind the end of the journal for more than so many milliseconds. */
const BEHIND = 100;
const BEHIND_FOR = 1000;
/** Milliseconds that a start waits for what may pass by itself. */
const START_WAIT = 10_000;
/** What is erased or lost is asked for together. */
const ASKED_AT_ONCE = 64;
const WRITTEN_KNOWN = 10_000;
const STREAMS_KNOWN = 50_000;

/** A body is missing, and whether it was erased is not certain. */
class Doubt extends Error {
  readonly digest: string;

  constructor(digest: string) {
    super(`The body ${digest} is missing`);
    this.digest = digest;
  }
}

/**
 * The file of a node: it follows the stream. The place of an entry, its hash and whether it counts at all are found here, alike on
 * every node.
 */
export abstract class FollowingJournal extends LocalJournal {
  readonly cluster: Cluster;
  protected readonly stores: Stores;
  protected readonly follower: Follower;
  protected readonly erasure: Erasure;
  protected readonly leftovers: Leftovers;
  protected readonly upkeep: Upkeep;
  protected readonly onNatsPoint: (point: NatsPoint) => void;
  readonly #knownTypes: ReadonlySet<string> | undefined;
  /** The position of the last header of each stream. */
  readonly #last = new Map<string, number>();
  readonly #inbox: Inbox;
  readonly #held: HeldTransaction;
  #applying: Promise<void> | undefined;
  readonly #onApplied = new Map<string, (applied: Applied) => void>();
  /** Positions of the newest entries that this process wrote. */
  readonly #wrote = new Set<number>();
  #cursor: Cursor;
  /** The newest entry that was applied. */
  #seq: number;
  #watchingPosition = new Set<{ position: number; resolve: () => void }>();
  /** Since when this node is behind the end of the journal. */
  #behindSince: number | undefined;
  /** The body for which it has to be made certain whether it was erased. */
  #doubtful: string | undefined;
  /** For good: what comes after an entry that cannot be applied must not be applied either. */
  #hasStopped = false;
  /** Why this node applies nothing at the moment. */
  #stuck: InfoldError | undefined;
  /** How the other nodes differ from this one: then it must not decide, since what it knows may be wrong. */
  #different: string | undefined;

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
    this.#held = new HeldTransaction({
      ...{ database, onError: (error) => this.#holdFailed(error) },
      begin: () => this.begin(),
      commitSince: (written, head) => this.commitSince(written, head),
      relax: () => this.relax(),
      isFarBehind: () => this.#isFarBehind(),
      onCommitted: () => this.checkpointIfDue(),
      onLost: (arrived, bodies, cursor, seq) => this.#lost(arrived, bodies, cursor, seq),
    });
    database.settle = () => this.#held.commit();
    this.leftovers = new Leftovers(stores);
    this.#inbox = new Inbox((position) => this.leftovers.discardLater(position));
    this.cluster = {
      node,
      connection: stores.connection,
      publisher: stores.publisher,
      bucket: (name, settings) => stores.bucket(name, settings),
      objects: (name, settings) => stores.objects(name, settings),
      read: (objects, name) => stores.readWhole(objects, name),
      erase: (objects, name) => stores.erase(objects, name),
      state: () => this.#state(),
      caughtUp: () => this.#caughtUpWithAll(),
      wrote: (seq) => this.#wrote.has(seq),
    };
    this.follower = new Follower(stores, cursor.oldest - 1, {
      take: (messages) => this.#arrive(messages),
      room: () => this.#inbox.room(),
      lost: (info, seen) => lostFrom(database, stores.stream, info, seen),
      onLost: (error) => this.#stop(error),
      onError: this.onError,
    });
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
        differs: (problem) => {
          this.#different = problem;
        },
        onError: this.onError,
      },
      options.upkeep,
    );
  }

  /** Resolves when all that was in the stream is applied; fails where that cannot be. */
  protected async start(restored: SnapshotMark | undefined): Promise<void> {
    this.follower.start();
    await this.#catchUp();
    this.resume();
    this.erasure.resume();
    this.upkeep.start();
    if (restored) void this.#verifySnapshot(restored);
  }

  async #catchUp(): Promise<void> {
    let stuckSince: number | undefined;
    while (!(this.follower.hasCaughtUp && this.#inbox.isEmpty && !this.#applying)) {
      stuckSince = this.#stuck && (stuckSince ?? performance.now());
      const isOver = this.#hasStopped || this.#stuck?.retryable === false;
      if (this.#stuck && (isOver || performance.now() - stuckSince! > START_WAIT)) throw this.#stuck;
      const next = this.#applying ?? (this.follower.hasCaughtUp ? undefined : this.follower.caughtUp);
      await Promise.race([sleep(RETRY), ...(next ? [next] : [])]);
    }
    if (this.#stuck) throw this.#stuck;
  }

  /** The newest entry that was applied. */
  protected get seq(): number {
    return this.#seq;
  }

  protected checkUnstuck(): void {
    if (this.#stuck) throw this.#stuck;
    if (this.#different !== undefined) throw new InfoldError('storage_invalid', this.#different);
  }

  /** Everything up to this position of the stream was applied. What comes after the last header there is nothing to apply. */
  get #position(): number {
    const { position } = this.#cursor;
    return this.#inbox.isEmpty && !this.#hasStopped ? Math.max(position, this.#inbox.seen) : position;
  }

  async reached(seq: number): Promise<void> {
    const deadline = performance.now() + this.limits.lockWait;
    while (this.head().seq < seq) {
      const left = deadline - performance.now();
      if (left <= 0) throw notReached(seq, this.head().seq);
      await this.#moved(this.#position + 1, Math.min(left, RETRY));
    }
  }

  protected async settle(): Promise<void> {
    // A server that does not answer must not keep a process from ending.
    const parts = [this.upkeep.stop(), this.follower.stop(), this.erasure.settle(), this.leftovers.settle()];
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, END_WAIT);
    });
    await Promise.race([Promise.all(parts), late]);
    clearTimeout(timer);
    while (this.#applying) await this.#applying;
  }

  protected override async release(): Promise<void> {
    this.#held.release();
    await this.stores.connection.close();
  }

  #state() {
    const position = this.#position;
    const lag = Math.max(0, this.follower.newest - position);
    this.#noteLag();
    const isNear = performance.now() - (this.#behindSince ?? Number.POSITIVE_INFINITY) < BEHIND_FOR;
    const silence = this.follower.isConnected ? undefined : 'NATS does not answer';
    const reason = this.#stuck?.message ?? this.#different ?? silence;
    return { ready: reason === undefined && isNear, reason, seq: this.head().seq, position, lag };
  }

  /** Behind the back of those who already read from it: a snapshot that is not whole is taken away, and this node stops. */
  async #verifySnapshot({ object }: SnapshotMark): Promise<void> {
    try {
      const { ok, first } = await this.verify();
      if (ok || this.isClosing) return;
      await this.stores.erase(await this.stores.objects(), object);
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
    while (this.#position < position) {
      const left = deadline - performance.now();
      this.checkUnstuck();
      if (left <= 0) throw unavailable('This node is behind the journal', `at ${this.#position}`);
      await this.#moved(position, Math.min(left, RETRY));
    }
  }

  async #caughtUpWithAll(): Promise<void> {
    const deadline = performance.now() + this.limits.lockWait;
    let last: number;
    try {
      last = await this.follower.look();
    } catch (error) {
      throw unavailable('Whether this node is behind the journal is not known', error);
    }
    await this.caughtUp(last, deadline);
  }

  #moved(position: number, wait: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#watchingPosition.delete(watching);
        resolve();
      };
      const timer = setTimeout(done, wait);
      const watching = { position, resolve: done };
      this.#watchingPosition.add(watching);
    });
  }

  /** Messages of the stream, in its order, each once. */
  #arrive(messages: readonly Message[]): void {
    if (this.#hasStopped) return;
    try {
      for (const message of messages) this.#inbox.add(message);
    } catch (error) {
      this.#stop(error);
      return;
    }
    this.#noteLag();
    if (!this.#inbox.isEmpty) this.#apply();
    else {
      this.#inbox.dropUnclaimed();
      this.#wake();
    }
  }

  /** Starts to apply what waits, unless that is under way. */
  #apply(): void {
    if (this.#applying || !this.#mayApply()) return;
    this.#applying = this.#applyAll().finally(() => {
      this.#applying = undefined;
      this.#apply();
    });
  }

  #mayApply(): boolean {
    return !this.#inbox.isEmpty && !this.#hasStopped && !(this.isClosing && this.#stuck);
  }

  async #applyAll(): Promise<void> {
    let pause = RETRY;
    while (this.#mayApply()) {
      try {
        // Far behind, it is worth waiting for more to apply at once.
        if (this.#isFarBehind()) await nextTurn();
        if (this.#inbox.first!.isAudit) await this.#audit();
        else await this.#applySome();
        pause = RETRY;
        if (!this.#inbox.isEmpty) await nextTurn();
      } catch (error) {
        if (isNewer(error)) {
          this.#stop(error);
          break;
        }
        this.#report(error);
        // It is applied at the next start, and nobody waits for it.
        if (this.isClosing && this.#onApplied.size === 0) {
          this.#hasStopped = true;
          break;
        }
        await sleep(pause);
        pause = Math.min(pause * 2, 2000);
      }
    }
  }

  async #applySome(): Promise<void> {
    if (this.#doubtful !== undefined) {
      await this.erasure.makeSure(this.#doubtful);
      this.#doubtful = undefined;
    }
    // More may arrive meanwhile, whose bodies were not looked for.
    const { missing, ready } = this.#inbox.missing(MOST_APPLIED, this.#cursor.position);
    if (missing.length > 0) await this.#fetch(missing);
    const { results, entries } = await this.line.run(() => this.#attempt(ready), this.patience);
    if (this.#doubtful !== undefined) return;
    this.#stuck = undefined;
    for (const { head, applied } of results) {
      if (isEntry(applied) && this.#onApplied.has(head.name)) this.#noteWritten(applied.entry.seq);
    }
    this.deliver(entries);
    for (const result of results) this.#settle(result);
    this.#wake();
  }

  /** Where it fails, the others compare without this node. */
  async #audit(): Promise<void> {
    this.#held.commit();
    const { position } = this.#inbox.take(1).arrived[0]!;
    try {
      await this.upkeep.audit(position);
    } catch (error) {
      this.onError(error);
    }
    this.#wake();
  }

  #isFarBehind(): boolean {
    return this.follower.newest - this.#position > FAR_BEHIND;
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
  async #fetch(missing: readonly (string | ArrivedBody)[]): Promise<void> {
    for (let from = 0; from < missing.length; from += ASKED_AT_ONCE) {
      const some = missing.slice(from, from + ASKED_AT_ONCE);
      await Promise.all(
        some.map((one) =>
          typeof one === 'string' ? this.erasure.learn(one) : this.#fetchObject(one, one.blob!),
        ),
      );
    }
  }

  /** It was stored before its entry was published: where it is not there, it was erased, or NATS does not answer well. */
  async #fetchObject(body: ArrivedBody, blob: string): Promise<void> {
    const data = this.blobs.read(blob) ?? (await this.stores.getObject(blob));
    if (data !== undefined) {
      this.blobs.write(data);
      this.#inbox.fill(body, data);
      return;
    }
    await this.erasure.learn(body.name);
    if (!this.erasure.left(body.name)) {
      throw unavailable('The data of an entry cannot be read from NATS', `object ${blob}`);
    }
  }

  /** Applies as many as there is time for; a refused entry leaves the others alone. */
  #attempt(ready: number): Batch {
    const held = this.#held.use();
    const batch = this.#held.whole(() => {
      const applied = this.apart(() => this.#applyReady(ready, held, false));
      if (!('error' in applied)) return applied.result;
      if (isNewer(applied.error) || applied.error instanceof Doubt) return applied;
      // Most entries are not refused: only then are they applied one by one.
      const one = this.apart(() => this.#applyReady(ready, held, true));
      return 'error' in one ? one : one.result;
    });
    if ('error' in batch) {
      if (!(batch.error instanceof Doubt)) throw batch.error;
      this.#doubtful = batch.error.digest;
      this.#held.letGo(false);
      return { results: [], entries: [] };
    }
    const { head, cursor, results, count, erases } = batch;
    this.#cursor = cursor;
    this.#seq = head.seq;
    const taken = this.#inbox.take(count);
    this.#held.add(head, cursor, taken);
    for (const { position, heads } of taken.arrived) this.remember(heads[0]!.stream, position);
    // What is erased must be gone before it is said to be.
    this.#held.letGo(erases);
    const entries = results.flatMap(({ applied }) => (isEntry(applied) ? [applied.entry] : []));
    return { results, entries };
  }

  #applyReady(ready: number, held: { head: HeadRow; cursor: Cursor }, careful: boolean) {
    const head = { ...held.head };
    const cursor = { ...held.cursor };
    const results: Result[] = [];
    const end = performance.now() + APPLY_TIME;
    let count = 0;
    let erases = false;
    for (const { position, heads, isAudit } of this.#inbox.headers) {
      if (isAudit) break;
      // Another process of this node may have been faster.
      if (position <= cursor.position) results.push(...this.#appliedElsewhere(heads));
      else {
        const applied = this.#applyHeads(position, heads, head, careful);
        erases ||= applied.some((one) => isEntry(one.applied) && isForgetting(one.applied.entry));
        results.push(...applied);
        cursor.position = position;
      }
      count++;
      if (count === ready || performance.now() > end) break;
    }
    cursor.oldest = this.#inbox.oldest(cursor.position);
    writeCursor(this.database, cursor);
    this.writeHead(head);
    return { head, cursor, results, count, erases };
  }

  /** The storage failed: what was applied since the last commit is applied again. */
  #lost(arrived: readonly Arrived[], bodies: readonly ArrivedBody[], cursor: Cursor, seq: number): void {
    this.#inbox.putBack(arrived, bodies);
    this.#cursor = cursor;
    this.#seq = seq;
    // Whoever ended the transaction hears of it first.
    setImmediate(() => this.#apply());
  }

  /** Where nothing was lost, nothing keeps this node from going on. */
  #holdFailed(error: unknown): void {
    if (this.#inbox.isEmpty) this.onError(error);
    else this.#report(error);
  }

  /** What the work answers, from tables that are as they were again afterwards. */
  protected tryOut<T>(work: (head: HeadRow) => T): T {
    const held = this.#held.use();
    const result = this.#held.whole(() => this.undone(() => work({ ...held.head })));
    this.#held.letGo(false);
    return result;
  }

  /** Entries of one header were decided on each other: after one that does not count, none does. */
  #applyHeads(position: number, heads: readonly EntryHead[], head: HeadRow, careful: boolean): Result[] {
    let isBroken = false;
    return heads.map((one) => {
      const applied = isBroken ? 'void' : this.#applyOne(position, one, head, careful);
      isBroken ||= !isEntry(applied);
      return { head: one, applied, body: this.#inbox.body(one.name)?.position };
    });
  }

  #applyOne(position: number, one: EntryHead, head: HeadRow, careful: boolean): Applied {
    // Only whether there is one: what is left of it, should it be erased, may be told by an entry that is still to come.
    if (one.chosen && this.hasEntry(one.id)) return { earlier: one.id };
    // JetStream's own check lets two pass that come together, where it keeps several copies.
    if (one.rev !== this.nextRevision(one.stream)) return 'void';
    const body = this.#inbox.body(one.name);
    const left = this.erasure.left(one.name);
    if (!left && !body && !this.erasure.isMissing(one.name)) throw new Doubt(one.name);
    if (!left && !(body && this.#inbox.isInTime(body, position))) return 'void';
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
  #appliedElsewhere(heads: readonly EntryHead[]): Result[] {
    return heads
      .filter(({ name }) => this.#onApplied.has(name))
      .map((head) => {
        const row = this.database.get<EntryRow>(
          `SELECT ${ENTRY_COLUMNS} FROM journal_entry WHERE stream = ? AND id = ? ORDER BY rev DESC LIMIT 1`,
          head.stream,
          head.id,
        );
        return { head, applied: row ? { entry: entryFromRow(row, this) } : 'void', body: undefined };
      });
  }

  #checkKnown(type: string, position: number): void {
    if (!this.#knownTypes || this.#knownTypes.has(type)) return;
    throw new InfoldError(
      'storage_newer',
      `Message ${position} of the journal was written by a newer Infold (it holds ${type}). Upgrade Infold`,
    );
  }

  #settle({ head: { name }, applied, body }: Result): void {
    const tell = this.#onApplied.get(name);
    if (isEntry(applied)) this.erasure.follow(applied.entry, tell !== undefined);
    // Only its writer takes it away: a node that differs from the others must not take theirs.
    else if (tell && body !== undefined)
      this.leftovers.discard(body, applied !== 'void' && 'error' in applied ? name : undefined);
    this.erasure.applied(name);
    tell?.(applied);
    this.#onApplied.delete(name);
  }

  #noteWritten(seq: number): void {
    if (this.#wrote.size >= WRITTEN_KNOWN) this.#wrote.delete(this.#wrote.values().next().value!);
    this.#wrote.add(seq);
  }

  #noteLag(): void {
    if (this.follower.newest - this.#position < BEHIND) this.#behindSince = undefined;
    else this.#behindSince ??= performance.now();
  }

  #wake(): void {
    const position = this.#position;
    this.#noteLag();
    for (const watching of this.#watchingPosition)
      if (watching.position <= position || this.#stuck) watching.resolve();
  }

  #stop(error: unknown): void {
    this.#hasStopped = true;
    this.#stuck = InfoldError.isInstance(error) ? error : unavailable('This node cannot follow', error);
    this.onError(error);
    void this.follower.stop();
    this.#inbox.clear();
    this.#wake();
  }
}

function erasedBy({ events }: EntryContent): number[] | undefined {
  const told = events.filter(({ type }) => type === FORGOTTEN);
  if (told.length === 0) return undefined;
  return told.flatMap(({ data }) => (data as WrittenForgotten).entries.map(({ seq }) => seq));
}

function isForgetting({ events }: Entry): boolean {
  return events.some(({ type }) => type === FORGOTTEN);
}

function isEntry(applied: Applied): applied is { entry: Entry } {
  return applied !== 'void' && 'entry' in applied;
}

function isNewer(error: unknown): boolean {
  return InfoldError.isInstance(error) && error.code === 'storage_newer';
}
