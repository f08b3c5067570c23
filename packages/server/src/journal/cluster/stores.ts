import { createHash } from 'node:crypto';
import {
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { type ObjectInfo, type ObjectStore, Objm } from '@nats-io/obj';
import type { NatsConnection } from '@nats-io/transport-node';
import { sleep } from '../../kernel/clock.ts';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import { Publisher } from './publisher.ts';
import { Subjects } from './wire.ts';

/** Messages with one id within this time are one, so that publishing again after a lost answer is safe. */
const DUPLICATE_WINDOW = 2 * 60_000;

const OPEN_WAIT = 30_000;
const OPEN_LOOK = 250;
/** A list of objects comes by a consumer, which does not notice that its server died. */
export const LIST_WAIT = 60_000;
const PIECE_WAIT = 10_000;
const PIECE_LOOK = 50;
const NO_TIME = '0001-';
/** Codes by which JetStream says that a stream is not there, and that there are not enough servers for its copies. */
const NO_STREAM = 10059;
const NO_ROOM = [10005, 10074];

export interface StoreOptions {
  connection: NatsConnection;
  /** Of the stream, the subjects and the buckets: two clusters on one server have two names. */
  name?: string;
  /** How many servers keep each message; by default three where there are three servers, else one. */
  replicas?: number | undefined;
  /** Milliseconds that the servers may take until the stream can be made. */
  openWait?: number;
}

/** What the cluster keeps in NATS: the stream of entries, buckets and objects. */
export class Stores {
  readonly connection: NatsConnection;
  readonly name: string;
  readonly subjects: Subjects;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly publisher: Publisher;
  #replicas: number;
  /** How many copies there are to be, once there are servers for them. */
  readonly #wanted: number;
  /** Whether somebody said how many. */
  readonly #isAsked: boolean;
  readonly #openWait: number;
  readonly #buckets = new Map<string, Promise<KV>>();
  readonly #objects = new Map<string, Promise<ObjectStore>>();

  private constructor(
    connection: NatsConnection,
    name: string,
    manager: JetStreamManager,
    replicas: number | undefined,
    openWait: number,
  ) {
    this.connection = connection;
    this.name = name;
    this.subjects = new Subjects(name);
    this.manager = manager;
    this.jetstream = jetstream(connection);
    this.publisher = new Publisher(connection);
    this.#isAsked = replicas !== undefined;
    this.#wanted = replicas ?? (connection.info?.cluster ? 3 : 1);
    this.#replicas = this.#wanted;
    this.#openWait = openWait;
  }

  static async open({
    connection,
    name = 'infold',
    replicas,
    openWait = OPEN_WAIT,
  }: StoreOptions): Promise<Stores> {
    try {
      const manager = await jetstreamManager(connection);
      return new Stores(connection, name, manager, replicas, openWait);
    } catch (error) {
      throw unavailable('NATS JetStream does not answer', error);
    }
  }

  get stream(): string {
    return this.name.toUpperCase();
  }

  /** How many servers keep each message. */
  get replicas(): number {
    return this.#replicas;
  }

  /** The stream of entries, made where it is missing. */
  async openStream(): Promise<StreamInfo> {
    const found = await this.#findOrMake();
    const info = found.config.num_replicas < this.#wanted ? await this.#copyMore(found) : found;
    this.#replicas = info.config.num_replicas;
    return info;
  }

  /** Made while servers were missing, or with fewer copies than it is to have now. */
  async #copyMore(info: StreamInfo): Promise<StreamInfo> {
    try {
      const settings = { num_replicas: this.#wanted };
      const updated = await this.manager.streams.update(this.stream, settings);
      for await (const { config } of this.manager.streams.list()) {
        const isOurs = /^(?:KV|OBJ)_/.test(config.name) && config.name.split('_')[1] === this.name;
        if (isOurs && config.num_replicas < this.#wanted) {
          await this.manager.streams.update(config.name, settings);
        }
      }
      return updated;
    } catch {
      // Servers are missing still. `doctor` warns of it, and the next start tries again.
      return info;
    }
  }

  /** Another node may be making it this instant, or its servers may still be choosing a leader. */
  async #findOrMake(): Promise<StreamInfo> {
    let deadline = performance.now() + this.#openWait;
    for (;;) {
      try {
        const info = await this.info().catch((error) => {
          if (codeOf(error) !== NO_STREAM) throw error;
          return this.#make(this.#replicas);
        });
        // Nodes know by it which stream they follow. While another node makes it, NATS may answer without.
        if (info.created.startsWith(NO_TIME)) throw new Error('The stream is being made');
        return info;
      } catch (error) {
        if (performance.now() > deadline) {
          const isForCopies = NO_ROOM.includes(codeOf(error) ?? 0) && this.#replicas > 1;
          // Servers that start together know of each other only after a while: what has one copy now would keep it.
          if (isForCopies && !this.#isAsked) {
            this.#replicas = 1;
            deadline = performance.now() + this.#openWait;
            continue;
          }
          throw unavailable('The journal in NATS JetStream cannot be opened', error);
        }
        await sleep(OPEN_LOOK);
      }
    }
  }

  #make(replicas: number): Promise<StreamInfo> {
    return this.manager.streams.add({
      name: this.stream,
      subjects: [this.subjects.all],
      storage: StorageType.File,
      num_replicas: replicas,
      duplicate_window: DUPLICATE_WINDOW * 1_000_000,
      allow_direct: true,
      // A journal loses nothing by age or number. Bodies are deleted one by one, with erasure.
      deny_purge: true,
    });
  }

  info(): Promise<StreamInfo> {
    return this.manager.streams.info(this.stream);
  }

  bucket(name: string, { ttl = 0, history = 1 }: { ttl?: number; history?: number } = {}): Promise<KV> {
    let bucket = this.#buckets.get(name);
    if (!bucket) {
      bucket = new Kvm(this.connection).create(`${this.name}_${name}`, {
        replicas: this.#replicas,
        history,
        // Asked over the stream API, nats-server 2.9 can end itself while a key is written.
        allow_direct: true,
        storage: StorageType.File,
        ...(ttl > 0 && { ttl }),
      });
      this.#buckets.set(name, bucket);
      bucket.catch(() => this.#buckets.delete(name));
    }
    return bucket;
  }

  /** What the leader of a bucket has under a key: its copy is behind no other. */
  async askLeader(bucket: string, key: string): Promise<unknown> {
    await this.bucket(bucket);
    const name = `${this.name}_${bucket}`;
    const query = { last_by_subj: `$KV.${name}.${key}` };
    const message = await this.manager.streams.getMessage(`KV_${name}`, query);
    // A key that was deleted is a message without data.
    return message && message.data.length > 0 ? message.json() : undefined;
  }

  /** By default that of data too large for a message, by its own sha256, and of snapshots. */
  objects(name = 'objects', { ttl = 0 }: { ttl?: number } = {}): Promise<ObjectStore> {
    let objects = this.#objects.get(name);
    if (!objects) {
      objects = this.#openObjects(`${this.name}_${name}`, ttl * 1_000_000);
      this.#objects.set(name, objects);
      objects.catch(() => this.#objects.delete(name));
    }
    return objects;
  }

  async #openObjects(name: string, ttl: number): Promise<ObjectStore> {
    const options = { replicas: this.#replicas, storage: StorageType.File, ...(ttl > 0 && { ttl }) };
    const objects = await new Objm(this.connection).create(name, options);
    if (ttl === 0) return objects;
    const { config } = (await objects.status()).streamInfo;
    if (config.max_age < ttl) await this.manager.streams.update(config.name, { max_age: ttl });
    return objects;
  }

  /**
   * The bytes of an object, undefined where it is missing. Its pieces are asked for one by one: a consumer of them, as the client's
   * own `get` has it, waits for ever for a piece that is deleted meanwhile, or whose server dies.
   */
  async read(objects: ObjectStore, name: string): Promise<AsyncGenerator<Uint8Array> | undefined> {
    const info = await objects.info(name);
    return !info || info.deleted ? undefined : this.#pieces(objects, info);
  }

  async readWhole(objects: ObjectStore, name: string): Promise<Buffer | undefined> {
    const pieces = await this.read(objects, name);
    if (!pieces) return undefined;
    const all: Uint8Array[] = [];
    for await (const piece of pieces) all.push(piece);
    return Buffer.concat(all);
  }

  async *#pieces(objects: ObjectStore, info: ObjectInfo): AsyncGenerator<Uint8Array> {
    const { stream, subject } = piecesOf(info);
    let seq = 1;
    for (let read = 0; read < info.chunks; read++) {
      const deadline = performance.now() + PIECE_WAIT;
      for (;;) {
        const piece = await this.manager.direct.getMessage(stream, { seq, next_by_subj: subject });
        if (piece) {
          seq = piece.seq + 1;
          yield piece.data;
          break;
        }
        // A server that has its copy later than others answers too.
        const now = await objects.info(info.name);
        if (now?.nuid !== info.nuid || now.deleted || performance.now() > deadline) {
          throw new Error(`The object ${info.name} is no longer there`);
        }
        await sleep(PIECE_LOOK);
      }
    }
  }

  /** Deleting an object alone leaves its bytes in the files of the server until they are written anew. */
  async erase(objects: ObjectStore, name: string): Promise<void> {
    const info = await objects.info(name);
    if (!info || info.deleted) return;
    await this.erasePieces(piecesOf(info));
    await objects.delete(name);
  }

  async erasePieces({ stream, subject }: Pieces): Promise<void> {
    const query = { seq: 1, next_by_subj: subject };
    for (;;) {
      const piece = await this.manager.streams.getMessage(stream, query);
      if (!piece) return;
      await this.eraseMessage(stream, piece.seq);
      query.seq = piece.seq + 1;
    }
  }

  /** With its bytes. Another node may be at it too. */
  async eraseMessage(stream: string, seq: number): Promise<void> {
    try {
      await this.manager.streams.deleteMessage(stream, seq, true);
    } catch (error) {
      if (await this.manager.streams.getMessage(stream, { seq })) throw error;
    }
  }

  /** Once: to write it again would take it from who reads it this instant. */
  async putObject(name: string, text: string): Promise<void> {
    try {
      const objects = await this.objects();
      const known = await objects.info(name);
      if (!known || known.deleted) await objects.putBlob({ name }, Buffer.from(text));
    } catch (error) {
      throw unavailable('The data of the entry cannot be stored in NATS', error);
    }
  }

  /** Undefined where it is missing, or is not what its name says. */
  async getObject(name: string): Promise<string | undefined> {
    const bytes = await this.readWhole(await this.objects(), name);
    if (!bytes || createHash('sha256').update(bytes).digest('hex') !== name) return undefined;
    return bytes.toString('utf8');
  }
}

export function unavailable(message: string, cause: unknown): InfoldError {
  return new InfoldError('unavailable', `${message} (${messageOf(cause)}); try again in 1 s`, {
    retryable: true,
    retryAfter: 1,
    cause,
  });
}

/** Where NATS keeps the bytes of an object. */
export interface Pieces {
  stream: string;
  subject: string;
}

export function piecesOf({ bucket, nuid }: Pick<ObjectInfo, 'bucket' | 'nuid'>): Pieces {
  return { stream: `OBJ_${bucket}`, subject: `$O.${bucket}.C.${nuid}` };
}

/** Rejects when it takes longer: what is deleted while it is read would be waited for for ever. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function codeOf(error: unknown): number | undefined {
  return (error as { code?: number }).code;
}
