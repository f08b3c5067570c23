import { rateLimited } from './rate.ts';

type Who = { org: string; principal: string };

/**
 * What came in and is held in memory until it was served. Bounded in all, and half of that for one principal: counted as
 * it comes, so that who announces much and sends little holds little.
 */
export class HeldBytes {
  readonly #most: number;
  readonly #requests = new Map<object, { key: string; bytes: number }>();
  readonly #principals = new Map<string, number>();
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts what came of a request, or refuses the request. */
  take(request: object, { org, principal }: Who, bytes: number): void {
    const held = this.#requests.get(request) ?? { key: `${org}\n${principal}`, bytes: 0 };
    const own = this.#principals.get(held.key) ?? 0;
    // One request alone is always served: it is within its own limit.
    const isOver = this.#bytes + bytes > this.#most || own + bytes > this.#most / 2;
    if (isOver && own > held.bytes) throw tooMuchAtOnce();
    this.#requests.set(request, { ...held, bytes: held.bytes + bytes });
    this.#principals.set(held.key, own + bytes);
    this.#bytes += bytes;
  }

  /** The request was answered. */
  release(request: object): void {
    const held = this.#requests.get(request);
    if (!held) return;
    this.#requests.delete(request);
    this.#bytes -= held.bytes;
    const left = this.#principals.get(held.key)! - held.bytes;
    if (left > 0) this.#principals.set(held.key, left);
    else this.#principals.delete(held.key);
  }
}

function tooMuchAtOnce() {
  return rateLimited('Requests that are being served hold too much', 1);
}
