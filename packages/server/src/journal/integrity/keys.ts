import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { writePrivateFile } from '../../kernel/private-files.ts';
import type { Database } from '../../kernel/sqlite.ts';

/** One that this data folder signs with, or did. Its private part is a file of its own, while it is in use. */
export interface KeyRow {
  id: string;
  /** As SubjectPublicKeyInfo, which is what a PEM file holds. */
  public_key: Uint8Array;
  made_at: number;
  /** The key before it, where that one signed that this one follows it. */
  endorsed_by: string | null;
  endorsement: Uint8Array | null;
}

export interface SigningKey {
  id: string;
  publicKey: Uint8Array;
  sign(text: string): Uint8Array;
}

/** Follows from the key, and is long enough to stand for it. */
export function keyIdOf(publicKey: Uint8Array): string {
  return `key_${createHash('sha256').update(publicKey).digest('hex').slice(0, 32)}`;
}

/** False too when the key is none. */
export function isSignedBy(publicKey: Uint8Array, text: string, signature: Uint8Array): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' && verify(null, Buffer.from(text), key, signature);
  } catch {
    return false;
  }
}

/** What a key signs to say which one follows it. */
export function endorsementText(follower: Uint8Array): string {
  return `infold key 1\n${Buffer.from(follower).toString('base64')}\n`;
}

const COLUMNS = 'id, public_key, made_at, endorsed_by, endorsement';

/** Oldest first; the last one is the one in use. */
export function keysOf(database: Database): KeyRow[] {
  return database.all<KeyRow>(`SELECT ${COLUMNS} FROM journal_key ORDER BY place`);
}

export function currentKey(database: Database): KeyRow | undefined {
  return database.get<KeyRow>(`SELECT ${COLUMNS} FROM journal_key ORDER BY place DESC LIMIT 1`);
}

/**
 * From here on it is the one in use. The caller holds the write transaction. A new node of a cluster may have taken it from the
 * others before it reads the entry that names it.
 */
