import { randomUUID } from 'node:crypto';
import type { ObjectInfo, ObjectStore } from '@nats-io/obj';
import type { Clock } from '../../kernel/clock.ts';
import type { CachedItem, Cluster, LocalCache } from './cluster.ts';
import { LIST_WAIT, unavailable, within } from './stores.ts';

interface SharedCacheOptions {
  cluster: Pick<Cluster, 'objects' | 'read' | 'erase' | 'bucket'>;
  /** Of the object store. */
  name: string;
  clock: Clock;
  /** The longest time that anything is kept, in milliseconds. */
  lifetime: number;
  local: LocalCache;
  onError(error: unknown): void;
}

type Description = Omit<CachedItem, 'body'>;
type OwnerCheck = (owner: Pick<CachedItem, 'org' | 'principal'>) => boolean;

/** What was forgotten, and when. */
interface Forgetting {
  groups: string[];
  at: number;
}

/** NATS drops an item by itself, a little after it has had its time. */
const GRACE = 60 * 60_000;
const RETRY = 1000;
const LAST_PUTS = 2000;
/** So that they fit into one message. */
const FORGOTTEN_AT_ONCE = 5000;

/**
 * Makes what one node keeps for a while that of its cluster. Items are copied into an object store after they were kept, and
 * fetched from there by a node that is asked for one. What is forgotten is told to every node, also to those that are off: each
 * takes away its own copies.
 */
export class SharedCache {
  readonly #options: SharedCacheOptions;
  readonly #waiting = new Set<string>();
  /** When each group was last forgotten. */
  readonly #forgotten = new Map<string, number>();
  #putting: Promise<void> | undefined;
  #stopWatching: (() => void) | undefined;
  #isClosing = false;
  #isClosed = false;

  constructor(options: SharedCacheOptions) {
    this.#options = options;
    void this.#repeat(() => this.#watch());
    void this.#repeat(async () => this.share(await options.local.unshared()));
  }

