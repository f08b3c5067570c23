import { createHash } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import type { Cluster } from '../../journal/cluster/cluster.ts';
import { type Acknowledged, positionInConflict } from '../../journal/cluster/publisher.ts';
import type { StateValue } from './values.ts';

/** The seed's lifetime of session state. */
const TTL = 24 * 60 * 60 * 1000;
/** A value that stays as it is is written again in time, so that it lasts as long as its session. */
const REFRESH = TTL / 2;
/** Other nodes write the same key: so often a value is compared again before its write is put off. */
const TRIES = 10;

interface Written {
  revision: number;
  /** Of what may change in the value. */
  digest: string;
  at: number;
}

/** What this node knows to be in the bucket under the keys of one session. */
export type Known = Map<string, Written>;

/** The bucket `infold_state`. Values only go forward: whichever node writes last, the one of the later position stays. */
export class StateBucket {
  readonly #cluster: Cluster;
  #bucket: Promise<KV> | undefined;
  /** What subjects of its keys begin with. */
  #prefix = '';

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  #open(): Promise<KV> {
    this.#bucket ??= this.#make().catch((error: unknown) => {
      this.#bucket = undefined;
      throw error;
    });
    return this.#bucket;
  }

  async #make(): Promise<KV> {
    const bucket = await this.#cluster.bucket('state', { ttl: TTL });
    this.#prefix = `$KV.${(await bucket.status()).bucket}.`;
    return bucket;
  }

  /** Whether the value is there already, and stays for a while. */
  has(known: Known, key: string, value: StateValue['value'], now: number): boolean {
    const last = known.get(key);
    return last?.digest === digestOf(value) && now - last.at < REFRESH;
  }

  /** True when the value was written: no later one is there. */
  async put(known: Known, key: string, value: StateValue['value'], now: number): Promise<boolean> {
    const digest = digestOf(value);
    const last = known.get(key);
    const bucket = await this.#open();
    let revision = last?.revision ?? 0;
    for (let tries = 1; ; tries++) {
      try {
        const written = await this.#publish(key, value, revision);
        known.set(key, { revision: written.seq, digest, at: now });
        return true;
      } catch (error) {
        if (positionInConflict(error) === undefined || tries === TRIES) throw error;
      }
      const found = await bucket.get(key);
      const there = found?.operation === 'PUT' ? found.json<StateValue['value']>() : undefined;
      revision = found?.revision ?? 0;
      if (there && there.seq >= value.seq) {
        known.set(key, { revision, digest: digestOf(there), at: now });
        return false;
      }
    }
  }

  /** Writes what never changes: whoever was first has written the same. */
  async add(key: string, value: StateValue['value']): Promise<void> {
    await this.#open();
    await this.#publish(key, value, 0).catch((error: unknown) => {
      if (positionInConflict(error) === undefined) throw error;
    });
  }

  /** As the bucket's own `put` does it, for less. */
  #publish(key: string, value: StateValue['value'], last: number): Promise<Acknowledged> {
    return this.#cluster.publisher.publish(this.#prefix + key, JSON.stringify(value), { last });
  }

  async get(key: string): Promise<StateValue['value'] | undefined> {
    const found = await (await this.#open()).get(key);
    return found?.operation === 'PUT' ? found.json<StateValue['value']>() : undefined;
  }

  /** Takes out all that keys beginning with these parts hold, and leaves nothing that says there was something. */
  async purge(root: string): Promise<void> {
    const { streamInfo } = await (await this.#open()).status();
    const { streams } = await jetstreamManager(this.#cluster.connection);
    await streams.purge(streamInfo.config.name, { filter: `${this.#prefix}${root}.>` });
  }
}

/** Two values are the same where they differ in their position alone. What a branch was told to do never changes. */
export function digestOf({ seq: _, prompt: _prompt, ...rest }: StateValue['value']): string {
  return createHash('sha256').update(JSON.stringify(rest)).digest('base64');
}
