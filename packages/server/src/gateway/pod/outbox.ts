import type { StoredPayload } from '@infold/protocol';
import type { Position } from '../commands.ts';
import { notStored, Refusal } from '../errors.ts';
import type { Home, Pending } from '../history/writer.ts';
import type { LivePod } from './state.ts';

/** Who waits for a message to be stored without being connected. */
interface Waiting {
  resolve(position: Position): void;
  reject(refusal: Refusal): void;
}

const NOBODY: Waiting[] = [];

/** Messages of a pod that were heard and are not stored yet, and who is told what becomes of them. */
export class Outbox implements Home {
  readonly #pod: LivePod;
  readonly #messages = new Map<string, Pending>();
  readonly #waiting = new Map<string, Waiting[]>();
  #bytes = 0;

  constructor(pod: LivePod) {
    this.#pod = pod;
  }

  get org(): string {
    return this.#pod.org;
  }

  get name(): string {
    return this.#pod.name;
  }

  get epoch(): string {
    return this.#pod.epoch;
  }

  get base(): number {
    return this.#pod.base;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(message: Omit<Pending, 'home'>): void {
    const pending = { ...message, home: this };
    this.#messages.set(message.envelope.id, pending);
    this.#bytes += message.bytes;
    if (message.context) message.context.unstored++;
    this.#pod.services.writer.add(pending);
  }

  get(id: string): Pending | undefined {
    return this.#messages.get(id);
  }

  /** Resolves when a message that is here is stored. */
  wait(id: string): Promise<Position> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, [...(this.#waiting.get(id) ?? NOBODY), { resolve, reject }]);
    });
  }

  /** SUB-09: what is acknowledged is durable. One word to each sender, however many of its messages were written. */
  stored(messages: readonly Pending[]): void {
    const { seq, epoch } = messages.at(-1)!;
    this.#pod.durable = Math.max(this.#pod.durable, seq);
    const senders = new Map<string, StoredPayload['messages']>();
    for (const pending of messages) {
      const { envelope, seq: at, cause, isAwaited } = pending;
      const { id, from } = envelope;
      this.#remove(pending);
      for (const { resolve } of this.#waitingFor(id)) resolve({ seq: at, epoch });
      // Who handed a message in tells its sender.
      if (cause !== undefined || isAwaited || !this.#pod.members.has(from)) continue;
      const own = senders.get(from);
      if (own) own.push({ id, seq: at });
      else senders.set(from, [{ id, seq: at }]);
    }
    for (const [sender, own] of senders) this.#pod.acknowledge(sender, { epoch, seq, messages: own });
  }

  /** Everyone may have heard them, so everyone is told. */
  lost(messages: readonly Pending[], reason: string): void {
    for (const pending of messages) {
      const { seq, epoch, envelope } = pending;
      const { id, from } = envelope;
      const refusal = notStored(id, reason);
      this.#release(pending, reason);
      this.#pod.recent.drop(seq);
      for (const { reject } of this.#waitingFor(id)) reject(refusal);
      const { code: error, message, details } = refusal;
      const payload = { error, message, ...details, from, seq, epoch };
      this.#pod.tellAll('system/error', payload, id);
      this.#pod.services.shared?.publishLost(this.#pod, { id, seq, epoch, payload });
    }
  }

  /** Their positions are another process's now: they are said again, through it. */
  moved(messages: readonly Pending[]): void {
    const { services } = this.#pod;
    services.positions.renew();
    if (messages[0]!.epoch === this.epoch) this.#pod.restart();
    for (const pending of messages) {
      this.#release(pending, 'moved');
      if (pending.cause === undefined) void this.#sayAgain(pending);
    }
  }

  async #sayAgain({ envelope, principal, bytes }: Pending): Promise<void> {
    const { id, from } = envelope;
    const pod = this.#pod;
    try {
      const position = await pod.services.place(pod, { org: pod.org, principal }, envelope, bytes);
      for (const { resolve } of this.#waitingFor(id)) resolve(position);
      pod.acknowledge(from, { ...position, messages: [{ id, seq: position.seq }] });
    } catch (error) {
      const refusal = error instanceof Refusal ? error : notStored(id, 'internal');
      for (const { reject } of this.#waitingFor(id)) reject(refusal);
      pod.refuseTo(from, refusal);
    }
  }

  #remove({ envelope, bytes, context }: Pending): void {
    this.#messages.delete(envelope.id);
    this.#bytes -= bytes;
    if (context) context.unstored--;
  }

  #release(pending: Pending, reason: string): void {
    this.#remove(pending);
    this.#pod.ids.remove(pending.envelope.id);
    if (pending.cause !== undefined) this.#pod.services.released(pending, reason);
  }

  #waitingFor(id: string): Waiting[] {
    const waiting = this.#waiting.get(id) ?? NOBODY;
    if (waiting.length > 0) this.#waiting.delete(id);
    return waiting;
  }
}
