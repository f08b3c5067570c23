import type { Described } from './filter.ts';
import type { Frame } from './frame.ts';

export interface RecentMessage extends Described {
  seq: number;
  epoch: string;
  frame: Frame;
}

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
      const oldest = this.#messages[this.#start]!;
      if (oldest.seq > kept) break;
      this.#bytes -= oldest.frame.bytes;
      this.#start++;
    }
    if (this.#start > 1024 && this.#start * 2 > this.#messages.length) {
      this.#messages = this.#messages.slice(this.#start);
      this.#start = 0;
    }
  }

  /** Something was taken out of history: what history has is read from there again. */
  dropThrough(seq: number): void {
    while (this.size > 0 && this.#messages[this.#start]!.seq <= seq) {
      this.#bytes -= this.#messages[this.#start++]!.frame.bytes;
    }
    if (this.size === 0) {
      this.#messages = [];
      this.#start = 0;
    }
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
    return this.#messages.slice(this.#start + seq + 1 - oldest);
  }

  all(): RecentMessage[] {
    return this.#messages.slice(this.#start);
  }
}
