import type { Described } from './filter.ts';
import type { Frame } from './frame.ts';

export interface RecentMessage extends Described {
  seq: number;
  epoch: string;
  frame: Frame;
}

/** Keeps the place of a message that was let go. */
const GONE = undefined as unknown as RecentMessage;

/** The newest messages of a pod, for who comes back after a short while. Bounded by number and by bytes. */
export class Recent {
  #messages: RecentMessage[] = [];
  #start = 0;
  #bytes = 0;
  readonly #most: number;
  readonly #mostBytes: number;

  constructor(most: number, mostBytes: number) {
    this.#most = most;
    this.#mostBytes = mostBytes;
  }

  /** `kept`: messages after this position stay, whatever the bounds: they are nowhere else yet. */
  add(message: RecentMessage, kept: number): void {
    this.#messages.push(message);
    this.#bytes += message.frame.bytes;
    while (this.size > 1 && (this.size > this.#most || this.#bytes > this.#mostBytes)) {
      if (this.oldest! > kept) break;
      this.#dropOldest();
    }
  }

  /** Something was taken out of history: what history has is read from there again. */
  dropThrough(seq: number): void {
    while (this.size > 0 && this.oldest! <= seq) this.#dropOldest();
  }

  /** What came after this position was heard in vain. */
  dropAfter(seq: number): void {
    while (this.size > 0 && this.#messages.at(-1)!.seq > seq) {
      this.#bytes -= this.#messages.pop()!.frame.bytes;
    }
  }

  /** The message at this position was heard in vain. */
  drop(seq: number): void {
    const index = this.#indexAfter(seq) - 1;
    if (index < this.#start || this.#messages[index]!.seq !== seq) return;
    this.#bytes -= this.#messages.splice(index, 1)[0]!.frame.bytes;
  }

  /** Room that messages left is given back now and then; the messages themselves at once. */
  #dropOldest(): void {
    this.#bytes -= this.#messages[this.#start]!.frame.bytes;
    this.#messages[this.#start++] = GONE;
    if (this.#start > 1024 && this.#start * 2 > this.#messages.length) {
      this.#messages.splice(0, this.#start);
      this.#start = 0;
    }
  }

  /** Where the first message after this position stands. */
  #indexAfter(seq: number): number {
    let [low, high] = [this.#start, this.#messages.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#messages[middle]!.seq > seq) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  get size(): number {
    return this.#messages.length - this.#start;
  }

  get oldest(): number | undefined {
    return this.#messages[this.#start]?.seq;
  }

  /** Messages after this position; undefined when the first of them is not kept any more. */
  after(seq: number): RecentMessage[] | undefined {
    const { oldest } = this;
    if (oldest === undefined || oldest > seq + 1) return undefined;
    return this.#messages.slice(this.#indexAfter(seq));
  }

  all(): RecentMessage[] {
    return this.#messages.slice(this.#start);
  }
}