export function adoptKey(database: Database, key: KeyRow): void {
  database.run(
    `INSERT INTO journal_key (${COLUMNS}) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    key.id,
    key.public_key,
    key.made_at,
    key.endorsed_by,
    key.endorsement,
  );
}

/** Runs work in one write transaction, when its turn has come. What need not be durable may be lost with the machine's power. */
export type Write = <T>(work: () => T, options?: { durable: boolean }) => Promise<T>;

/** The private parts, a file each that only the owner may read. */
export class KeyFiles {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  pathOf(id: string): string {
    return join(this.folder, `${id}.pem`);
  }

  /** Undefined where it is gone. */
  read(id: string): string | undefined {
    const path = this.pathOf(id);
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new InfoldError('storage_failed', `Cannot read the key ${path}`, { cause: error });
    }
  }

  write(id: string, pem: string): void {
    try {
      writePrivateFile(this.pathOf(id), pem);
    } catch (error) {
      throw new InfoldError('storage_failed', `Cannot write a key to ${this.folder}`, { cause: error });
    }
  }

  discard(id: string): void {
    rmSync(this.pathOf(id), { force: true });
  }
}

/** Where the nodes of a cluster keep the key that all of them sign with. */
export interface KeyShare {
  /** The key with this id, or the one that all of them sign with. */
  take(id?: string): Promise<{ row: KeyRow; pem: string } | undefined>;
  /** Keeps it for the others, before the journal says that it is the one in use. */
  keep(row: KeyRow, pem: string): Promise<void>;
  /** Makes it the one that all of them sign with, instead of these; false where another node was faster. */
  promote(id: string, instead: readonly string[]): Promise<boolean>;
  /** Takes it away with its bytes. */
  discard(id: string): Promise<void>;
}

interface KeyStore {
  files: KeyFiles;
  share?: KeyShare | undefined;
  database: Database;
  write: Write;
  clock: Clock;
  /** Called at a point at which a test can stop the process. */
  onPoint: (point: 'key-written') => void;
}

/**
 * The keys of a data folder. The database says which one is in use, so that processes which start at once agree; the
 * private part stands beside it, so that a copy of the database cannot sign.
 */
export class SigningKeys {
  readonly files: KeyFiles;
  readonly #database: Database;
  readonly #write: Write;
  readonly #clock: Clock;
  readonly #onPoint: (point: 'key-written') => void;
  readonly #share: KeyShare | undefined;
  #loaded: SigningKey | undefined;

  constructor({ files, share, database, write, clock, onPoint }: KeyStore) {
    this.files = files;
    this.#share = share;
    this.#database = database;
    this.#write = write;
    this.#clock = clock;
    this.#onPoint = onPoint;
  }

  /** The key in use. Where there is none yet, or its file was lost, a new one is made. */
  async current(): Promise<SigningKey> {
    for (;;) {
      const known = currentKey(this.#database);
      const loaded = known && this.#load(known);
      if (loaded) return loaded;
      const key = (await this.#takeShared(known?.id)) ?? (await this.#replace(known));
      if (key) return key;
    }
  }

  /** From the other nodes: the one that this node knows of, or the one that all of them sign with. */
  async #takeShared(known?: string): Promise<SigningKey | undefined> {
    const shared = await this.#share?.take(known);
    if (!shared) return undefined;
    const { row, pem } = shared;
    this.files.write(row.id, pem);
    await this.#write(() => adoptKey(this.#database, row));
    this.#discardFormerFiles();
    const current = currentKey(this.#database)!;
    return current.id === row.id ? this.#load(current) : undefined;
  }

  /** Lets the other nodes of a cluster have it before an entry says that it is the one in use. */
  async share(row: KeyRow): Promise<void> {
    await this.#share?.keep(row, this.files.read(row.id)!);
  }

  /** Undefined when another process was faster: its key is the one. */
  async #replace(known: KeyRow | undefined): Promise<SigningKey | undefined> {
    const { row, key } = this.make();
    this.#onPoint('key-written');
    let adopted = false;
    let isShared = false;
    try {
      await this.share(row);
      // Those that this node knows of cannot be signed with any more, or it would not be here.
      const lost = keysOf(this.#database).map(({ id }) => id);
      isShared = this.#share !== undefined && (await this.#share.promote(row.id, lost));
      if (this.#share && !isShared) return await this.#takeShared();
      await this.#write(() => {
        if (currentKey(this.#database)?.id !== known?.id) return;
        adoptKey(this.#database, row);
        adopted = true;
      });
    } finally {
      // Other nodes may have it already, once it is the one that they sign with.
      if (!adopted && isShared) this.files.discard(key.id);
      else if (!adopted) await this.discard(key.id);
    }
    if (!adopted) return undefined;
    this.#loaded = key;
    return key;
  }

  /** Nobody signs with it, and nobody will. */
  async discard(id: string): Promise<void> {
    this.files.discard(id);
    await this.#share?.discard(id);
  }

  /** A new key whose file is in place and which nobody uses yet. */
  make(): { row: KeyRow; key: SigningKey } {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const der = publicKey.export({ format: 'der', type: 'spki' });
    const id = keyIdOf(der);
    this.files.write(id, privateKey.export({ format: 'pem', type: 'pkcs8' }) as string);
    const row = { id, public_key: der, made_at: this.#clock(), endorsed_by: null, endorsement: null };
    return { row, key: signingKey(id, der, privateKey) };
  }

  /** Takes away the private parts of keys that are no longer in use: nobody can sign with those any more. */
  async discardFormer(): Promise<void> {
    const former = this.#discardFormerFiles();
    if (!this.#share) return;
    await this.#share.promote(currentKey(this.#database)!.id, former);
    for (const id of former) await this.#share.discard(id);
  }

  #discardFormerFiles(): string[] {
    const former = keysOf(this.#database)
      .slice(0, -1)
      .map(({ id }) => id);
    for (const id of former) this.files.discard(id);
    return former;
  }

  #load({ id, public_key }: KeyRow): SigningKey | undefined {
    if (this.#loaded?.id === id) return this.#loaded;
    const pem = this.files.read(id);
    if (pem === undefined) return undefined;
    this.#loaded = signingKey(id, public_key, privateKeyOf(pem, id, this.files.pathOf(id)));
    return this.#loaded;
  }
}

function privateKeyOf(pem: string, id: string, path: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (keyIdOf(createPublicKey(key).export({ format: 'der', type: 'spki' })) === id) return key;
  } catch {
    // As below.
  }
  throw new InfoldError(
    'storage_invalid',
    `${path} does not contain the key ${id}; restore it from a backup, or move the file away to get a new key`,
  );
}

function signingKey(id: string, publicKey: Uint8Array, privateKey: KeyObject): SigningKey {
  return { id, publicKey, sign: (text) => sign(null, Buffer.from(text), privateKey) };
}
