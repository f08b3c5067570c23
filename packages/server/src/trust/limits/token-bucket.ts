const SECONDS = 60;
const MINUTE = 60_000;

export interface BucketSize {
  perMinute: number;
  /** What a full bucket holds. */
  capacity: number;
}

/** A bucket that begins full and fills up evenly. */
export class TokenBucket {
  readonly #size: BucketSize;
  #left: number;
  #filledAt: number;

  constructor(size: BucketSize, now: number) {
    this.#size = size;
    this.#left = size.capacity;
    this.#filledAt = now;
  }

  /** Returns 0 when `amount` was taken, else the seconds until there is enough; then nothing was taken. */
  take(amount: number, now: number): number {
    this.#fill(now);
    // What is larger than the bucket could never be served: it empties a full one instead.
    const price = Math.min(amount, this.#size.capacity);
    if (this.#left < price) {
      return Math.max(1, Math.ceil(((price - this.#left) * SECONDS) / this.#size.perMinute));
    }
    this.#left -= price;
    return 0;
  }

  /** Takes what was already used, even when the bucket holds less: later calls wait until the debt is filled up. */
  charge(amount: number, now: number): void {
    this.#fill(now);
    this.#left -= amount;
  }

  #fill(now: number): void {
    const { perMinute, capacity } = this.#size;
    const added = (Math.max(0, now - this.#filledAt) * perMinute) / MINUTE;
    this.#left = Math.min(capacity, this.#left + added);
    this.#filledAt = now;
  }
}

const MOST_KEYS = 10_000;

/** One bucket for each key, which holds a minute's worth. The oldest key is forgotten when there are too many. */
export class TokenBuckets {
  readonly #size: BucketSize;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(perMinute: number) {
    this.#size = { perMinute, capacity: perMinute };
  }

  /** Takes one and returns 0, or returns the seconds until there is one. */
  take(key: string, now: number): number {
    let bucket = this.#buckets.get(key);
    if (!bucket) {
      if (this.#buckets.size >= MOST_KEYS) this.#buckets.delete(this.#buckets.keys().next().value!);
      bucket = new TokenBucket(this.#size, now);
      this.#buckets.set(key, bucket);
    }
    return bucket.take(1, now);
  }

  get size(): number {
    return this.#buckets.size;
  }
}
