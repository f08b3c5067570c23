import type { KV, KvEntry } from '@nats-io/kv';
import type { Cluster } from '../../../journal/cluster/cluster.ts';
import { sleep } from '../../../kernel/clock.ts';
import { randomId } from '../../../kernel/ids.ts';

export interface LeaseServices {
  cluster: Cluster;
  /**
   * The lease is this process's: whoever had it before is fenced out. Answers the fence that this one must be above, where
   * it is not.
   */
  fence(key: string, fence: number): Promise<number | undefined>;
  /** Somebody else has it, or this process can use it now. */
  changed(key: string): void;
  /** A process did not renew: what it held is free. */
  died(): void;
  times?: LeaseTimes | undefined;
  onError(error: unknown): void;
}

/** In milliseconds. */
export interface LeaseTimes {
  renewal: number;
  /** After which a process that did not renew is dead. */
  life: number;
  /** It stops using its leases before others think that it died, whatever its clock says. */
  ownLife: number;
}

interface Holder {
  /** Empty where it was given back. */
  process: string;
  fence: number;
  revision: number;
}

/** A process that dies is noticed after its life, at the next look: together well below two seconds. */
const TIMES: LeaseTimes = { renewal: 400, life: 1500, ownLife: 1200 };
const LOOK = 100;
/** Of what nobody renews, in the bucket. */
const TRACE = 10_000;
const WATCH_AGAIN = 200;
const NOBODY = '';

/**
 * Leases that the nodes of a cluster share, in two buckets: `gateways` says which processes are alive, which each of them
 * renews for all its leases at once, and `pods` who holds what, changed only by compare-and-set. A time is only ever
 * compared with the same process's clock.
 */
export class Leases {
  /** One life of this process: started again, it is another one. */
  readonly process: string;
  readonly #services: LeaseServices;
  readonly #times: LeaseTimes;
  /** Processes, those included that were found dead a while ago. */
  readonly #heard = new Map<string, { at: number; revision: number; isDead: boolean }>();
  readonly #holders = new Map<string, Holder>();
  readonly #wanted = new Set<string>();
  readonly #owned = new Set<string>();
  readonly #taking = new Set<string>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #watches = new Set<{ stop(): void }>();
  #gateways: KV | undefined;
  #pods: KV | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #stopped = false;
  readonly #started: Promise<void>;

  constructor(services: LeaseServices) {
    this.#services = services;
    this.#times = services.times ?? TIMES;
    const node = services.cluster.node.replace(/[^A-Za-z0-9-]/g, '-');
    this.process = `${node}_${randomId('process')}`;
    this.#started = this.#start();
  }

  /** Without it, others wait for the end of a life. */
  async #start(): Promise<void> {
    const { cluster, onError } = this.#services;
    while (!this.#stopped) {
      try {
        this.#gateways ??= await cluster.bucket('gateways', { ttl: Math.max(TRACE, 2 * this.#times.life) });
        this.#pods ??= await cluster.bucket('pods');
        break;
      } catch (error) {
        onError(error);
        await sleep(WATCH_AGAIN);
      }
    }
    if (this.#stopped) return;
    void this.#watch(this.#gateways!, (entry) => this.#hear(entry));
    void this.#watch(this.#pods!, (entry) => this.#learn(entry));
    this.#timers.push(setInterval(() => void this.#renew(), this.#times.renewal).unref());
    this.#timers.push(setInterval(() => this.#look(), LOOK).unref());
    await this.#renew();
    this.#look();
  }

  isOwner(key: string): boolean {
    return this.#owned.has(key) && this.#isRenewed;
  }

  /** The process that holds the lease, alive as far as this one knows. */
  holderOf(key: string): string | undefined {
    const process = this.#holders.get(key)?.process;
    return process !== undefined && this.isAlive(process) ? process : undefined;
  }

  isAlive(process: string): boolean {
    if (process === this.process) return this.#isRenewed;
    const heard = this.#heard.get(process);
    return heard !== undefined && performance.now() - heard.at < this.#times.life;
  }