  /** Copies items into the store, or takes them out if they are not here any more. Nobody waits for it. */
  share(names: readonly string[]): void {
    for (const name of names) this.#waiting.add(name);
    if (this.#waiting.size === 0 || this.#isClosing) return;
    this.#putting ??= this.#putAll().finally(() => {
      this.#putting = undefined;
      this.share([]);
    });
  }

  /** Copies an item of another node to this one. Answers whether there was one that `isFor` lets through. */
  async fetch(name: string, isFor: OwnerCheck): Promise<boolean> {
    try {
      const objects = await this.#objects();
      const found = await this.#find(objects, name);
      if (!found || !isFor(found)) return false;
      const body = await this.#options.cluster.read(objects, name);
      if (!body) return false;
      const isForgotten = () => (this.#forgotten.get(found.group) ?? 0) >= found.at;
      return await this.#options.local.add({ ...found, body }, isForgotten);
    } catch (error) {
      throw unavailable('What another node keeps cannot be read', error);
    }
  }

  /** Those of the names that `fetch` would find. */
  async held(names: readonly string[], isFor: OwnerCheck): Promise<string[]> {
    if (names.length === 0) return [];
    const objects = await this.#objects();
    const found = await Promise.all(names.map((name) => this.#find(objects, name)));
    return found.flatMap((one) => (one && isFor(one) ? [one.name] : []));
  }

  /** Takes groups out of the store, and has every node take them out of its file. Answers what was in the store. */
  async forget(groups: readonly string[]): Promise<string[]> {
    const at = this.#options.clock();
    const named = new Set(groups);
    try {
      // Before the others hear of it, and take away what they have.
      const all = await within(LIST_WAIT, (await this.#objects()).list());
      const gone = all.filter(({ metadata }) => named.has(metadata?.group ?? ''));
      const bucket = await this.#forgettings();
      for (let from = 0; from < groups.length; from += FORGOTTEN_AT_ONCE) {
        const some = groups.slice(from, from + FORGOTTEN_AT_ONCE);
        await bucket.put(randomUUID(), JSON.stringify({ groups: some, at } satisfies Forgetting));
      }
      for (const { name } of gone) await this.#erase(name);
      return gone.map(({ name }) => name);
    } catch (error) {
      throw unavailable('What NATS keeps of it cannot be forgotten', error);
    }
  }

  /** What could not be copied in time is copied when the node starts again. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#stopWatching?.();
    if (this.#putting) await within(LAST_PUTS, this.#putting).catch(() => {});
    this.#isClosed = true;
  }

  #objects(): Promise<ObjectStore> {
    const { cluster, name, lifetime } = this.#options;
    return cluster.objects(name, { ttl: lifetime + GRACE });
  }

  #forgettings() {
    const { cluster, name, lifetime } = this.#options;
    return cluster.bucket(`forgotten_${name}`, { ttl: lifetime + GRACE });
  }

  async #find(objects: ObjectStore, name: string): Promise<Description | undefined> {
    const info = await objects.info(name);
    const found = info && !info.deleted ? descriptionIn(info) : undefined;
    return found && found.expires_at > this.#options.clock() ? found : undefined;
  }

  async #erase(name: string): Promise<void> {
    await this.#options.cluster.erase(await this.#objects(), name);
  }

  async #putAll(): Promise<void> {
    for (const name of this.#waiting) {
      // First: who adds it meanwhile wants it looked at again.
      this.#waiting.delete(name);
      await this.#repeat(() => this.#put(name));
      if (this.#isClosed) return;
    }
  }

  async #put(name: string): Promise<void> {
    const { local } = this.#options;
    const item = await local.read(name);
    if (item) {
      const objects = await this.#objects();
      const known = await objects.info(name);
      if (!known || known.deleted) await objects.putBlob({ name, metadata: metadataOf(item) }, item.body);
    }
    if (this.#isClosed) return;
    // It went on the way.
    if (!(await local.mark(name))) await this.#erase(name);
  }

  /** All that was forgotten while items last, and whatever is forgotten from now on. */
  async #watch(): Promise<void> {
    const watching = await (await this.#forgettings()).watch();
    this.#stopWatching = () => watching.stop();
    if (this.#isClosing) watching.stop();
    for await (const entry of watching) {
      if (entry.operation !== 'PUT') continue;
      const { groups, at } = entry.json<Forgetting>();
      for (const group of groups) {
        this.#forgotten.set(group, Math.max(at, this.#forgotten.get(group) ?? 0));
      }
      // Who forgot took out what was in the store; some may have come later.
      await this.#repeat(async () => this.share(await this.#options.local.takeAway(groups, at)));
      if (this.#isClosing) return;
    }
    if (!this.#isClosing) throw unavailable('What is forgotten is not heard', 'the watch ended');
  }

  /** Until it succeeds, or the node stops. */
  async #repeat(work: () => Promise<void>): Promise<void> {
    for (let isTold = false; !this.#isClosed; ) {
      try {
        return await work();
      } catch (error) {
        if (this.#isClosing) return;
        if (!isTold) this.#options.onError(error);
        isTold = true;
        await new Promise((resolve) => setTimeout(resolve, RETRY).unref());
      }
    }
  }
}

function metadataOf({ body: _, org, principal, group, at, expires_at, fields }: CachedItem) {
  const numbers = { at: String(at), expires_at: String(expires_at) };
  return { org, principal, group, ...numbers, fields: JSON.stringify(fields) };
}

function descriptionIn({ name, metadata = {} }: ObjectInfo): Description {
  const { org = '', principal = '', group = '', at, expires_at, fields = '{}' } = metadata;
  const numbers = { at: Number(at), expires_at: Number(expires_at) };
  return { name, org, principal, group, ...numbers, fields: JSON.parse(fields) as CachedItem['fields'] };
}
