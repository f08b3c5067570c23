import type { Rate, SharedRates } from '../rate.ts';
import type { BucketSize } from '../token-bucket.ts';
import { type Nodes, SharedBucket, type Spending } from './shared-bucket.ts';

/** A node says something at least this often, in milliseconds. What is urgent it says in the next round. */
const HEARTBEAT = 500;
/** Who was silent for so long is gone. */
const SILENCE = 2000;
/** The longest that a message takes to one node after it was back at its sender. */
const DETOUR = 200;
/** As many nodes as there may be before one has heard which there are. */
const MANY = 8;
/** Buckets and counts remembered at once, as for one process. */
const MOST = 10_000;
/** What one message tells at most, so that it stays far below what NATS carries. */
const MOST_TOLD = 1000;

/** What a node took from buckets, and how much it holds open. A message is numbered within the run of its node. */
export interface RateMessage {
  node: string;
  run: string;
  number: number;
  spent: [key: string, rate: Rate, Spending][];
  held: [name: string, count: number][];
  /** What `held` leaves out is not held. */
  isWhole: boolean;
}

interface Peer {
  run: string;
  heardAt: number;
  contact: number;
  held: Map<string, number>;
}

/**
 * What the nodes of a cluster tell each other about limits, without clocks that agree and without a network: `round` says
 * what to send, `hear` takes what came. A node also hears itself, which shows that the others can hear it.
 */
export class RateSharing implements SharedRates, Nodes {
  readonly #node: string;
  readonly #run: string;
  readonly #sizeOf: (rate: Rate) => BucketSize;
  readonly #buckets = new Map<string, { key: string; rate: Rate; bucket: SharedBucket }>();
  /** Which of them were used since they were last told, or may be missed by someone. */
  readonly #untold = new Set<string>();
  /** Told again with the next heartbeat, in case that the message was lost. */
  #repeated = new Set<string>();
  readonly #held = new Map<string, number>();
  readonly #heldUntold = new Set<string>();
  readonly #heldTold = new Map<string, number>();
  readonly #peers = new Map<string, Peer>();
  #contacts = 0;
  #number = 0;
  #saidAt = Number.NEGATIVE_INFINITY;
  /** When this node last heard itself, and since when it does without a break. */
  #echoAt = Number.NEGATIVE_INFINITY;
  #joinedAt = Number.POSITIVE_INFINITY;
  /** Own messages that came back, until the others must have them too. */
  readonly #echoes: { number: number; at: number }[] = [];
  #now = Number.NEGATIVE_INFINITY;
  settled = 0;

  constructor(node: string, run: string, sizeOf: (rate: Rate) => BucketSize) {
    this.#node = node;
    this.#run = run;
    this.#sizeOf = sizeOf;
  }

  get count(): number {
    const known = 1 + this.#peers.size;
    return this.#hasJoined ? known : Math.max(known, MANY);
  }

  get isCutOff(): boolean {
    return this.#now - this.#echoAt > SILENCE;
  }

  /** The bucket of a principal, to take from. */
  bucket(key: string, rate: Rate, now: number): SharedBucket {
    this.#tick(now);
    const name = `${rate}\n${key}`;
    this.#untold.add(name);
    return this.#bucketOf(name, key, rate, now);
  }

  hold(name: string, count: number): void {
    if (count > 0) this.#held.set(name, count);
    else this.#held.delete(name);
    this.#heldUntold.add(name);
  }

