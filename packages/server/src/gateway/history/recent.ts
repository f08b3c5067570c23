import type { Budget } from '../pod/budget.ts';
import type { Described } from '../pod/filter.ts';
import type { WireFrame } from '../wire/frame.ts';

export interface RecentMessage extends Described {
  seq: number;
  epoch: string;
  frame: WireFrame;
}

/** Keeps the place of a message that was let go. */
const GONE = undefined as unknown as RecentMessage;

/** The newest messages of a pod, for who comes back after a short while. Bounded by number and by bytes. */
export class Recent {
  readonly #messages: RecentMessage[] = [];
  readonly #most: number;
  readonly #mostBytes: number;
  readonly #budget: Budget;
  #start = 0;
  #bytes = 0;
  #kept = 0;

  constructor(most: number, mostBytes: number, budget: Budget) {
    this.#most = most;
    this.#mostBytes = mostBytes;
    this.#budget = budget;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#messages.length - this.#start;
  }

  get oldest(): number | undefined {
    return this.#messages[this.#start]?.seq;
  }

  /** `kept`: messages after this position stay, whatever the bounds: they are nowhere else yet. */
  add(message: RecentMessage, kept: number): void {
    this.#kept = kept;
    this.#messages.push(message);
    this.#count(message.frame.bytes);
    while (this.size > this.#most || this.#bytes > this.#mostBytes) if (!this.dropOldest()) return;
  }

  /** Lets the oldest message go, unless it is the newest too, or nowhere else; answers whether it did. */
  dropOldest(): boolean {
    if (this.size <= 1 || this.oldest! > this.#kept) return false;
    this.#drop();
    return true;
  }

  /** Something was taken out of history: what history has is read from there again. */
  dropThrough(seq: number): void {
    while (this.size > 0 && this.oldest! <= seq) this.#drop();
  }

  /** What came after this position was heard in vain. */
  dropAfter(seq: number): void {
    while (this.size > 0 && this.#messages.at(-1)!.seq > seq) this.#count(-this.#messages.pop()!.frame.bytes);
  }

  /** The message at this position was heard in vain. */
  drop(seq: number): void {
    const index = this.#indexAfter(seq) - 1;
    if (index < this.#start || this.#messages[index]!.seq !== seq) return;
    this.#count(-this.#messages.splice(index, 1)[0]!.frame.bytes);
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

  /** Messages are given back at once, the room for them in the list now and then. */
  #drop(): void {
    this.#count(-this.#messages[this.#start]!.frame.bytes);
    this.#messages[this.#start++] = GONE;
    if (this.#start > 1024 && this.#start * 2 > this.#messages.length) {
      this.#messages.splice(0, this.#start);
      this.#start = 0;
    }
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#budget.change(this, bytes);
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
}
