const MINUTE = 60_000;
const MOST = 10_000;

/** Buckets that fill up evenly, one for each key; the oldest key is forgotten when there are too many. */
export class Buckets {
  readonly #buckets = new Map<string, { left: number; at: number }>();
  readonly #perMinute: number;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Seconds to wait, or 0 when one was taken. */
  take(key: string, now: number): number {
    let bucket = this.#buckets.get(key);
    if (!bucket) {
      if (this.#buckets.size >= MOST) this.#buckets.delete(this.#buckets.keys().next().value!);
      bucket = { left: this.#perMinute, at: now };
      this.#buckets.set(key, bucket);
    }
    const filled = bucket.left + (Math.max(0, now - bucket.at) * this.#perMinute) / MINUTE;
    bucket.left = Math.min(this.#perMinute, filled);
    bucket.at = now;
    if (bucket.left < 1) return Math.max(1, Math.ceil(((1 - bucket.left) / this.#perMinute) * 60));
    bucket.left--;
    return 0;
  }
}
