import type { EntryId, Envelope } from '@infold/protocol';
import type { Journal } from '../../journal/journal.ts';
import { giveWay } from '../../kernel/background.ts';
import { sleep } from '../../kernel/clock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { uuidV7 } from '../../kernel/ids.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { podStream } from '../../trust/streams.ts';
import { type Writing, writePromised } from '../commands.ts';
import type { LiveContext } from '../contexts/context-index.ts';
import type { BranchOfSession, EnvelopeAccepted, MirroredFrom } from '../events.ts';
import { podByName, submissionOf } from '../queries.ts';
import type { EnvelopePreparer } from './prepare.ts';

/** The pod that a message was heard in; told what became of it. */
export interface Home {
  readonly org: string;
  readonly name: string;
  readonly epoch: string;
  /** The newest position when the pod's life in this process began to give them out. */
  readonly base: number;
  /** Everything up to the last of these is durable now, but for what was told to be lost. */
  stored(messages: readonly Pending[]): void;
  /** They will never be stored. */
  lost(messages: readonly Pending[], reason: string): void;
  /** Another process gave out their positions; nothing of them is stored. */
  moved(messages: readonly Pending[]): void;
}

/** A message that was heard, on its way to the journal. */
export interface Pending {
  home: Home;
  /** Whose message it is: what is forgotten with them. */
  principal: string;
  seq: number;
  epoch: string;
  at: number;
  type: string | null;
  envelope: Envelope;
  context: LiveContext | undefined;
  bytes: number;
  /** Of a message that another process handed in, or of one that tells of a branch. */
  cause: EntryId | undefined;
  /** Somebody waits for what becomes of it, and tells its sender. */
  isAwaited: boolean;
  mirrors: MirroredFrom | undefined;
  /** Where they are not those of the payload. */
  tokens: number | undefined;
  defaults: Record<string, unknown> | undefined;
}

export interface HistoryServices {
  journal: Journal;
  preparation: EnvelopePreparer;
  /** How long what cannot be written is tried again, in milliseconds. */
  patience: number;
  /** In a cluster a write may fail and be stored all the same. It has an id there, so that a repeat finds it. */
  hasUncertainWrites: boolean;
  /** The branch whose operation a message is; asked when it is written, with the branch as it is then. */
  operationOf(
    database: Database,
    message: EnvelopeAccepted & { principal: string },
  ): BranchOfSession | undefined;
  /** Whether another process gives out positions, after those that were promised in a life of the pod; asked inside a commit. */
  isOthers(database: Database, now: number, newest: string | null, promised: string): boolean;
  onError(error: unknown): void;
}

/** Messages that share an entry, ready to be written. */
interface Run {
  /** Of its entry. */
  id: EntryId;
  messages: Pending[];
  prepared: EnvelopeAccepted[];
}

/** Between durable writes, so that many messages share one. The first after a pause does not wait. */
const GATHER = 15;
const BATCH = 256;
/** Of one durable write: several times as much is in memory while it is written. */
const BATCH_BYTES = 4 * 1024 * 1024;
const ENTRY_EVENTS = 128;
/** Entries above a quarter of a megabyte become files; these stay below. */
const ENTRY_BYTES = 160 * 1024;
const RETRY = 250;
/** A commit whose outcome is not known took up to twice the patience: there must be time for it to be repeated. */
const UNCERTAIN = 3;

/**
 * Writes accepted messages to the journal, many with one durable write and away from the broadcast: receivers do
 * not wait for the disk, and senders are told when it has been. Messages of one pod are written in their order.
 */
export class HistoryWriter {
  readonly #services: HistoryServices;
  #queue: Pending[] = [];
  #bytes = 0;
  #running: Promise<void> | undefined;
  #closing = false;
  #lastWrite = Number.NEGATIVE_INFINITY;
  #added = 0;
  #done = 0;
  #waiting: { until: number; patient: boolean; resolve: () => void }[] = [];
  #isStuck = false;

  constructor(services: HistoryServices) {
    this.#services = services;
  }

  /** What waits to be written. */
  get bytes(): number {
    return this.#bytes;
  }

  add(pending: Pending): void {
    this.#queue.push(pending);
    this.#added++;
    this.#bytes += pending.bytes;
    this.#running ??= this.#run();
  }

