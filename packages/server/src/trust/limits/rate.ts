import { LIMITS, type LimitName, type Limits } from '@infold/protocol';
import { InfoldError } from '../../kernel/errors.ts';
import { LOCAL_ORG, LOCAL_OWNER } from '../identity/caller.ts';
import { type BucketSize, TokenBucket } from './token-bucket.ts';

/** What is counted by the minute for each principal, and the row of the limits table that says how much. */
const RATES = {
  calls: 'callsPerMinute',
  sessions: 'sessionsPerMinute',
  branches: 'branchesPerMinute',
  remembers: 'remembersPerMinute',
  envelopes: 'envelopesPerMinute',
  bytes: 'bytesPerMinute',
  strangers: 'strangersPerMinute',
} as const satisfies Record<string, LimitName>;
export type Rate = keyof typeof RATES;

/** A minute's worth may be used at once, but for what costs most in a heap: two or four seconds' worth. */
const BURST: { [rate in Rate]?: number } = { calls: 1 / 30, bytes: 1 / 15 };
/** But at least as much of a minute's worth as one request may need. */
const LEAST: { [rate in Rate]?: LimitName } = { bytes: 'requestBytes' };

interface Account {
  buckets: Map<Rate, TokenBucket>;
  inFlight: number;
}

/** Principals remembered at once. Who was forgotten begins with full buckets again. */
const MOST_ACCOUNTS = 10_000;

type Who = { org: string; principal: string };

/** What the nodes of a cluster count together. */
export interface SharedRates {
  bucket(key: string, rate: Rate, now: number): Pick<TokenBucket, 'take' | 'charge'>;
  /** This node now holds so many of something open. */
  hold(name: string, count: number): void;
  /** How many of it the other nodes hold open. */
  heldElsewhere(name: string): number;
}

/** Refuses one principal's flood early and cheaply, so that the others keep their latency. */
export class RateLimiter {
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #sizes = new Map<Rate, BucketSize>();
  readonly #accounts = new Map<string, Account>();
  #sharing: SharedRates | undefined;

  constructor(limits: Limits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** From now on a principal's rates and calls are counted on all nodes of a cluster together. */
  share(sharing: SharedRates): void {
    this.#sharing = sharing;
  }

  /** Takes `amount` from the bucket, or refuses and says when there is enough again. */
  spend(who: Who, rate: Rate, amount = 1): void {
    if (!isHeldTo(this.#limits, who, RATES[rate])) return;
    const now = this.#now();
    const seconds = this.#bucket(who, rate, now).take(amount, now);
    if (seconds > 0) {
      throw rateLimited(`Over the limit of ${this.#limits[RATES[rate]]} ${rate} a minute`, seconds);
    }
  }

  /** Takes what was already used, even when the bucket holds less. */
  charge(who: Who, rate: Rate, amount: number): void {
    if (!isHeldTo(this.#limits, who, RATES[rate])) return;
    const now = this.#now();
    this.#bucket(who, rate, now).charge(amount, now);
  }

  #bucket(who: Who, rate: Rate, now: number): Pick<TokenBucket, 'take' | 'charge'> {
    if (this.#sharing) return this.#sharing.bucket(keyOf(who), rate, now);
    const { buckets } = this.#account(who);
    let bucket = buckets.get(rate);
    if (!bucket) {
      bucket = new TokenBucket(this.sizeOf(rate), now);
      buckets.set(rate, bucket);
    }
    return bucket;
  }

  sizeOf(rate: Rate): BucketSize {
    const known = this.#sizes.get(rate);
    if (known) return known;
    const perMinute = this.#limits[RATES[rate]];
    const least = LEAST[rate] === undefined ? 1 : Math.min(perMinute, this.#limits[LEAST[rate]]);
    const size = { perMinute, capacity: Math.max(least, perMinute * (BURST[rate] ?? 1)) };
    this.#sizes.set(rate, size);
    return size;
  }

  /** One call at a time in each of a principal's slots; returns the way to give the slot back. */
  enter(who: Who): () => void {
    if (!isHeldTo(this.#limits, who, 'callsAtOnce')) return () => {};
    const most = this.#limits.callsAtOnce;
    const account = this.#account(who);
    const elsewhere = this.#sharing?.heldElsewhere(callsOf(who)) ?? 0;
    if (account.inFlight + elsewhere >= most) throw rateLimited(`Over the limit of ${most} calls at once`, 1);
    const count = (change: number) => {
      account.inFlight += change;
      this.#sharing?.hold(callsOf(who), account.inFlight);
    };
    count(1);
    let left = false;
    return () => {
      if (!left) count(-1);
      left = true;
    };
  }

  get size(): number {
    return this.#accounts.size;
  }

  #account(who: Who): Account {
    const key = keyOf(who);
    const known = this.#accounts.get(key);
    if (known) return known;
    if (this.#accounts.size >= MOST_ACCOUNTS) this.#forgetOldest();
    const account: Account = { buckets: new Map(), inFlight: 0 };
    this.#accounts.set(key, account);
    return account;
  }

  #forgetOldest(): void {
    for (const [key, { inFlight }] of this.#accounts) {
      if (inFlight > 0) continue;
      this.#accounts.delete(key);
      return;
    }
  }
}

function keyOf({ org, principal }: Who): string {
  return `${org}\n${principal}`;
}

function callsOf(who: Who): string {
  return `calls\n${keyOf(who)}`;
}

/** The owner of the machine is held only to what was set on purpose: there is nobody to protect from them. */
export function isHeldTo(limits: Limits, { org, principal }: Who, limit: LimitName): boolean {
  return org !== LOCAL_ORG || principal !== LOCAL_OWNER || limits[limit] !== LIMITS[limit];
}

export function rateLimited(message: string, retryAfter: number): InfoldError {
  return new InfoldError('rate_limited', `${message}; try again in ${retryAfter} s`, {
    retryable: true,
    retryAfter,
  });
}
