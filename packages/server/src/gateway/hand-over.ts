import type { EntryId, Envelope } from '@infold/protocol';
import type { Entry, Journal } from '../journal/journal.ts';
import { type Caller, localOwner } from '../trust/caller.ts';
import { podStream } from '../trust/streams.ts';
import { Refusal } from './errors.ts';
import type { EnvelopeAccepted, EnvelopeRefused, EnvelopeSubmitted, GatewayEvent } from './events.ts';
import type { HistoryWriter } from './history.ts';
import type { Member } from './member.ts';
import type { Pod } from './pod.ts';
import { waitingSubmissions } from './queries.ts';

export interface HandOverServices {
  journal: Journal;
  writer: HistoryWriter;
  isOwner(): boolean;
  open(org: string, pod: string): Pod;
  openPod(org: string, pod: string): Pod | undefined;
  commit(org: string, pod: string, events: GatewayEvent[], cause: EntryId): Promise<void>;
  onError(error: unknown): void;
}

/** What became of a message: its position, or nothing yet. */
export interface Outcome {
  seq: number | null;
}

interface Waiting {
  resolve(outcome: Outcome): void;
  reject(refusal: Refusal): void;
}

/**
 * One of the processes that share a data folder gives out positions; the others hand it their messages through the
 * journal, and learn from the journal what became of them.
 */
export class HandOver {
  readonly #services: HandOverServices;
  readonly #waiting = new Map<string, Waiting>();

  constructor(services: HandOverServices) {
    this.#services = services;
  }

  submit(pod: Pod, member: Member, envelope: Envelope): void {
    const { org, name } = pod;
    const { journal, writer, onError } = this.#services;
    const { envelope: clean } = writer.scrub(envelope);
    const event: GatewayEvent = { type: 'envelope.submitted', data: { org, pod: name, envelope: clean } };
    journal
      .commit({
        stream: podStream(org, name),
        actor: member.caller.actor,
        group: true,
        decide: () => ({ events: [event], answer: undefined }),
      })
      .catch((error) => {
        onError(error);
        const busy = new Refusal('rate_limit', 'The journal is busy; try again in 1 s', envelope.id, {
          retry_after: 1,
        });
        if (!this.#settle(org, name, envelope.id, busy)) pod.refuse(member, busy);
      });
  }

  /** What becomes of a message that is handed on; no position when nobody has taken it in time. */
  outcome({ org, name }: Pod, id: string, milliseconds: number): Promise<Outcome> {
    const key = keyOf(org, name, id);
    let timer: NodeJS.Timeout;
    return new Promise<Outcome>((resolve, reject) => {
      timer = setTimeout(() => resolve({ seq: null }), milliseconds);
      this.#waiting.set(key, { resolve, reject });
    }).finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(key);
    });
  }

  submitted(entry: Pick<Entry, 'id' | 'actor'>, { org, pod: name, envelope }: EnvelopeSubmitted): void {
    const { isOwner, open, commit } = this.#services;
    if (!isOwner()) return;
    const { principal } = entry.actor;
    const caller: Caller = { ...localOwner, org, principal, actor: entry.actor };
    try {
      open(org, name).acceptSubmitted(envelope, caller, entry.id);
    } catch (error) {
      const refusal =
        error instanceof Refusal ? error : new Refusal('rate_limit', 'The pod cannot be opened');
      const refused: EnvelopeRefused = {
        ...{ org, pod: name, id: envelope.id, from: envelope.from },
        error: refusal.code,
        message: refusal.message,
      };
      void commit(org, name, [{ type: 'envelope.refused', data: refused }], entry.id);
    }
  }

  accepted({ org, pod, seq, envelope }: EnvelopeAccepted): void {
    this.#settle(org, pod, envelope.id, { seq });
  }

  refused({ org, pod: name, id, from, error, message }: EnvelopeRefused): void {
    if (this.#services.isOwner()) return;
    const refusal = new Refusal(error as Refusal['code'], message, id);
    if (this.#settle(org, name, id, refusal)) return;
    const pod = this.#services.openPod(org, name);
    const member = pod?.members.get(from);
    if (pod && member) pod.refuse(member, refusal);
  }

  /** What was handed in while nobody gave out positions. */
  acceptWaiting(): void {
    const { journal } = this.#services;
    for (const { entry: seq, place } of waitingSubmissions(journal.database)) {
      const entry = journal.entryAt(seq);
      const event = entry?.events[place] as GatewayEvent | undefined;
      if (entry && event?.type === 'envelope.submitted') this.submitted(entry, event.data);
    }
  }

  #settle(org: string, pod: string, id: string, outcome: Outcome | Refusal): boolean {
    const waiting = this.#waiting.get(keyOf(org, pod, id));
    if (!waiting) return false;
    if (outcome instanceof Refusal) waiting.reject(outcome);
    else waiting.resolve(outcome);
    return true;
  }
}

function keyOf(org: string, pod: string, id: string): string {
  return `${org}\n${pod}\n${id}`;
}
