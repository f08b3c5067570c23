import { type ConsumerMessages, DeliverPolicy, type JsMsg, type StreamInfo } from '@nats-io/jetstream';
import { nextTurn } from '../../kernel/background.ts';
import { sleep } from '../../kernel/clock.ts';
import type { Stores } from './stores.ts';
import type { EntryHead, EntryText } from './wire.ts';

/** A message of the stream: as it came, or as this node published it. One with a position alone holds nothing for a node. */
export interface Message {
  position: number;
  text?: EntryText;
  heads?: EntryHead[];
  data?: { kind: ReturnType<Stores['subjects']['kindOf']>; text: string };
}

/** Who reads what is followed. */
export interface StreamReader {
  take(messages: readonly Message[]): void;
  /** Resolves when more can be taken; undefined where it can be at once. */
  room(): Promise<void> | undefined;
  /** Why this is not the stream that was read up to this position, where it is not. */
  lost(info: StreamInfo, seen: number): Error | undefined;
  /** That stays so. Nothing more is read. */
  onLost(error: Error): void;
  onError(error: unknown): void;
}

const decoder = new TextDecoder();
const HEARTBEAT = 1000;
const MOST_MISSED = 3;
const EXPIRES = 10_000;
const RETRY = 200;
const AHEAD = 4000;
/** Messages in one turn of the event loop. */
const PIECE = 200;
/** Milliseconds between looks how far the stream goes: where somebody waits for the end of it, and later. */
const LOOK_AT_START = 200;
const LOOK = 2000;
/** Messages are there, and do not come for so long: somebody else is asked for them. */
const STALLED = 3000;
/** Messages that are looked for at once, where they may have been deleted. */
const MOST_PASSED = 500;
/** A leader that has just been elected may not know all that it had acknowledged, for so long. */
const LOST_AFTER = 10_000;

/** Reads the stream in its order, from wherever NATS answers, and takes what this node published without waiting for it. */
export class Follower {
  readonly #stores: Stores;
  readonly #reader: StreamReader;
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
  /** The newest position when the stream was begun to be read. */
  #lastAtStart = Number.POSITIVE_INFINITY;
  #isReading = false;
  #isWaiting = false;
  /** Since when the stream seems to have lost messages. */
  #lostSince: number | undefined;
  #stopped = false;
  readonly #stopping: Promise<void>;
  #onStop = () => {};

