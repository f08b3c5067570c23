import type { KV } from '@nats-io/kv';
import type { ObjectStore } from '@nats-io/obj';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Publisher } from './publisher.ts';

/** What the nodes of a cluster share besides the journal. Absent where one data folder is all there is. */
export interface Cluster {
  /** The name of this node. It stays the same as long as its data folder does. */
  readonly node: string;
  readonly connection: NatsConnection;
  readonly publisher: Publisher;
  /**
   * The bucket `infold_<name>`, made where it is missing, on as many servers as the journal is. With `ttl`, in milliseconds,
   * what is written to it goes after that time.
   */
  bucket(name: string, options?: { ttl?: number }): Promise<KV>;
  /** The object store `infold_<name>`, with `ttl` as of buckets; it is lengthened where a node asks for more. */
  objects(name: string, options?: { ttl?: number }): Promise<ObjectStore>;
  /** The bytes of an object, undefined where it is missing. */
  read(objects: ObjectStore, name: string): Promise<Uint8Array | undefined>;
  /** Takes an object out of a store, and overwrites its bytes. */
  erase(objects: ObjectStore, name: string): Promise<void>;
  /** How far this node is, and why it should not be asked, where that is so. */
  state(): NodeState;
  /** Resolves when everything that was in the journal when this was asked can be read here; `unavailable` when that takes too long. */
  caughtUp(): Promise<void>;
  /** Whether the entry at this position was written by this process, not long ago. */
  wrote(seq: number): boolean;
}

export interface NodeState {
  ready: boolean;
  reason?: string | undefined;
  /** The newest entry that can be read here. */
  seq: number;
  /** How far the stream was followed, and how many messages of it are still to come. */
  position: number;
  lag: number;
}

/** Something that a node keeps for a while, as the nodes share it. */
export interface CachedItem {
  name: string;
  org: string;
  principal: string;
  /** What it is forgotten with. */
  group: string;
  at: number;
  expires_at: number;
  /** What else is known of it. */
  fields: Record<string, string | number | null>;
  body: Uint8Array;
}

/** Where one node keeps such items: a file of its own, with a mark on those that the cluster has too. */
export interface LocalCache {
  unshared(): Promise<string[]>;
  read(name: string): Promise<CachedItem | undefined>;
  /** Keeps a marked copy of another node's item, unless it is forgotten by now. Answers whether it did. */
  add(item: CachedItem, isForgotten: () => boolean): Promise<boolean>;
  /** Answers whether it is still there. */
  mark(name: string): Promise<boolean>;
  /** Items of some groups up to a time go. Answers their names. */
  takeAway(groups: readonly string[], until: number): Promise<string[]>;
}
