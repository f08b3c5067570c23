/** What an entry of a map takes besides its key and its value. */
const ENTRY_BYTES = 100;

/**
 * What may be computed again and is kept for a while: up to so many bytes, keys included. What was used least
 * recently goes first.
 */
export class Cache<Value> {
  readonly #most: number;
  /** The last used last. */
  readonly #entries = new Map<string, { value: Value; bytes: number }>();
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** `bytes` is what the value takes; what is larger than the whole is not kept. */
  set(key: string, value: Value, bytes = 0): void {
    this.delete(key);
    const all = 2 * key.length + bytes + ENTRY_BYTES;
    if (all > this.#most) return;
    this.#entries.set(key, { value, bytes: all });
    this.#bytes += all;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#most) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