  /** Resolves when everything that was added before is durable or lost; what comes later does not count. */
  settled(): Promise<void> {
    return this.#wait(true);
  }

  /** The same for who only reads: when the disk fails or the journal is locked, it goes on with what is there. */
  flushed(): Promise<void> {
    return this.#isStuck ? Promise.resolve() : this.#wait(false);
  }

  #wait(patient: boolean): Promise<void> {
    if (this.#done >= this.#added) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ until: this.#added, patient, resolve }));
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.settled();
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const pause = this.#lastWrite + GATHER - performance.now();
      const waits = pause > 0 && this.#queue.length < BATCH && !this.#closing;
      await (waits ? sleep(pause) : new Promise((resolve) => setImmediate(resolve)));
      this.#lastWrite = performance.now();
      const batch = this.#queue.splice(0, this.#nextBatch());
      const lost = await this.#write(batch);
      // Who stood in line behind what could not be written has waited as long.
      if (lost !== undefined) this.#settle(this.#loseAll(this.#queue.splice(0), lost));
      this.#settle(batch);
    }
    this.#running = undefined;
  }

  #nextBatch(): number {
    let count = 0;
    for (let bytes = 0; count < BATCH && count < this.#queue.length; count++) {
      bytes += this.#queue[count]!.bytes;
      if (bytes > BATCH_BYTES && count > 0) break;
    }
    return count;
  }

  #settle(batch: readonly Pending[]): void {
    for (const { bytes } of batch) this.#bytes -= bytes;
    this.#done += batch.length;
    this.#wake(({ until }) => until <= this.#done);
  }

  #wake(isReady: (waiting: { until: number; patient: boolean }) => boolean): void {
    const ready = this.#waiting.filter(isReady);
    this.#waiting = this.#waiting.filter((one) => !isReady(one));
    for (const { resolve } of ready) resolve();
  }

  /** Answers why the journal cannot be written, when that is so. */
  async #write(batch: readonly Pending[]): Promise<string | undefined> {
    const begun = performance.now();
    let runs = await this.#prepare(runsOf(batch));
    while (runs.length > 0) {
      const settled = await Promise.allSettled(runs.map((_, index) => this.#commit(runs, index)));
      const left: Run[] = [];
      const stored: Pending[] = [];
      let failure: unknown;
      for (const [index, outcome] of settled.entries()) {
        const run = runs[index]!;
        if (outcome.status === 'fulfilled') {
          if (outcome.value === 'written') stored.push(...run.messages);
          else if (outcome.value === 'early') left.push(run);
          else if (outcome.value === 'moved') run.messages[0]!.home.moved(run.messages);
          else this.#loseAll(run.messages, 'withdrawn');
        } else if (isOfJournal(outcome.reason)) {
          failure ??= outcome.reason;
          left.push(run);
        } else {
          this.#services.onError(outcome.reason);
          if (run.messages.length > 1) left.push(...halvesOf(run));
          else this.#loseAll(run.messages, 'invalid');
        }
      }
      for (const messages of byPod(stored)) messages[0]!.home.stored(messages);
      if (failure === undefined) this.#isStuck = false;
      else if (!(await this.#isWorthAnotherTry(failure, begun))) {
        const reason = reasonOf(failure);
        for (const { messages } of left) this.#loseAll(messages, reason);
        return reason;
      }
      runs = left;
    }
    return undefined;
  }

  /** A disk that is full or a journal that is locked may be well again; anything else stays as it is. */
  async #isWorthAnotherTry(failure: unknown, begun: number): Promise<boolean> {
    if (!this.#isStuck) this.#services.onError(failure);
    this.#isStuck = true;
    this.#wake(({ patient }) => !patient);
    const retryable = InfoldError.isInstance(failure) && failure.retryable;
    const { patience, hasUncertainWrites } = this.#services;
    const isUncertain = hasUncertainWrites && retryable && failure.code === 'unavailable';
    const deadline = begun + patience * (isUncertain ? UNCERTAIN : 1);
    if (!retryable || performance.now() + RETRY > deadline) return false;
    await sleep(RETRY);
    return true;
  }

  #loseAll(messages: Pending[], reason: string): Pending[] {
    for (const lost of byPod(messages)) lost[0]!.home.lost(lost, reason);
    return messages;
  }

  async #prepare(runs: readonly Pending[][]): Promise<Run[]> {
    const prepared: Run[] = [];
    for (const messages of runs) {
      const run: Run = { id: uuidV7(), messages, prepared: [] };
      for (const message of messages) {
        run.prepared.push(await this.#accepted(message));
        await giveWay();
      }
      prepared.push(run);
    }
    return prepared;
  }

  async #accepted(pending: Pending): Promise<EnvelopeAccepted> {
    const { seq, epoch, at, type, context, mirrors, defaults } = pending;
    const { org, name: pod } = pending.home;
    const prepared = await this.#services.preparation.prepare(pending.envelope, pending.tokens);
    if (context) context.tokens += prepared.tokens;
    return {
      ...{ org, pod, seq, epoch, at, type, ...prepared },
      ...(mirrors ? { mirrors } : {}),
      ...(defaults ? { defaults } : {}),
    };
  }

  async #commit(runs: readonly Run[], index: number): Promise<Writing> {
    const { id, messages, prepared } = runs[index]!;
    const { home, principal, cause, mirrors, envelope, epoch } = messages[0]!;
    const { org, name } = home;
    const after = lastBefore(runs, index);
    const { journal, operationOf, isOthers, hasUncertainWrites } = this.#services;
    const { answer, replayed } = await journal.commit<Writing>({
      stream: podStream(org, name),
      actor: { org, principal },
      group: true,
      ...(hasUncertainWrites ? { id } : {}),
      ...(cause === undefined ? {} : { cause }),
      decide: (database, now) => {
        const { seq = 0, epoch: last = null } = podByName(database, org, name) ?? {};
        const state = {
          ...{ seq, epoch: last },
          isOthers: home.epoch !== epoch || isOthers(database, now, last, epoch),
          isWithdrawn:
            cause !== undefined && !mirrors && submissionOf(database, org, name, envelope.id) !== null,
        };
        return writePromised(prepared, state, { base: home.base, after }, (message) =>
          operationOf(database, { ...message, principal }),
        );
      },
    });
    return replayed ? 'written' : answer;
  }
}