  get #isRenewed(): boolean {
    return performance.now() - this.#renewedAt < this.#times.ownLife;
  }

  want(key: string): void {
    this.#wanted.add(key);
    this.#consider(key);
  }

  /** What this process promised with it does not hold any more: it fences itself out. */
  retake(key: string): void {
    this.#owned.delete(key);
    this.#consider(key);
  }

  release(key: string): void {
    this.#wanted.delete(key);
    this.#owned.delete(key);
    const holder = this.#holders.get(key);
    if (holder?.process !== this.process) return;
    const { fence, revision } = holder;
    this.#holders.delete(key);
    // The fence stays: who opens the pod next must be above it. Where this fails, it is as free with the end of this process.
    this.#pods?.update(key, JSON.stringify({ process: NOBODY, fence }), revision).catch(() => {});
  }

  /** What the buckets themselves say of a lease: what is watched comes only after a while. */
  async lookUp(key: string): Promise<void> {
    await this.#started;
    const entry = await this.#pods?.get(key);
    if (entry) this.#learn(entry);
    const process = this.#holders.get(key)?.process;
    if (!process || process === this.process || this.#heard.has(process)) return;
    const alive = await this.#gateways!.get(process);
    if (alive?.operation === 'PUT') this.#hear(alive);
  }

  /** Everything is free at once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    this.#wanted.clear();
    this.#owned.clear();
    await this.#started.catch(() => {});
    for (const watch of this.#watches) watch.stop();
    await this.#gateways?.delete(this.process).catch(() => {});
  }

  async #watch(bucket: KV, each: (entry: KvEntry) => void): Promise<void> {
    while (!this.#stopped) {
      try {
        const entries = await bucket.watch();
        this.#watches.add(entries);
        if (this.#stopped) entries.stop();
        for await (const entry of entries) each(entry);
        this.#watches.delete(entries);
      } catch (error) {
        if (!this.#stopped) this.#services.onError(error);
      }
      if (!this.#stopped) await sleep(WATCH_AGAIN);
    }
  }

  async #renew(): Promise<void> {
    const begun = performance.now();
    try {
      await this.#gateways!.put(this.process, '');
      if (!this.#stopped) this.#renewedAt = Math.max(this.#renewedAt, begun);
    } catch {
      // The next one may succeed; a life is several of them.
    }
  }

  #hear({ key, operation, revision }: KvEntry): void {
    if (key === this.process) return;
    if (operation === 'PUT') this.#heard.set(key, { at: performance.now(), revision, isDead: false });
    else if (this.#heard.delete(key)) this.#buried();
  }

  #learn(entry: KvEntry): void {
    const { key, revision } = entry;
    const known = this.#holders.get(key);
    if (known && known.revision >= revision) return;
    if (entry.operation === 'PUT') this.#hold(key, { ...entry.json<Omit<Holder, 'revision'>>(), revision });
    else this.#holders.delete(key);
    this.#consider(key);
  }

  #hold(key: string, holder: Holder): void {
    this.#holders.set(key, holder);
    if (holder.process !== this.process) this.#owned.delete(key);
    if (holder.process !== this.process || this.#owned.has(key)) this.#services.changed(key);
  }

  #look(): void {
    const now = performance.now();
    let died = false;
    for (const [process, heard] of this.#heard) {
      if (now - heard.at > 2 * TRACE) this.#heard.delete(process);
      if (heard.isDead || now - heard.at < this.#times.life) continue;
      heard.isDead = true;
      died = true;
    }
    if (died) this.#buried();
    else for (const key of this.#wanted) this.#consider(key);
  }

  #buried(): void {
    for (const key of this.#wanted) this.#consider(key);
    this.#services.died();
  }

  #consider(key: string): void {
    if (!this.#wanted.has(key) || this.#owned.has(key) || this.#taking.has(key)) return;
    if (!this.#isRenewed) return;
    const holder = this.#holders.get(key);
    if (holder && holder.process !== this.process && this.isAlive(holder.process)) return;
    this.#taking.add(key);
    this.#take(key, holder)
      .catch((error) => this.#services.onError(error))
      .finally(() => this.#taking.delete(key));
  }

  async #take(key: string, holder: Holder | undefined): Promise<void> {
    if (holder && holder.process !== this.process && (await this.#livesAfterAll(holder.process))) return;
    let fence = (holder?.fence ?? 0) + 1;
    let revision = holder?.revision;
    for (;;) {
      try {
        revision = await this.#write(key, fence, revision);
      } catch {
        // Somebody was faster, or is known here only now.
        const entry = await this.#pods!.get(key);
        if (entry) this.#learn(entry);
        return;
      }
      this.#hold(key, { process: this.process, fence, revision });
      const higher = await this.#services.fence(key, fence);
      if (higher === undefined) break;
      fence = higher + 1;
    }
    const isOurs = this.#holders.get(key)?.revision === revision && this.#wanted.has(key);
    if (!isOurs) return;
    this.#owned.add(key);
    this.#services.changed(key);
  }

  #write(key: string, fence: number, revision: number | undefined): Promise<number> {
    const value = JSON.stringify({ process: this.process, fence });
    return revision === undefined ? this.#pods!.create(key, value) : this.#pods!.update(key, value, revision);
  }

  /** What is watched may be late: the bucket itself knows. */
  async #livesAfterAll(process: string): Promise<boolean> {
    if (process === NOBODY) return false;
    const entry = await this.#gateways!.get(process);
    const known = this.#heard.get(process);
    if (entry?.operation !== 'PUT' || (known && entry.revision <= known.revision)) return false;
    this.#hear(entry);
    return true;
  }
}
