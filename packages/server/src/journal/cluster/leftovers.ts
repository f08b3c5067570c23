import { BUCKET, voidKey } from './erasure.ts';
import type { Stores } from './stores.ts';

interface Leftover {
  position: number;
  /** Of a body whose header is in the stream: its digest. */
  name: string | undefined;
  /** When it is due, by `performance.now()`. */
  at: number;
}

/** All nodes see a body that no header claims: they look at different times, so that one of them finds it. */
const OTHERS = 10_000;
const OTHERS_MORE = 20_000;
const LOOK = 1000;
const AGAIN = 5000;
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

  /** Published by this process, in vain. With `name`, where its header is in the stream. */
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
    for (const leftover of due) {
      try {
        await this.#erase(leftover);
        this.#due.delete(leftover.position);
      } catch {
        leftover.at = performance.now() + AGAIN;
        // NATS does not answer: neither will it for the others.
        return;
      }
    }
  }

  async #erase({ position, name }: Leftover): Promise<void> {
    const { manager, stream } = this.#stores;
    if (!(await manager.streams.getMessage(stream, { seq: position }))) return;
    // A node that finds the header without it need not wait for what is left of it.
    if (name !== undefined) await (await this.#stores.bucket(BUCKET)).put(voidKey(name), '');
    await manager.streams.deleteMessage(stream, position, true);
  }
}
