import type { EntryId, Envelope } from '@infold/protocol';
import type { Actor, Entry, Journal } from '../../journal/journal.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { randomId } from '../../kernel/ids.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { type Caller, localOwner } from '../../trust/identity/caller.ts';
import { podStream } from '../../trust/streams.ts';
import { type PodHead, type Position, placeMessage } from '../commands.ts';
import type { PodPolicy } from '../contexts/policy.ts';
import type { ContextRules } from '../contexts/rules.ts';
import { notStored, Refusal } from '../errors.ts';
import type { BranchOfSession, EnvelopeAccepted, EnvelopeRefused, EnvelopeSubmitted } from '../events.ts';
import { fenceOf } from '../history/epochs.ts';
import type { EnvelopePreparer, PreparedEnvelope } from '../history/prepare.ts';
import {
  podByName,
  positionOfId,
  StoredContexts,
  type SubmissionRow,
  submissionOf,
  submissionsOfPod,
  waitingSubmissions,
} from '../queries.ts';

/** The pod that something is said in. */
export interface Spot {
  readonly org: string;
  readonly name: string;
  readonly policy: PodPolicy;
  readonly rules: ContextRules;
}

export interface HandOverServices {
  journal: Journal;
  preparation: EnvelopePreparer;
  /** How long a message waits for who gives out positions, and how many bytes may. */
  patience: number;
  mostBytes: number;
  isOwner(pod: string): boolean;
  /** Whether some process gives out positions; asked inside a transaction. */
  isServed(database: Database, pod: string, now?: number): boolean;
  /** Takes a message that was handed in; throws a `Refusal`. */
  accept(submitted: EnvelopeSubmitted, caller: Caller, cause: EntryId): void;
  operationOf(
    database: Database,
    message: EnvelopeAccepted & { principal: string },
  ): BranchOfSession | undefined;
  onError(error: unknown): void;
}

interface Waiting {
  resolve(position: Position): void;
  reject(refusal: Refusal): void;
}

/** How often who waits looks whether there still is somebody who gives out positions. */
const LOOK = 100;
const PORTION = 50;

/**
 * One of the processes that share a data folder gives out positions before it writes; the others put their messages at the
 * end of the pod inside the transaction that stores them, where nobody does so, and hand them to that process through the
 * journal where somebody does. Which of the two it is, and whether an id was used before, is decided in the transaction.
 */
export class HandOver {
  readonly #services: HandOverServices;
  readonly #waiting = new Map<string, Waiting>();
  /** Handed in by others, and taken by this process. */
  readonly #taken = new Set<string>();
  /** Of the positions that this process gives out in transactions: none of them is ever heard and not stored. */
  readonly #epoch = randomId('epoch');
  #bytes = 0;

  constructor(services: HandOverServices) {
    this.#services = services;
  }

  /** Resolves when the message is stored; throws the `Refusal` of whoever decides. */
  async place(spot: Spot, actor: Actor, envelope: Envelope, bytes: number): Promise<Position> {
    const key = keyOf(spot.org, spot.name, envelope.id);
    if (this.#bytes + bytes > this.#services.mostBytes) {
      const message = 'Too many messages are waiting to be stored; try again in 1 s';
      throw new Refusal('rate_limit', message, envelope.id, { retry_after: 1 });
    }
    this.#bytes += bytes;
    let answered = false;
    const outcome = new Promise<Position>((resolve, reject) => {
      this.#waiting.set(key, { resolve, reject });
    });
    // Nobody may be waiting for it yet when it is refused.
    outcome.then(
      () => (answered = true),
      () => (answered = true),
    );
    try {
      const prepared = await this.#services.preparation.prepare(envelope);
      const placed = await this.#write(spot, actor, prepared);
      if (placed) return placed;
      const deadline = performance.now() + this.#services.patience;
      while (!answered && performance.now() < deadline) {
        await Promise.race([outcome.catch(() => {}), sleepReferenced(LOOK)]);
        if (!answered) await this.#acceptAll(spot);
      }
      if (!answered) await this.#withdraw(spot, actor, envelope);
      return await outcome;
    } catch (error) {
      throw asRefusal(error, envelope.id);
    } finally {
      this.#bytes -= bytes;
      this.#waiting.delete(key);
    }
  }