  constructor(stores: Stores, seen: number, reader: StreamReader) {
    this.#stores = stores;
    this.#seen = seen;
    this.#newest = seen;
    this.#reader = reader;
    this.#caughtUp = new Promise((resolve) => {
      this.#onCaughtUp = () => {
        this.#hasCaughtUp = true;
        resolve();
      };
    });
    this.#stopping = new Promise((resolve) => {
      this.#onStop = resolve;
    });
  }

  get newest(): number {
    return this.#newest;
  }

  /** Resolves when everything that was in the stream when reading began has been handed on. */
  get caughtUp(): Promise<void> {
    return this.#caughtUp;
  }

  get hasCaughtUp(): boolean {
    return this.#hasCaughtUp;
  }

  get isConnected(): boolean {
    return !this.#stores.connection.isClosed() && (this.#isReading || this.#isWaiting);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#onStop();
    this.#messages?.stop();
    await this.#running;
  }

  /** What this node published, when it was acknowledged. */
  own(messages: readonly Message[]): void {
    for (const message of messages)
      if (message.position > this.#seen) this.#own.set(message.position, message);
    this.#handOn([]);
  }

  /**
   * How far the stream goes by now. Messages after the last one that came may have been deleted: they are passed over, so that who
   * waits for this position does not wait for them.
   */
  async look(): Promise<number> {
    const seen = this.#seen;
    const info = await this.#stores.info();
    const last = info.state.last_seq;
    const lost = this.#reader.lost(info, seen);
    if (lost) {
      this.#lostSince ??= performance.now();
      this.#messages?.stop();
      throw lost;
    }
    this.#lostSince = undefined;
    this.#newest = Math.max(last, this.#seen);
    if (last > this.#seen) await this.#passDeleted(info);
    return last;
  }

  /**
   * Only the leader of the stream knows that a message was deleted. Who serves the messages may have its copy later than others, and
   * says too that there are none.
   */
  async #passDeleted({ state, cluster }: StreamInfo): Promise<void> {
    const { manager, stream } = this.#stores;
    const from = this.#seen;
    const end = Math.min(state.last_seq, from + MOST_PASSED);
    let passed = from;
    while (passed < end && this.#seen === from) {
      if (await manager.streams.getMessage(stream, { seq: passed + 1 })) break;
      passed++;
    }
    if (passed === from || this.#seen !== from) return;
    const after = await this.#stores.info();
    if (after.cluster?.leader !== cluster?.leader || after.state.last_seq < passed) return;
    if (this.#seen !== from) return;
    this.#moveTo(passed);
    this.#handOn([{ position: passed }]);
  }

  #moveTo(position: number): void {
    this.#seen = position;
    for (const own of this.#own.keys()) if (own <= position) this.#own.delete(own);
  }

  /** Positions count up; where one is missing that NATS had, its message was deleted. */
  #handOn(messages: Message[]): void {
    for (let next = this.#own.get(this.#seen + 1); next; next = this.#own.get(this.#seen + 1)) {
      this.#own.delete(next.position);
      this.#seen = next.position;
      messages.push(next);
    }
    this.#newest = Math.max(this.#newest, this.#seen);
    if (messages.length > 0) this.#reader.take(messages);
    if (this.#seen >= this.#lastAtStart) this.#onCaughtUp();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#waitForRoom();
        if (!this.#stopped) await this.#read();
      } catch (error) {
        if (this.#isReading && !this.#stopped) this.#reader.onError(error);
        if (this.#lostSince !== undefined && performance.now() - this.#lostSince > LOST_AFTER) {
          this.#stopped = true;
          this.#reader.onLost(error as Error);
        }
      }
      this.#isReading = false;
      if (!this.#stopped) await sleep(RETRY);
    }
  }

  async #read(): Promise<void> {
    const { jetstream, stream } = this.#stores;
    const last = await this.look();
    if (!this.#hasCaughtUp) this.#lastAtStart = last;
    if (this.#seen >= this.#lastAtStart) this.#onCaughtUp();
    const consumer = await jetstream.consumers.get(stream, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: this.#seen + 1,
    });
    const messages = await consumer.consume({
      max_messages: AHEAD,
      idle_heartbeat: HEARTBEAT,
      expires: EXPIRES,
    });
    this.#messages = messages;
    this.#isReading = true;
    // It ends where it is read: nothing else waits for that.
    if (this.#stopped) messages.stop();
    void this.#endWhenSilent(messages);
    void this.#keepLooking(messages);
    let count = 0;
    // One by one: while there is no room for more, the client asks NATS for no more.
    for await (const message of messages) {
      if (this.#stopped) break;
      this.#received(message);
      const room = this.#waitForRoom();
      if (room) await room;
      if (++count % PIECE === 0) await nextTurn();
    }
  }

  #waitForRoom(): Promise<void> | undefined {
    const room = this.#reader.room();
    if (!room) return undefined;
    this.#isWaiting = true;
    return Promise.race([room, this.#stopping]).finally(() => {
      this.#isWaiting = false;
    });
  }

  /** The last messages may have been deleted, so that nothing comes which would be the end. NATS may also have lost what it had. */
  async #keepLooking(messages: ConsumerMessages): Promise<void> {
    let moved = { to: this.#seen, at: performance.now() };
    for (;;) {
      await pause(this.#hasCaughtUp ? LOOK : LOOK_AT_START);
      if (this.#stopped || !this.#isReading || this.#messages !== messages) return;
      await this.look().catch(() => {});
      const hasMoved = this.#seen !== moved.to || this.#newest === this.#seen || this.#isWaiting;
      if (hasMoved) moved = { to: this.#seen, at: performance.now() };
      // After a lost connection the client waits for a consumer whose server is gone, without a word.
      else if (performance.now() - moved.at > STALLED) messages.stop();
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

  #received({ seq, subject, data }: JsMsg): void {
    if (seq <= this.#seen) return;
    this.#moveTo(seq);
    const kind = this.#stores.subjects.kindOf(subject);
    this.#handOn([{ position: seq, data: { kind, text: decoder.decode(data) } }]);
  }
}

/** Without keeping the process from ending. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
