import { type Consumer, type ConsumerMessages, DeliverPolicy, type JsMsg } from '@nats-io/jetstream';
import { sleep } from '../../kernel/clock.ts';
import type { Stores } from './stores.ts';
import type { EntryHead, EntryText } from './wire.ts';

/** A message of the stream: as it came, or as this node published it. */
export interface Message {
  position: number;
  text?: EntryText;
  heads?: EntryHead[];
  data?: { kind: ReturnType<Stores['subjects']['kindOf']>; text: string };
}

const decoder = new TextDecoder();
const HEARTBEAT = 1000;
const MOST_MISSED = 3;
const EXPIRES = 10_000;
const RETRY = 200;
const AHEAD = 4000;
const LOOK = 200;

/** Reads the stream in its order, from wherever NATS answers, and takes what this node published without waiting for it. */
export class Follower {
  readonly #stores: Stores;
  readonly #take: (messages: readonly Message[]) => void;
  readonly #onError: (error: unknown) => void;
  /** The last position that was handed on. */
  #seen: number;
  /** The newest position that is known of. */
  #newest: number;
  /** Published by this node, and not yet handed on, because others come first. */
  readonly #own = new Map<number, Message>();
  readonly #caughtUp: Promise<void>;
  #onCaughtUp = () => {};
  #hasCaughtUp = false;
  #messages: ConsumerMessages | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(
    stores: Stores,
    seen: number,
    take: (messages: readonly Message[]) => void,
    onError: (error: unknown) => void,
  ) {
    this.#stores = stores;
    this.#seen = seen;
    this.#newest = seen;
    this.#take = take;
    this.#onError = onError;
    this.#caughtUp = new Promise((resolve) => {
      this.#onCaughtUp = () => {
        this.#hasCaughtUp = true;
        resolve();
      };
    });
  }

  get newest(): number {
    return this.#newest;
  }

  /** Resolves when everything that was in the stream when reading began has been handed on. */
  get caughtUp(): Promise<void> {
    return this.#caughtUp;
  }

  get isConnected(): boolean {
    return !this.#stores.connection.isClosed() && this.#isReading;
  }
  #isReading = false;

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#messages?.close();
    await this.#running;
  }

  /** What this node published, when it was acknowledged. */
  own(messages: readonly Message[]): void {
    for (const message of messages)
      if (message.position > this.#seen) this.#own.set(message.position, message);
    this.#handOn([]);
  }

  /** Positions count up; where one is missing that NATS had, its message was deleted. */
  #handOn(messages: Message[]): void {
    for (let next = this.#own.get(this.#seen + 1); next; next = this.#own.get(this.#seen + 1)) {
      this.#own.delete(next.position);
      this.#seen = next.position;
      messages.push(next);
    }
    this.#newest = Math.max(this.#newest, this.#seen);
    if (messages.length > 0) this.#take(messages);
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#read();
      } catch (error) {
        if (this.#isReading && !this.#stopped) this.#onError(error);
      }
      this.#isReading = false;
      if (!this.#stopped) await sleep(RETRY);
    }
  }

  async #read(): Promise<void> {
    const { jetstream, stream } = this.#stores;
    const consumer = await jetstream.consumers.get(stream, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: this.#seen + 1,
    });
    const { num_pending } = await consumer.info(true);
    if (num_pending === 0) this.#onCaughtUp();
    const messages = await consumer.consume({
      max_messages: AHEAD,
      idle_heartbeat: HEARTBEAT,
      expires: EXPIRES,
      callback: (message) => this.#received(message),
    });
    this.#messages = messages;
    if (this.#stopped) {
      await messages.close();
      return;
    }
    this.#isReading = true;
    void this.#endWhenSilent(messages);
    void this.#lookUntilCaughtUp(consumer, messages);
    const error = await messages.closed();
    if (error) throw error;
  }

  /**
   * NATS goes on counting messages as still to come that were deleted after it began to, so that the last one may come without
   * saying that it is the last. At the start, where somebody waits for it, NATS is asked.
   */
  async #lookUntilCaughtUp(consumer: Consumer, messages: ConsumerMessages): Promise<void> {
    while (!this.#hasCaughtUp && !this.#stopped && this.#messages === messages) {
      await sleep(LOOK);
      const info = await consumer.info().catch(() => undefined);
      if (info?.num_pending === 0 && info.delivered.stream_seq <= this.#seen) this.#onCaughtUp();
    }
  }

  /** Who serves these messages may have died, or stand still: another one is asked then. */
  async #endWhenSilent(messages: ConsumerMessages): Promise<void> {
    for await (const status of messages.status()) {
      if (status.type !== 'heartbeats_missed' || status.count < MOST_MISSED) continue;
      messages.stop();
      return;
    }
  }

  #received(message: JsMsg): void {
    const { seq } = message;
    const { pending } = message.info;
    if (seq <= this.#seen) return;
    this.#seen = seq;
    this.#newest = seq + pending;
    for (const position of this.#own.keys()) if (position <= seq) this.#own.delete(position);
    const kind = this.#stores.subjects.kindOf(message.subject);
    this.#handOn([{ position: seq, data: { kind, text: decoder.decode(message.data) } }]);
    if (pending === 0) this.#onCaughtUp();
  }
}