  heldElsewhere(name: string): number {
    let count = 0;
    for (const { held } of this.#peers.values()) count += held.get(name) ?? 0;
    return count;
  }

  /** What to send now, every 100 ms or so. Most often nothing. */
  round(now: number): RateMessage[] {
    this.#tick(now);
    const isDue = now - this.#saidAt >= HEARTBEAT;
    const names = isDue ? new Set([...this.#untold, ...this.#repeated]) : this.#urgent(now);
    const held = isDue ? [...this.#held] : this.#changed();
    this.#heldUntold.clear();
    if (!isDue && names.size === 0 && held.length === 0) return [];
    if (isDue) {
      this.#saidAt = now;
      this.#repeated = new Set();
      this.#heldTold.clear();
    }
    for (const [name, count] of held) this.#heldTold.set(name, count);
    const messages = this.#tell([...names], held, now);
    messages[0]!.isWhole = isDue;
    for (const name of names) {
      if (this.#untold.delete(name)) this.#repeated.add(name);
    }
    return messages;
  }

  /** What came from any node, also from this one. */
  hear(message: RateMessage, now: number): void {
    this.#tick(now);
    if (message.node === this.#node) {
      if (message.run === this.#run) this.#hearEcho(message.number, now);
      return;
    }
    const peer = this.#peerOf(message, now);
    for (const [key, rate, spending] of message.spent) {
      this.#bucketOf(`${rate}\n${key}`, key, rate, now).hear(message.node, peer.contact, spending, now);
    }
    if (message.isWhole) peer.held.clear();
    for (const [name, count] of message.held) {
      if (count > 0) peer.held.set(name, count);
      else peer.held.delete(name);
    }
  }

  get #hasJoined(): boolean {
    return this.#now - this.#joinedAt > HEARTBEAT;
  }

  #tick(now: number): void {
    this.#now = now;
    while (this.#echoes[0] && now - this.#echoes[0].at > DETOUR) this.settled = this.#echoes.shift()!.number;
    if (now - this.#joinedAt <= SILENCE) return;
    for (const [node, { heardAt }] of this.#peers) {
      // Who does not hear itself cannot tell who is gone.
      if (this.#echoAt - heardAt > SILENCE) this.#peers.delete(node);
    }
  }

  #hearEcho(number: number, now: number): void {
    if (this.isCutOff) this.#joinedAt = now;
    this.#echoAt = now;
    this.#echoes.push({ number, at: now });
  }

  #peerOf({ node, run }: RateMessage, now: number): Peer {
    const known = this.#peers.get(node);
    if (known?.run === run && now - known.heardAt <= SILENCE) {
      known.heardAt = now;
      return known;
    }
    // One of the two was away: the other one has to learn what was spent meanwhile.
    for (const [name, { bucket }] of this.#buckets) {
      if (!bucket.isFull(now)) this.#untold.add(name);
    }
    this.#saidAt = Number.NEGATIVE_INFINITY;
    const peer: Peer = { run, heardAt: now, contact: ++this.#contacts, held: new Map() };
    this.#peers.set(node, peer);
    return peer;
  }

  #bucketOf(name: string, key: string, rate: Rate, now: number): SharedBucket {
    const known = this.#buckets.get(name);
    if (known) return known.bucket;
    if (this.#buckets.size >= MOST) this.#buckets.delete(this.#buckets.keys().next().value!);
    const bucket = new SharedBucket(this.#sizeOf(rate), this, now);
    this.#buckets.set(name, { key, rate, bucket });
    return bucket;
  }

  #urgent(now: number): Set<string> {
    const urgent = new Set<string>();
    for (const name of this.#untold) {
      if (this.#buckets.get(name)?.bucket.isUrgent(now)) urgent.add(name);
    }
    return urgent;
  }

  /** Of what was opened or closed since the last round, what is not as the others know it. */
  #changed(): RateMessage['held'] {
    return [...this.#heldUntold]
      .map((name): [string, number] => [name, this.#held.get(name) ?? 0])
      .filter(([name, count]) => count !== (this.#heldTold.get(name) ?? 0));
  }

  #tell(names: string[], held: RateMessage['held'], now: number): RateMessage[] {
    const messages: RateMessage[] = [];
    do {
      const number = ++this.#number;
      const spent = names.splice(0, MOST_TOLD).flatMap((name): RateMessage['spent'] => {
        const known = this.#buckets.get(name);
        return known ? [[known.key, known.rate, known.bucket.say(number, now)]] : [];
      });
      const counts = held.splice(0, MOST_TOLD);
      messages.push({ node: this.#node, run: this.#run, number, spent, held: counts, isWhole: false });
    } while (names.length > 0 || held.length > 0);
    return messages;
  }
}
