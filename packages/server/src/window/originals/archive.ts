import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Scrubber } from '@infold/scrub';
import type { CallContext } from '../../call/context.ts';
import type { Cluster, LocalCache } from '../../journal/cluster/cluster.ts';
import type { SharedCache } from '../../journal/cluster/shared-cache.ts';
import { retryWhileLocked } from '../../journal/lock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { makePrivateFolder } from '../../kernel/private-files.ts';
import { type Database, openDatabase, storageError } from '../../kernel/sqlite.ts';
import { isLocalOwner } from '../../trust/identity/caller.ts';

/** What left a window, as the host sent it. */
export interface ArchivedOriginal {
  handle: string;
  text: string;
  conversation: string;
  /** The host's id of its session, where it tells one. */
  session: string | null;
}

interface Owner {
  org: string;
  principal: string;
}

declare module '../../call/parts.ts' {
  interface Parts {
    /** The originals of what left windows. */
    windowArchive: WindowArchive;
  }
}

interface OriginalRow extends Owner {
  conversation: string;
  session: string | null;
  size: number;
  packed: number;
  body: Uint8Array;
  at: number;
  expires_at: number;
}

const FILE = 'window.db';
const HANDLE = /^win_[a-z0-9]{20}$/;
const DAY = 24 * 60 * 60 * 1000;
const PRUNE_EVERY = 60 * 60 * 1000;
/** Few, since what is deleted is overwritten. */
const PRUNED_AT_ONCE = 100;
/** Shorter texts gain nothing from compression. */
const COMPRESSED_FROM = 1024;

/**
 * Originals of what left windows stand beside the journal, in a file of their own: they are a cache with an end, and neither a
 * backup nor a proof needs them. Only whose conversation it is can read them.
 */
export class WindowArchive {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #scrubber: Scrubber;
  readonly #lifetime: number;
  #opening: Promise<Database> | undefined;
  #database: Database | undefined;
  #prunedAt = 0;
  #sharing: Promise<SharedCache> | undefined;

  constructor(folder: string, clock: Clock, scrubber: Scrubber, { days }: { days: number }) {
    this.#folder = folder;
    this.#clock = clock;
    this.#scrubber = scrubber;
    this.#lifetime = days * DAY;
  }

  static isHandle(text: string): boolean {
    return HANDLE.test(text);
  }

