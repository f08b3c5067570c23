import type { BucketSize } from '../token-bucket.ts';

const SECONDS = 60;
const MINUTE = 60_000;
/** What was asked for counts half as much after this time when nodes divide what is left. */
const HALF_LIFE = 1000;

/** Messages that a bucket waits for. A node that is cut off sends more, and nobody hears them. */
const MOST_SAID = 20;

/** What a bucket has to know of its cluster. */
export interface Nodes {
  /** How many share the bucket, this one included. */
  readonly count: number;
  /** What this node said in messages up to this number is known to the others. */
  readonly settled: number;
  /** Nobody hears this node: it keeps to its part of the rate. */
  readonly isCutOff: boolean;
}

/** What a node says of a bucket. */
export interface Spending {
  /** All that this node ever took: who missed a message learns it from the next one. */
  total: number;
  /** Of the total, what the others may not know yet. */
  unknown: number;
  /** What the bucket holds as far as this node knows. */
  left: number;
  /** All that this node was ever asked for, also what it refused. */
  asked: number;
}

/**
 * One bucket that all nodes of a cluster take from. A node knows what the others took but for the last moments, and they
 * know as much of it. So each may take, before the others know, only its part of what is left: then all parts together are
 * never more than the bucket holds, however many take at once.
 */
export class SharedBucket {
  readonly #size: BucketSize;
  readonly #nodes: Nodes;
  readonly #heard = new Map<string, { contact: number; total: number; asked: number }>();
  /** All that is known is taken off. Below 0 when nodes together took too much: later calls wait for it. */
  #left: number;
  #at: number;
  #total = 0;
  /** Of the total, what every node knows. */
  #settled = 0;
  #asked = 0;
  #settledAsked = 0;
  /** What messages said that are not settled yet. */
  readonly #said: { message: number; total: number; asked: number }[] = [];
  /** What was lately asked for here and everywhere, as all nodes know it. */
  #askedHere = 0;
  #askedEverywhere = 0;

  constructor(size: BucketSize, nodes: Nodes, now: number) {
    this.#size = size;
    this.#nodes = nodes;
    this.#left = size.capacity;
    this.#at = now;
  }

  /** Returns 0 when `amount` was taken, else the seconds until there may be enough; then nothing was taken. */
  take(amount: number, now: number): number {
    this.#pass(now);
    const { capacity, perMinute } = this.#size;
    const price = Math.min(amount, capacity);
    this.#asked += price;
    const unknown = this.#unknown;
    const isWithinPart = unknown + price <= (this.#left + unknown) * this.#part;
    // Of a small bucket, parts are smaller than the price. There a node takes once, and waits until the others know.
    const isSmall = capacity < 2 * price * this.#nodes.count;
    if (!isWithinPart && !(isSmall && unknown === 0 && this.#left >= price)) {
      return Math.max(1, Math.ceil(((price - this.#left) * SECONDS) / perMinute));
    }
    this.#take(price);
    return 0;
  }

  charge(amount: number, now: number): void {
    this.#pass(now);
    this.#asked += amount;
    this.#take(amount);
  }

  isFull(now: number): boolean {
    this.#pass(now);
    return this.#left >= this.#size.capacity;
  }

  /** Whether the others should know now: this node has taken much of its part. */
  isUrgent(now: number): boolean {
    this.#pass(now);
    const unsaid = this.#total - (this.#said.at(-1)?.total ?? this.#settled);
    return unsaid > 0 && this.#unknown * 4 >= (this.#left + this.#unknown) * this.#part;
  }

  /** What message number `message` tells of this bucket. */
  say(message: number, now: number): Spending {
    this.#pass(now);
    const [total, asked] = [this.#total, this.#asked];
    if (this.#said.length >= MOST_SAID) this.#said.pop();
    if (asked > this.#settledAsked) this.#said.push({ message, total, asked });
    return { total, unknown: this.#unknown, left: this.#left, asked };
  }

  /** What another node told. `contact` changes when this node or the other one was away. */
  hear(node: string, contact: number, { total, unknown, left, asked }: Spending, now: number): void {
    this.#pass(now);
    const known = this.#heard.get(node);
    this.#heard.set(node, { contact, total, asked });
    const isNext = known?.contact === contact && known.total <= total;
    const spent = isNext ? total - known.total : Math.min(total, unknown);
    this.#left -= spent;
    this.#askedEverywhere += isNext ? asked - known.asked : spent;
    // What was spent while one of the two was away, the other one has taken off.
    if (!isNext) this.#left = Math.min(this.#left, left - this.#unknown);
  }

  #take(amount: number): void {
    this.#left -= amount;
    this.#total += amount;
  }

  get #unknown(): number {
    return this.#total - this.#settled;
  }

  /**
   * This node's part of what is left. One half is divided evenly, so that each node can begin; the other half as it was
   * asked for lately, so that the one node that a principal works with gets most of the bucket.
   */
  get #part(): number {
    const even = 1 / this.#nodes.count;
    if (this.#nodes.isCutOff || this.#askedEverywhere < 1e-6) return even;
    return even / 2 + this.#askedHere / this.#askedEverywhere / 2;
  }

  #pass(now: number): void {
    const elapsed = Math.max(0, now - this.#at);
    this.#at = now;
    const added = (elapsed * this.#size.perMinute) / MINUTE;
    this.#left = Math.min(this.#size.capacity, this.#left + added);
    const fading = 0.5 ** (elapsed / HALF_LIFE);
    this.#askedHere *= fading;
    this.#askedEverywhere *= fading;
    // What a node takes while it is cut off is paid by its part of the rate.
    if (this.#nodes.isCutOff) this.#settled += Math.min(this.#unknown, added / this.#nodes.count);
    for (let said = this.#said[0]; said && said.message <= this.#nodes.settled; said = this.#said[0]) {
      this.#said.shift();
      this.#settled = Math.max(this.#settled, said.total);
      this.#askedHere += said.asked - this.#settledAsked;
      this.#askedEverywhere += said.asked - this.#settledAsked;
      this.#settledAsked = said.asked;
    }
  }
}
