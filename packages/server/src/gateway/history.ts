import type { EntryId, Envelope } from '@infold/protocol';
import type { Journal } from '../journal/journal.ts';
import { sleep } from '../kernel/clock.ts';
import { InfoldError } from '../kernel/errors.ts';
import type { Database } from '../kernel/sqlite.ts';
import { countTokensOf } from '../kernel/tokens.ts';
import type { Scrubber } from '../trust/scrub/index.ts';
import { podStream } from '../trust/streams.ts';
import { acceptMessages } from './commands.ts';
import type { BranchOfSession, EnvelopeAccepted, MirroredFrom } from './events.ts';
import { podByName } from './queries.ts';
import { payloadText } from './text.ts';

/** An accepted message on its way to the journal. */
export interface Pending {
  org: string;
  pod: string;
  /** Whose message it is: what is forgotten with them. */
  principal: string;
  seq: number;
  epoch: string;
  at: number;
  type: string | null;
  envelope: Envelope;
  bytes: number;
  cause: EntryId | undefined;
  mirrors: MirroredFrom | undefined;
  /** Where they are not those of the payload. */
  tokens: number | undefined;
  defaults: Record<string, unknown> | undefined;
  /** Told the tokens of a message in a context, and that it is durable. */
  onTokens: (tokens: number) => void;
  onDurable: (seq: number) => void;
  /** Told when another process wrote to the pod meanwhile, and positions had to change. */
  onMoved: () => void;
}

/** The branch whose operation a message is; asked when it is written, with the branch as it is then. */
type OperationOf = (
  database: Database,
  message: { org: string; pod: string; principal: string; envelope: Envelope },
) => BranchOfSession | undefined;

/** Waited for company before a durable write: what a reader of history may be behind. */
const GATHER = 15;
const BATCH = 256;
const ENTRY_EVENTS = 128;
/** Entries above a quarter of a megabyte become files; these stay below. */
const ENTRY_BYTES = 160 * 1024;
const RETRY = 250;
const ATTEMPTS = 8;
/** What stands for a payload that could not be looked through. */
const UNCHECKED = '[REDACTED:unchecked]';

/**
 * Writes accepted messages to the journal, many with one durable write and away from the broadcast: receivers do
 * not wait for the disk. Messages of one pod are written in their order.
 */
export class HistoryWriter {
  readonly #journal: Journal;
  readonly #scrubber: Scrubber;
  readonly #operationOf: OperationOf;
  readonly #onError: (error: unknown) => void;
  #queue: Pending[] = [];
  #bytes = 0;
  #running: Promise<void> | undefined;
  #closing = false;
  #added = 0;
  #done = 0;
  #waiting: { until: number; resolve: () => void }[] = [];

  constructor(
    journal: Journal,
    scrubber: Scrubber,
    operationOf: OperationOf,
    onError: (error: unknown) => void,
  ) {
    this.#journal = journal;
    this.#scrubber = scrubber;
    this.#operationOf = operationOf;
    this.#onError = onError;
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

  /** Resolves when everything that was added before is durable, or has been given up; what comes later does not count. */
  flushed(): Promise<void> {
    if (this.#done >= this.#added) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ until: this.#added, resolve }));
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.flushed();
  }

  async #run(): Promise<void> {
    if (!this.#closing) await sleep(GATHER);
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, BATCH);
      await this.#write(batch);
      for (const { bytes } of batch) this.#bytes -= bytes;
      this.#done += batch.length;
      const ready = this.#waiting.filter(({ until }) => until <= this.#done);
      this.#waiting = this.#waiting.filter(({ until }) => until > this.#done);
      for (const { resolve } of ready) resolve();
    }
    this.#running = undefined;
  }

  async #write(batch: Pending[]): Promise<void> {
    const runs = runsOf(batch);
    const entries: { run: Pending[]; messages: EnvelopeAccepted[] }[] = [];
    for (const run of runs)
      entries.push({ run, messages: await Promise.all(run.map((one) => this.#accepted(one))) });
    for (let attempt = 1, left = entries; left.length > 0; attempt++) {
      const settled = await Promise.allSettled(left.map(({ run, messages }) => this.#commit(run, messages)));
      const failed = left.filter((_, index) => settled[index]!.status === 'rejected');
      if (failed.length > 0) {
        const reason = (settled.find((one) => one.status === 'rejected') as PromiseRejectedResult).reason;
        if (attempt === 1 || attempt >= ATTEMPTS) this.#onError(reason);
        // A disk that is full or a journal that is locked may be well again; anything else stays as it is.
        const retryable = InfoldError.isInstance(reason) && reason.retryable;
        if (!retryable || (this.#closing && attempt >= ATTEMPTS)) return;
        await sleep(Math.min(attempt, ATTEMPTS) * RETRY);
      }
      left = failed;
    }
  }

  async #accepted(pending: Pending): Promise<EnvelopeAccepted> {
    const { org, pod, seq, epoch, at, type, envelope } = pending;
    const { mirrors, defaults } = pending;
    const tokens =
      pending.tokens ?? (envelope.context ? await countTokensOf(payloadText(envelope.payload)) : 0);
    if (envelope.context) pending.onTokens(tokens);
    const clean = this.scrub(envelope);
    return {
      ...{ org, pod, seq, epoch, at, tokens, type },
      envelope: clean.envelope,
      secrets: clean.secrets,
      ...(mirrors ? { mirrors } : {}),
      ...(defaults ? { defaults } : {}),
    };
  }

  /** KERN-12, and closed when it fails: what cannot be looked through is not stored. */
  scrub(envelope: Envelope): { envelope: Envelope; secrets: number } {
    try {
      const { value, count } = this.#scrubber.scrubValue(envelope);
      return { envelope: count === 0 ? envelope : withNames(value, envelope), secrets: count };
    } catch (error) {
      this.#onError(error);
      const { protocol, id, ts, from, kind } = envelope;
      return { envelope: { protocol, id, ts, from, kind, payload: UNCHECKED }, secrets: 1 };
    }
  }

  async #commit(run: Pending[], messages: EnvelopeAccepted[]): Promise<void> {
    const [first] = run;
    const { org, pod, principal, cause } = first!;
    const { answer: moved } = await this.#journal.commit({
      stream: podStream(org, pod),
      actor: { org, principal },
      group: true,
      ...(cause === undefined ? {} : { cause }),
      decide: (database) => {
        const head = podByName(database, org, pod)?.seq ?? 0;
        return acceptMessages(head, messages, (message) =>
          this.#operationOf(database, { ...message, principal }),
        );
      },
    });
    if (moved > 0) first!.onMoved();
    for (const { seq, onDurable } of run) onDurable(seq);
  }
}

/** Names by which messages and contexts are found stay what they are: those with secrets were refused. */
function withNames(clean: Envelope, { id, from, to, kind, correlation_id, context }: Envelope): Envelope {
  const names = { id, from, kind, ...(to ? { to } : {}), ...(correlation_id ? { correlation_id } : {}) };
  if (!context) return { ...clean, ...names };
  const { type, parent } = context;
  const place = { id: context.id, ...(type ? { type } : {}), ...(parent ? { parent } : {}) };
  return { ...clean, ...names, context: { ...clean.context, ...place } };
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
      last.org === pending.org &&
      last.pod === pending.pod &&
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