  /** From now on every node of the cluster can read what is kept here, and this one what is kept there. */
  share(cluster: Cluster, onError: (error: unknown) => void): void {
    const local = sharedRows(
      () => (this.#isThere() ? this.#open() : undefined),
      () => this.#open(),
    );
    this.#sharing ??= import('../../journal/cluster/shared-cache.ts').then(
      (module) =>
        new module.SharedCache({
          ...{ cluster, name: 'originals', clock: this.#clock, lifetime: this.#lifetime, local, onError },
        }),
    );
  }

  /** To be awaited before anything is kept: a request that waits for `keep` must not wait for a file to be made. */
  async open(): Promise<void> {
    await this.#open();
  }

  /**
   * All of them, or none: it throws where they cannot be kept, and then nothing may leave. Secrets go before anything is
   * written. Synchronous, and short even where another process holds the file: a request waits for it.
   */
  keep({ org, principal }: Owner, originals: readonly ArchivedOriginal[]): void {
    const database = this.#database;
    if (!database)
      throw new InfoldError(
        'storage_failed',
        'The archive of the window is not open: the server is starting or stopping',
      );
    const now = this.#clock();
    const rows = originals.map((original) => ({ ...original, ...this.#packed(original.text) }));
    try {
      transaction(database, () => {
        for (const { handle, conversation, session, size, body, packed } of rows) {
          database.run(
            `INSERT INTO cache_window_original (handle, org, principal, conversation, session, size, packed, body, at, expires_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
            handle,
            org,
            principal,
            conversation,
            session,
            size,
            Number(packed),
            body,
            now,
            now + this.#lifetime,
          );
        }
      });
    } catch (error) {
      throw storageError(error, database.path);
    }
    void this.#sharing?.then((sharing) => sharing.share(rows.map(({ handle }) => handle)));
    this.#pruneSoon(now);
  }

  #packed(original: string): { size: number; body: Uint8Array; packed: boolean } {
    const { text } = this.#scrubber.scrub(original);
    const plain = Buffer.from(text);
    // The fastest level: the next ones save little and take twice as long.
    const deflated = plain.length < COMPRESSED_FROM ? plain : deflateRawSync(plain, { level: 1 });
    const packed = deflated.length < plain.length;
    return { size: plain.length, body: packed ? deflated : plain, packed };
  }

  /** Undefined for what is unknown, expired or somebody else's: they look the same. Everybody's where no owner is given. */
  async read(owner: Owner | null, handle: string): Promise<string | undefined> {
    if (!WindowArchive.isHandle(handle)) return undefined;
    const text = await this.#readHere(owner, handle);
    if (text !== undefined || !this.#sharing) return text;
    const isFetched = await (await this.#sharing).fetch(handle, isFor(owner));
    return isFetched ? this.#readHere(owner, handle) : undefined;
  }

  async #readHere(owner: Owner | null, handle: string): Promise<string | undefined> {
    if (!this.#isThere()) return undefined;
    const database = await this.#open();
    const row = database.get<{ body: Uint8Array; packed: number }>(
      `SELECT body, packed FROM cache_window_original
       WHERE handle = ?1 AND (?2 IS NULL OR (org = ?2 AND principal = ?3)) AND expires_at > ?4`,
      handle,
      owner?.org ?? null,
      owner?.principal ?? null,
      this.#clock(),
    );
    if (!row) return undefined;
    return (row.packed === 1 ? inflateRawSync(row.body) : Buffer.from(row.body)).toString();
  }

  /** Those of the handles that `read` would answer. */
  async held(owner: Owner | null, handles: readonly string[]): Promise<Set<string>> {
    const here = await this.#heldHere(owner, handles);
    if (!this.#sharing) return here;
    const others = handles.filter((handle) => !here.has(handle));
    // Without NATS there is only what is here.
    const there = await (await this.#sharing).held(others, isFor(owner)).catch(() => []);
    return new Set([...here, ...there]);
  }

  async #heldHere(owner: Owner | null, handles: readonly string[]): Promise<Set<string>> {
    if (!this.#isThere()) return new Set();
    const database = await this.#open();
    const rows = database.all<{ handle: string }>(
      `SELECT handle FROM cache_window_original
       WHERE handle IN (SELECT value FROM json_each(?1)) AND (?2 IS NULL OR (org = ?2 AND principal = ?3))
         AND expires_at > ?4`,
      JSON.stringify(handles),
      owner?.org ?? null,
      owner?.principal ?? null,
      this.#clock(),
    );
    return new Set(rows.map(({ handle }) => handle));
  }

  /** How many there are, their length as text, and what they take on disk. */
  async size(): Promise<{ originals: number; bytes: number; on_disk: number }> {
    if (!this.#isThere()) return { originals: 0, bytes: 0, on_disk: 0 };
    const database = await this.#open();
    const { originals, bytes } = database.get<{ originals: number; bytes: number }>(
      'SELECT count(*) AS originals, coalesce(sum(size), 0) AS bytes FROM cache_window_original',
    )!;
    const files = [this.#path, `${this.#path}-wal`].map((path) => statSync(path, { throwIfNoEntry: false }));
    return { originals, bytes, on_disk: files.reduce((sum, file) => sum + (file?.size ?? 0), 0) };
  }

  /** What has had its time goes. Answers how many originals that were. */
  async prune(): Promise<number> {
    if (!this.#isThere()) return 0;
    const database = await this.#open();
    this.#prunedAt = this.#clock();
    let gone = 0;
    for (;;) {
      const some = await patiently(() =>
        database.run(
          `DELETE FROM cache_window_original WHERE handle IN (
             SELECT handle FROM cache_window_original WHERE expires_at <= ? LIMIT ${PRUNED_AT_ONCE})`,
          this.#prunedAt,
        ),
      );
      gone += some;
      if (some < PRUNED_AT_ONCE) break;
      await new Promise(setImmediate);
    }
    if (this.#sharing) await patiently(() => database.exec(MARKS_OF_NOTHING));
    return gone;
  }

  /** What left some conversations goes before its time. Answers how many originals that were. */
  async forget(conversations: readonly string[]): Promise<number> {
    const here = await this.#forgetHere(conversations);
    const there = (await (await this.#sharing)?.forget(conversations)) ?? [];
    return new Set([...here, ...there]).size;
  }

  async #forgetHere(conversations: readonly string[]): Promise<string[]> {
    if (!this.#isThere()) return [];
    const database = await this.#open();
    const gone = await patiently(() =>
      database.all<{ handle: string }>(
        'DELETE FROM cache_window_original WHERE conversation IN (SELECT value FROM json_each(?)) RETURNING handle',
        JSON.stringify(conversations),
      ),
    );
    await patiently(() => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    return gone.map(({ handle }) => handle);
  }

  async close(): Promise<void> {
    await (await this.#sharing)?.close();
    const opening = this.#opening;
    this.#opening = undefined;
    this.#database = undefined;
    await opening?.then(
      (database) => database.close(),
      () => {},
    );
  }

  get #path(): string {
    return join(this.#folder, FILE);
  }

  #isThere(): boolean {
    return this.#database !== undefined || existsSync(this.#path);
  }

  /** Nobody waits for it; what it leaves is not shown any more, and goes the next time. */
  #pruneSoon(now: number): void {
    if (now - this.#prunedAt < PRUNE_EVERY) return;
    this.#prunedAt = now;
    setTimeout(() => {
      if (this.#database) this.prune().catch(() => {});
    }, 1000).unref();
  }

  #open(): Promise<Database> {
    this.#opening ??= openArchive(this.#folder, this.#path).then(
      (database) => {
        this.#database = database;
        return database;
      },
      (error: unknown) => {
        this.#opening = undefined;
        throw storageError(error, this.#path);
      },
    );
    return this.#opening;
  }
}

async function openArchive(folder: string, path: string): Promise<Database> {
  makePrivateFolder(folder);
  const database = await openDatabase(path, { blockingWait: 20 });
  await patiently(() =>
    // What expired must not be left lying in the file, and a cache need not survive a power cut.
    database.exec(`
      PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON;
      CREATE TABLE IF NOT EXISTS cache_window_original (
        handle TEXT PRIMARY KEY, org TEXT NOT NULL, principal TEXT NOT NULL, conversation TEXT NOT NULL, session TEXT,
        size INTEGER NOT NULL, packed INTEGER NOT NULL, body BLOB NOT NULL, at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX IF NOT EXISTS cache_window_original_conversation ON cache_window_original (conversation);
      CREATE INDEX IF NOT EXISTS cache_window_original_end ON cache_window_original (expires_at);`),
  );
  return database;
}

const MARKS =
  'CREATE TABLE IF NOT EXISTS cache_window_shared (handle TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;';
const MARKS_OF_NOTHING = `${MARKS}
  DELETE FROM cache_window_shared WHERE handle NOT IN (SELECT handle FROM cache_window_original);`;

/** The rows of this node as its cluster shares them. Only what is fetched makes a file where there is none. */
function sharedRows(
  file: () => Promise<Database> | undefined,
  makeFile: () => Promise<Database>,
): LocalCache {
  const mark = (database: Database, handle: string) => {
    database.exec(MARKS);
    database.run(
      'INSERT OR IGNORE INTO cache_window_shared SELECT handle FROM cache_window_original WHERE handle = ?',
      handle,
    );
    return database.get('SELECT 1 FROM cache_window_original WHERE handle = ?', handle) !== undefined;
  };
  return {
    async unshared() {
      const database = await file();
      if (!database) return [];
      await patiently(() => database.exec(MARKS));
      const rows = database.all<{ handle: string }>(
        'SELECT handle FROM cache_window_original WHERE handle NOT IN (SELECT handle FROM cache_window_shared)',
      );
      return rows.map(({ handle }) => handle);
    },
    async read(handle) {
      const row = (await file())?.get<OriginalRow>(
        'SELECT * FROM cache_window_original WHERE handle = ?',
        handle,
      );
      if (!row) return undefined;
      const { org, principal, conversation, session, size, packed, body, at, expires_at } = row;
      const fields = { session, size, packed };
      return { name: handle, org, principal, group: conversation, at, expires_at, fields, body };
    },
    async add({ name, org, principal, group, at, expires_at, fields, body }, isForgotten) {
      const database = await makeFile();
      const { session = null, size = 0, packed = 0 } = fields;
      return patiently(() => {
        if (isForgotten()) return false;
        database.run(
          `INSERT OR IGNORE INTO cache_window_original
             (handle, org, principal, conversation, session, size, packed, body, at, expires_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          ...[name, org, principal, group, session, size, packed, body, at, expires_at],
        );
        return mark(database, name);
      });
    },
    async mark(handle) {
      const database = await file();
      return database !== undefined && patiently(() => mark(database, handle));
    },
    async takeAway(groups, until) {
      const database = await file();
      if (!database) return [];
      const rows = await patiently(() =>
        database.all<{ handle: string }>(
          `DELETE FROM cache_window_original
           WHERE conversation IN (SELECT value FROM json_each(?)) AND at <= ? RETURNING handle`,
          JSON.stringify(groups),
          until,
        ),
      );
      if (rows.length > 0) await patiently(() => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
      return rows.map(({ handle }) => handle);
    },
  };
}

/** Whether an original of somebody may be read by this owner; everybody's where no owner is given. */
function isFor(owner: Owner | null): (of: Owner) => boolean {
  return ({ org, principal }) => !owner || (org === owner.org && principal === owner.principal);
}

const patiently = <T>(attempt: () => T) => retryWhileLocked(attempt, { wait: 5000 });

function transaction(database: Database, work: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (error) {
    database.rollBack();
    throw error;
  }
}

/** What a page holds besides its items. */
const BESIDES = 2500;
/** What an item takes besides its text. */
const AROUND = 40;

/** What `context_expand` shows of an original: its text in pieces, of which as many as were asked for make a page. */
export async function expandOriginal(
  archive: WindowArchive,
  handle: string,
  page: number,
  perPage: number,
  { caller, config }: CallContext,
): Promise<{ kind: string; page: number; total_pages: number; items: unknown[] } | undefined> {
  // A host's requests may go by a token while its model's calls come from a process that owns the data folder.
  const text = await archive.read(isLocalOwner(caller) ? null : caller, handle);
  if (text === undefined) return undefined;
  const room = (config.limits.pageCharacters - BESIDES) / perPage - AROUND;
  const pieces = piecesOf(text, Math.max(1, Math.floor(room)));
  const items = pieces
    .slice((page - 1) * perPage, page * perPage)
    .map((piece) => ({ type: 'original', text: piece }));
  return { kind: 'window', page, total_pages: Math.max(1, Math.ceil(pieces.length / perPage)), items };
}

/** Of at most so many characters as JSON, and whole lines where a line ends near the end of a piece. */
function piecesOf(text: string, most: number): string[] {
  const pieces: string[] = [];
  let from = 0;
  do {
    let piece = text.slice(from, from + most);
    for (let over = excess(piece, most); over > 0; over = excess(piece, most)) {
      piece = piece.slice(0, Math.max(1, Math.min(piece.length - 1, piece.length - Math.ceil(over / 6))));
      if (piece.length === 1) break;
    }
    if (from + piece.length < text.length) piece = text.slice(from, from + endOfLine(piece));
    pieces.push(piece);
    from += piece.length;
  } while (from < text.length);
  return pieces;
}

function excess(piece: string, most: number): number {
  return JSON.stringify(piece).length - 2 - most;
}

function endOfLine(piece: string): number {
  const end = piece.lastIndexOf('\n') + 1;
  if (end > piece.length / 2) return end;
  // Not between the halves of one character.
  return piece.length > 1 && /[\ud800-\udbff]$/.test(piece) ? piece.length - 1 : piece.length;
}