  async #write(
    spot: Spot,
    actor: Actor,
    prepared: PreparedEnvelope,
    /** Of a message that was handed in before. */
    cause?: EntryId,
  ): Promise<Position | undefined> {
    const { org, name } = spot;
    const { journal, isServed, operationOf } = this.#services;
    const { envelope } = prepared;
    const stream = podStream(org, name);
    const { answer } = await journal.commit({
      stream,
      actor,
      group: true,
      ...(cause === undefined ? {} : { cause }),
      decide: (database, at) => {
        const row = podByName(database, org, name);
        const waiting = submissionOf(database, org, name, envelope.id);
        const served = isServed(database, stream, at);
        // Somebody else was faster: with taking it, or with giving it up.
        if (cause !== undefined && (served || waiting !== null)) return { events: [], answer: undefined };
        const earlier = row && positionOfId(database, row, envelope.id);
        const pod = {
          ...{ seq: row?.seq ?? 0, epoch: row?.epoch ?? null },
          earlier: earlier ?? (cause === undefined && waiting === null ? null : undefined),
          // Others that wait come first.
          isServed: served || (cause === undefined && submissionsOfPod(database, org, name, 1).length > 0),
        };
        const place = pod.isServed ? { type: null } : placeOf(spot, database, row?.id, envelope);
        const message = { org, pod: name, epoch: this.#epochAfter(pod), at, ...prepared, ...place };
        return placeMessage(message, pod, (accepted) =>
          operationOf(database, { ...accepted, principal: actor.principal }),
        );
      },
    });
    return answer;
  }

  /** In a cluster it keeps the fence of the owner before it, below which nobody becomes owner again. */
  #epochAfter({ seq, epoch }: PodHead): string {
    const fence = fenceOf(epoch);
    return fence === 0 ? this.#epoch : `${this.#epoch}.${fence}.${seq}`;
  }

  /** Nobody gives out positions any more: what waits in the pod is put at its end, in its order. */
  async #acceptAll(spot: Spot): Promise<void> {
    const { journal, isServed } = this.#services;
    const { database } = journal;
    if (isServed(database, podStream(spot.org, spot.name))) return;
    for (const row of submissionsOfPod(database, spot.org, spot.name, PORTION)) {
      const found = this.#submission(row);
      if (!found) continue;
      const { entry, submitted } = found;
      try {
        const prepared = await this.#services.preparation.prepare(submitted.envelope);
        await this.#write(spot, entry.actor, prepared, entry.id);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        await this.#refuse(submitted, error);
      }
    }
  }

  /** Who gives out positions does not answer. From here on it cannot take the message any more. */
  async #withdraw({ org, name }: Spot, actor: Actor, { id, from }: Envelope): Promise<void> {
    const { code: error, message, details } = notStored(id, 'unanswered');
    const data: EnvelopeRefused = { org, pod: name, id, from, error, message, details };
    await this.#services.journal.commit({
      stream: podStream(org, name),
      actor,
      group: true,
      decide: (database) => {
        const isWaiting = submissionOf(database, org, name, id) === null;
        return { events: isWaiting ? [{ type: 'envelope.refused', data }] : [], answer: undefined };
      },
    });
  }

  /** A message that some process handed in, for the one that gives out positions. */
  submitted(entry: Pick<Entry, 'id' | 'seq' | 'actor'>, submitted: EnvelopeSubmitted): void {
    const { isOwner, accept, journal } = this.#services;
    const { org, pod, envelope } = submitted;
    const key = keyOf(org, pod, envelope.id);
    if (!isOwner(podStream(org, pod)) || this.#taken.has(key)) return;
    if (submissionOf(journal.database, org, pod, envelope.id) !== null) return;
    const { principal } = entry.actor;
    this.#taken.add(key);
    try {
      accept(submitted, { ...localOwner, org, principal, actor: entry.actor }, entry.id);
    } catch (error) {
      this.#taken.delete(key);
      const refusal = error instanceof Refusal ? error : notStored(envelope.id, 'unopened');
      void this.#refuse(submitted, refusal);
    }
  }

  /** Taken, and not stored after all: it waits again, unless it cannot be stored at all. */
  released(submitted: EnvelopeSubmitted, reason: string): void {
    const { org, pod, envelope } = submitted;
    this.#taken.delete(keyOf(org, pod, envelope.id));
    if (reason === 'moved') void this.acceptWaiting();
    else if (reason === 'invalid') void this.#refuse(submitted, notStored(envelope.id, reason, false));
  }

  async #refuse({ org, pod, envelope: { id, from } }: EnvelopeSubmitted, refusal: Refusal): Promise<void> {
    const { journal, onError } = this.#services;
    const { code: error, message, details } = refusal;
    const data: EnvelopeRefused = { org, pod, id, from, error, message, details };
    try {
      await journal.commit({
        stream: podStream(org, pod),
        actor: { org, principal: 'system:gateway' },
        group: true,
        decide: (database) => {
          const isWaiting = submissionOf(database, org, pod, id) === null;
          return { events: isWaiting ? [{ type: 'envelope.refused', data }] : [], answer: undefined };
        },
      });
    } catch (error) {
      onError(error);
    }
  }

  accepted({ org, pod, seq, epoch, envelope }: EnvelopeAccepted): void {
    const key = keyOf(org, pod, envelope.id);
    this.#taken.delete(key);
    this.#waiting.get(key)?.resolve({ seq, epoch });
  }

  refused({ org, pod, id, error, message, details }: EnvelopeRefused): void {
    const key = keyOf(org, pod, id);
    this.#taken.delete(key);
    this.#waiting.get(key)?.reject(new Refusal(error as Refusal['code'], message, id, details));
  }

  /** What was handed in while nobody gave out positions, in pieces. */
  async acceptWaiting(): Promise<void> {
    const { journal, onError } = this.#services;
    try {
      for (let after = 0; ; ) {
        const rows = waitingSubmissions(journal.database, after, PORTION);
        for (const row of rows) {
          const found = this.#submission(row);
          if (found) this.submitted(found.entry, found.submitted);
        }
        if (rows.length < PORTION) return;
        after = rows.at(-1)!.entry;
        await new Promise((resolve) => setImmediate(resolve));
      }
    } catch (error) {
      onError(error);
    }
  }

  #submission({
    entry: seq,
    place,
  }: SubmissionRow): { entry: Entry; submitted: EnvelopeSubmitted } | undefined {
    const entry = this.#services.journal.entryAt(seq);
    const event = entry?.events[place];
    return entry && event?.type === 'envelope.submitted' ? { entry, submitted: event.data } : undefined;
  }
}

/** Where the message belongs, by the tables; throws a `Refusal` where it may not be. */
function placeOf(
  { policy, rules }: Spot,
  database: Database,
  pod: number | undefined,
  { id, kind, from, context }: Envelope,
): Pick<EnvelopeAccepted, 'type' | 'defaults'> {
  if (!context) return { type: null };
  const known = new StoredContexts(database, pod);
  const begins = rules.check(known, { id, kind }, context, from);
  const type = known.get(context.id)?.type ?? context.type ?? null;
  const defaults = begins ? policy.template(type)?.metadata : undefined;
  return { type, ...(defaults ? { defaults } : {}) };
}

function asRefusal(error: unknown, id: string): unknown {
  return InfoldError.isInstance(error) ? notStored(id, error.code, error.retryable) : error;
}

/** Whoever waits keeps the process alive. */
function sleepReferenced(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function keyOf(org: string, pod: string, id: string): string {
  return `${org}\n${pod}\n${id}`;
}
