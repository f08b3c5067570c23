import { erasedBucket, voidKey } from './erasure.ts';
import type { Stores } from './stores.ts';

interface Leftover {
  position: number;
  /** Of a body that a new node will look for: its digest. */
  name: string | undefined;
  /** When it is due, by `performance.now()`. */
  at: number;
}

/** All nodes see a body that no header claims: they look at different times, so that one of them finds it. */
const OTHERS = 10_000;
const OTHERS_MORE = 20_000;
const LOOK = 1000;
const AGAIN = 5000;
const AT_ONCE = 16;
/** More at once is a stream that somebody else writes to. */
const MOST = 10_000;

/** Bodies in the stream that belong to no entry. Nobody could forget what they say, so they are erased. */
export class Leftovers {
  readonly #stores: Stores;
  readonly #due = new Map<number, Leftover>();
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /** Published by this process, in vain. With `name`, where its header is in the stream, and only the body tells that it is void. */
  discard(position: number, name?: string): void {
    this.#add({ position, name, at: 0 });
    this.#work();
  }

  /** No header claimed it. */
  discardLater(position: number): void {
    this.#add({ position, name: undefined, at: performance.now() + OTHERS + Math.random() * OTHERS_MORE });
  }

  /** Everything, now: after the end of this process nobody else may know of it. */
  async settle(): Promise<void> {
    clearInterval(this.#timer);
    await this.#working;
    await this.#eraseAll(Number.POSITIVE_INFINITY);
  }

  #add(leftover: Leftover): void {
    if (this.#due.size >= MOST) return;
    this.#due.set(leftover.position, leftover);
    this.#timer ??= setInterval(() => this.#work(), LOOK).unref();
  }

  #work(): void {
    if (this.#due.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#working ??= this.#eraseAll(performance.now()).finally(() => {
      this.#working = undefined;
    });
  }

  async #eraseAll(until: number): Promise<void> {
    const due = [...this.#due.values()].filter(({ at }) => at <= until);
    for (let from = 0; from < due.length; from += AT_ONCE) {
      const erased = await Promise.all(due.slice(from, from + AT_ONCE).map((one) => this.#erase(one)));
      // NATS does not answer: neither will it for the others.
      if (erased.includes(false)) return;
    }
  }

  /** Whether it is gone. */
  async #erase(leftover: Leftover): Promise<boolean> {
    const { manager, stream } = this.#stores;
    const { position, name } = leftover;
    try {
      if (await manager.streams.getMessage(stream, { seq: position })) {
        // A node that finds the header without it need not wait for what is left of it.
        if (name !== undefined) await (await erasedBucket(this.#stores)).put(voidKey(name), '');
        await manager.streams.deleteMessage(stream, position, true);
      }
      this.#due.delete(position);
      return true;
    } catch {
      leftover.at = performance.now() + AGAIN;
      return false;
    }
  }
}