/** The journal as a whole cannot be written, whatever is to be written. */
function isOfJournal(error: unknown): boolean {
  return InfoldError.isInstance(error) && /^(?:storage_|journal_busy|disk_full|unavailable)/.test(error.code);
}

/** A code: messages of the storage name files, which is nobody's business. */
function reasonOf(error: unknown): string {
  return InfoldError.isInstance(error) ? error.code : 'internal';
}

function halvesOf({ messages, prepared }: Run): Run[] {
  const middle = messages.length >> 1;
  return [
    { id: uuidV7(), messages: messages.slice(0, middle), prepared: prepared.slice(0, middle) },
    { id: uuidV7(), messages: messages.slice(middle), prepared: prepared.slice(middle) },
  ];
}

/** The position that the pod must have reached before this run is written. */
function lastBefore(runs: readonly Run[], index: number): number {
  const { home } = runs[index]!.messages[0]!;
  const before = runs.slice(0, index).findLast(({ messages }) => messages[0]!.home === home);
  return before?.messages.at(-1)?.seq ?? 0;
}

function byPod(messages: readonly Pending[]): Pending[][] {
  const pods = new Map<Home, Pending[]>();
  for (const message of messages) {
    const known = pods.get(message.home);
    if (known) known.push(message);
    else pods.set(message.home, [message]);
  }
  return [...pods.values()];
}

/** Neighbours that can share an entry: one pod, one principal, one cause, not too much together. */
function runsOf(batch: readonly Pending[]): Pending[][] {
  const runs: Pending[][] = [];
  let bytes = 0;
  for (const pending of batch) {
    const run = runs.at(-1);
    const last = run?.[0];
    bytes += pending.bytes;
    const fits =
      last &&
      last.home === pending.home &&
      last.epoch === pending.epoch &&
      last.principal === pending.principal &&
      last.cause === pending.cause &&
      run.length < ENTRY_EVENTS &&
      bytes <= ENTRY_BYTES;
    if (fits) run.push(pending);
    else {
      runs.push([pending]);
      bytes = pending.bytes;
    }
  }
  return runs;
}
