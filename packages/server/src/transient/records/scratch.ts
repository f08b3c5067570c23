import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Scrubber } from '@infold/scrub';
import type { CachedItem, Cluster, LocalCache } from '../../journal/cluster/cluster.ts';
import type { SharedCache } from '../../journal/cluster/shared-cache.ts';
import type { Clock } from '../../kernel/clock.ts';
import { randomId } from '../../kernel/ids.ts';
import { makePrivateFolder } from '../../kernel/private-files.ts';
import { type Database, openDatabase, type SqlValue } from '../../kernel/sqlite.ts';
import type { ForgetTarget } from '../../trust/forget.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import type { Sources } from '../../trust/sources.ts';
import { retryBusy } from './busy.ts';
import type { Column, ColumnType, Shape } from './shape.ts';
import { orderOf, Parameters, whereOf } from './sql.ts';
import type { Found, OpenTable, Query, RecordValues } from './table.ts';

/** `scratch`: rows of a lean fetch, for an hour. `result`: rows of a marked result, to get back what was collapsed. */
export type KeptKind = 'scratch' | 'result';

export interface Kept {
  ref: string;
  kind: KeptKind;
  model: string;
  /** The session that fetched them, if the call belonged to one. */
  session_id: string | null;
  id_column: string | null;
  columns: { name: string; type: ColumnType }[];
  summary: string;
  count: number;
  created_at: number;
  expires_at: number;
}

interface KeptRow extends Omit<Kept, 'columns'> {
  place: number;
  columns: string;
}

interface StoredRecord {
  body: string;
  cells: string;
}

/** Kept rows as nodes share them. */
interface SharedRows {
  kept: Kept;
  origin: string | null;
  records: RecordValues[];
}

export interface Keeping {
  kind: KeptKind;
  shape: Shape;
  records: readonly RecordValues[];
  summary: string;
  /** The session in which they were fetched, if there is one, and what they were read from, if that was kept too. */
  sessionId?: string | undefined;
  origin?: string | undefined;
}

/** A marked result that nothing has used up yet. */
export interface UnusedPage {
  ref: string;
  model: string;
  summary: string;
  /** Null where records have no ids; then there are none. */
  idColumn: string | null;
  ids: ReadonlySet<string>;
}

export interface ScratchLimits {
  scratchLifetime: number;
  resultLifetime: number;
  scratchBytes: number;
}

const PREFIX = { scratch: 'scr', result: 'rs' } as const;
const REF = /^(?:scr|rs)_[a-z0-9]{20}$/;
const MOST_ROWS = 20_000;
const MOST_UNUSED = 50;
const FILE = 'scratch.db';
const SCRUBBED_AT_ONCE = 200;

/**
 * Rows that are kept for a while beside the journal, in a file of their own: they are a cache, and a backup need not
 * carry them. Only who fetched them can read them.
 */
export class Scratch implements Sources {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #limits: ScratchLimits;
  #database: Promise<Database> | undefined;
  #sharing: Promise<SharedCache> | undefined;

  constructor(folder: string, clock: Clock, limits: ScratchLimits) {
    this.#folder = folder;
    this.#clock = clock;
    this.#limits = limits;
  }

  static isRef(text: string): boolean {
    return REF.test(text);
  }

  /** From now on who kept rows on one node of the cluster can read them on every other. Secrets in them stay here. */
  share(cluster: Cluster, scrubber: Scrubber, onError: (error: unknown) => void): void {
    const { scratchLifetime, resultLifetime } = this.#limits;
    const lifetime = Math.max(scratchLifetime, resultLifetime);
    const local = this.#sharedRows(scrubber);
    this.#sharing ??= import('../../journal/cluster/shared-cache.ts').then(
      (module) =>
        new module.SharedCache({ cluster, name: 'kept', clock: this.#clock, lifetime, local, onError }),
    );
  }

  /** Keeps rows; answers their reference, and how many older ones had to go for them. */
  async keep(
    caller: Caller,
    { kind, shape, records, summary, sessionId, origin }: Keeping,
  ): Promise<{ kept: Kept; dropped: number }> {
    const database = await this.#open();
    const now = this.#clock();
    const { scratchLifetime, resultLifetime, scratchBytes } = this.#limits;
    const kept: Kept = {
      ref: randomId(PREFIX[kind]),
      kind,
      model: shape.model,
      session_id: sessionId ?? null,
      id_column: shape.id,
      columns: shape.columns.map(({ name, type }) => ({ name, type })),
      summary,
      count: records.length,
      created_at: now,
      expires_at: now + (kind === 'scratch' ? scratchLifetime : resultLifetime),
    };
    const rows = rowsOf(kept, records);
    const bytes = bytesOf(rows);
    const { expired, dropped } = await retryBusy(() =>
      transaction(database, () => {
        const expired = database.all<{ ref: string }>(
          'DELETE FROM cache_kept WHERE expires_at <= ? RETURNING ref',
          now,
        );
        const dropped = this.#makeRoom(database, caller, bytes, scratchBytes);
        this.#insert(database, caller, kept, { origin, bytes }, rows);
        return { expired, dropped };
      }),
    );
    void this.#sharing?.then((sharing) =>
      sharing.share([kept, ...expired, ...dropped].map(({ ref }) => ref)),
    );
    return { kept, dropped: dropped.length };
  }

  #insert(
    database: Database,
    caller: Pick<Caller, 'org' | 'principal'>,
    kept: Kept,
    { origin, bytes }: { origin: string | null | undefined; bytes: number },
    rows: readonly StoredRecord[],
  ): void {
    const { place } = database.get<{ place: number }>(
      `INSERT INTO cache_kept (ref, kind, org, principal, model, id_column, columns, summary, count, bytes, created_at,
         expires_at, session_id, origin) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING place`,
      kept.ref,
      kept.kind,
      caller.org,
      caller.principal,
      kept.model,
      kept.id_column,
      JSON.stringify(kept.columns),
      kept.summary,
      kept.count,
      bytes,
      kept.created_at,
      kept.expires_at,
      kept.session_id,
      origin ?? null,
    )!;
    for (const [ordinal, { body, cells }] of rows.entries()) {
      database.run('INSERT INTO cache_kept_row VALUES (?, ?, ?, ?)', place, ordinal, cells, body);
    }
  }

  /** The oldest go first: what a principal keeps is bounded, and a new fetch always has room. */
  #makeRoom(
    database: Database,
    { org, principal }: Pick<Caller, 'org' | 'principal'>,
    bytes: number,
    most: number,
  ): { ref: string }[] {
    const gone: { ref: string }[] = [];
    for (;;) {
      const used = database.get<{ bytes: number; count: number }>(
        'SELECT coalesce(sum(bytes), 0) AS bytes, coalesce(sum(count), 0) AS count FROM cache_kept WHERE org = ? AND principal = ?',
        org,
        principal,
      )!;
      if (used.bytes + bytes <= most && used.count <= MOST_ROWS) return gone;
      const dropped = database.get<{ ref: string }>(
        `DELETE FROM cache_kept WHERE place = (SELECT place FROM cache_kept WHERE org = ? AND principal = ?
           ORDER BY kind = 'scratch', created_at, place LIMIT 1) RETURNING ref`,
        org,
        principal,
      );
      if (!dropped) return gone;
      gone.push(dropped);
    }
  }

  /** Undefined for what is unknown, expired or somebody else's: they look the same. */
  async find(caller: Caller, ref: string): Promise<Kept | undefined> {
    if (!Scratch.isRef(ref)) return undefined;
    const row = await this.#row(caller, ref);
    return row && keptFrom(row);
  }

  async #row(caller: Caller, ref: string): Promise<KeptRow | undefined> {
    const row = await this.#rowHere(caller, ref);
    if (row || !this.#sharing) return row;
    const isFor = ({ org, principal }: { org: string; principal: string }) =>
      org === caller.org && principal === caller.principal;
    return (await (await this.#sharing).fetch(ref, isFor)) ? this.#rowHere(caller, ref) : undefined;
  }

  async #rowHere({ org, principal }: Caller, ref: string): Promise<KeptRow | undefined> {
    const database = await this.#open();
    return database.get<KeptRow>(
      'SELECT * FROM cache_kept WHERE ref = ? AND org = ? AND principal = ? AND expires_at > ?',
      ref,
      org,
      principal,
      this.#clock(),
    );
  }

  async known(caller: Caller, handles: readonly string[]): Promise<string[]> {
    const found = await Promise.all(handles.map((handle) => this.find(caller, handle)));
    return found.flatMap((kept) => (kept ? [kept.ref] : []));
  }

  async used({ org, principal }: Caller, handles: readonly string[]): Promise<void> {
    if (handles.length === 0) return;
    const database = await this.#open();
    await retryBusy(() =>
      database.run(
        'UPDATE cache_kept SET used = 1 WHERE org = ? AND principal = ? AND ref IN (SELECT value FROM json_each(?))',
        org,
        principal,
        JSON.stringify(handles),
      ),
    );
  }

  /** Handles of the results that were read out of kept rows. */
  async readFrom({ org, principal }: Caller, ref: string): Promise<string[]> {
    const database = await this.#open();
    return database
      .all<{ ref: string }>(
        `SELECT ref FROM cache_kept WHERE origin = ? AND org = ? AND principal = ? AND kind = 'result' ORDER BY place`,
        ref,
        org,
        principal,
      )
      .map((row) => row.ref);
  }

  /**
   * Results of a session that nothing has used up, oldest first. Those that were fetched before there was a session may be
   * its own too; a client ignores what it has not seen.
   */
  async unused({ org, principal }: Caller, sessionId: string): Promise<UnusedPage[]> {
    const database = await this.#open();
    const rows = database.all<KeptRow>(
      `SELECT * FROM cache_kept WHERE org = ? AND principal = ? AND kind = 'result' AND used = 0 AND expires_at > ?
         AND (session_id = ? OR session_id IS NULL) ORDER BY place DESC LIMIT ${MOST_UNUSED}`,
      org,
      principal,
      this.#clock(),
      sessionId,
    );
    return rows.reverse().map(({ place, ref, model, summary, id_column, columns }) => {
      const index = (JSON.parse(columns) as Kept['columns']).findIndex(({ name }) => name === id_column);
      const ids =
        index < 0
          ? []
          : database.all<{ id: string | number | null }>(
              `SELECT json_extract(cells, '$[${index}]') AS id FROM cache_kept_row WHERE kept = ?`,
              place,
            );
      return { ref, model, summary, idColumn: id_column, ids: new Set(ids.map(({ id }) => String(id))) };
    });
  }

  /** The rows as a source that can be searched like any other. */
  async open(caller: Caller, ref: string): Promise<(OpenTable & { kept: Kept }) | undefined> {
    if (!Scratch.isRef(ref)) return undefined;
    const row = await this.#row(caller, ref);
    if (!row) return undefined;
    const kept = keptFrom(row);
    const columns = kept.columns.map(
      ({ name, type }, index): Column => ({ name, type, expression: `json_extract(cells, '$[${index}]')` }),
    );
    const shape: Shape = { model: kept.model, columns, id: kept.id_column };
    return { kept, shape, notices: [], find: (query) => this.#find(row.place, query) };
  }

  async #find(place: number, query: Query): Promise<Found> {
    const database = await this.#open();
    const counting = new Parameters('sqlite');
    const counted = `kept = ${counting.add(place)} AND ${whereOf(query.conditions, 'sqlite', counting)}`;
    const paging = new Parameters('sqlite');
    const where = `kept = ${paging.add(place)} AND ${whereOf(query.conditions, 'sqlite', paging)}`;
    const page = `SELECT body FROM cache_kept_row WHERE ${where}${orderOf(query.order, 'sqlite', 'ordinal')} LIMIT ${paging.add(query.limit)} OFFSET ${paging.add(query.offset)}`;
    const wanted = new Set(query.fields.map(({ name }) => name));
    const rows = [...database.iterate<{ body: string }>(page, ...(paging.values as SqlValue[]))];
    const [count] = database.iterate<{ total: number }>(
      `SELECT count(*) AS total FROM cache_kept_row WHERE ${counted}`,
      ...(counting.values as SqlValue[]),
    );
    const records = rows.map(({ body }) => {
      const record = Object.entries(JSON.parse(body) as RecordValues);
      return Object.fromEntries(record.filter(([name]) => wanted.has(name)));
    });
    return { records, total: query.count ? count!.total : undefined };
  }

  /** What is kept for somebody goes before its time. Answers how many results that were. */
  async forget({ kind, org, id: principal }: ForgetTarget): Promise<number> {
    if (kind !== 'principal') return 0;
    const groups = [groupOf({ org, principal })];
    const here = await this.#takeAway(groups, Number.MAX_SAFE_INTEGER);
    const there = (await (await this.#sharing)?.forget(groups)) ?? [];
    return new Set([...here, ...there]).size;
  }

  /** What is kept for some principals up to a time goes. Answers the references. */
  async #takeAway(groups: readonly string[], until: number): Promise<string[]> {
    if (!this.#isThere()) return [];
    const database = await this.#open();
    const gone = await retryBusy(() =>
      database.all<{ ref: string }>(
        `DELETE FROM cache_kept WHERE created_at <= ?2 AND EXISTS (SELECT 1 FROM json_each(?1)
           WHERE json_extract(value, '$[0]') = org AND json_extract(value, '$[1]') = principal) RETURNING ref`,
        JSON.stringify(groups),
        until,
      ),
    );
    await retryBusy(() => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    return gone.map(({ ref }) => ref);
  }

  #isThere(): boolean {
    return existsSync(join(this.#folder, FILE));
  }

  /** The rows of this node as its cluster shares them. */
  #sharedRows(scrubber: Scrubber): LocalCache {
    return {
      unshared: async () => {
        if (!this.#isThere()) return [];
        const database = await this.#open();
        await retryBusy(() => database.exec(MARKS));
        const rows = database.all<{ ref: string }>(
          'SELECT ref FROM cache_kept WHERE ref NOT IN (SELECT ref FROM cache_kept_shared)',
        );
        return rows.map(({ ref }) => ref);
      },
      read: async (ref) => itemOf(await this.#open(), ref, scrubber),
      add: async ({ org, principal, body }, isForgotten) => {
        const { kept, origin, records } = JSON.parse(Buffer.from(body).toString()) as SharedRows;
        const database = await this.#open();
        const rows = rowsOf(kept, records);
        const bytes = bytesOf(rows);
        return retryBusy(() =>
          transaction(database, () => {
            if (isForgotten()) return false;
            if (database.get('SELECT 1 FROM cache_kept WHERE ref = ?', kept.ref)) return true;
            this.#makeRoom(database, { org, principal }, bytes, this.#limits.scratchBytes);
            this.#insert(database, { org, principal }, kept, { origin, bytes }, rows);
            return mark(database, kept.ref);
          }),
        );
      },
      mark: async (ref) => {
        const database = await this.#open();
        return retryBusy(() => mark(database, ref));
      },
      takeAway: (groups, until) => this.#takeAway(groups, until),
    };
  }

  async close(): Promise<void> {
    await (await this.#sharing)?.close();
    (await this.#database)?.close();
    this.#database = undefined;
  }

  #open(): Promise<Database> {
    this.#database ??= openScratch(this.#folder).catch((error: unknown) => {
      this.#database = undefined;
      throw error;
    });
    return this.#database;
  }
}

const MARKS = 'CREATE TABLE IF NOT EXISTS cache_kept_shared (ref TEXT PRIMARY KEY) STRICT, WITHOUT ROWID';

/** Answers whether the rows are still there. Without them there is no mark. */
function mark(database: Database, ref: string): boolean {
  database.exec(MARKS);
  const isThere = database.get('SELECT 1 FROM cache_kept WHERE ref = ?', ref) !== undefined;
  if (isThere) database.run('INSERT OR IGNORE INTO cache_kept_shared VALUES (?)', ref);
  else database.run('DELETE FROM cache_kept_shared WHERE ref = ?', ref);
  return isThere;
}

function groupOf({ org, principal }: { org: string; principal: string }): string {
  return JSON.stringify([org, principal]);
}

/** Without secrets: it leaves this node. */
async function itemOf(database: Database, ref: string, scrubber: Scrubber): Promise<CachedItem | undefined> {
  const row = database.get<KeptRow & { org: string; principal: string; origin: string | null }>(
    'SELECT * FROM cache_kept WHERE ref = ?',
    ref,
  );
  if (!row) return undefined;
  const { org, principal, origin, place, created_at: at, expires_at } = row;
  const bodies = database.all<{ body: string }>(
    'SELECT body FROM cache_kept_row WHERE kept = ? ORDER BY ordinal',
    place,
  );
  const records: RecordValues[] = [];
  for (const { body } of bodies) {
    records.push(scrubber.scrubValue(JSON.parse(body) as RecordValues).value);
    if (records.length % SCRUBBED_AT_ONCE === 0) await new Promise(setImmediate);
  }
  const kept = keptFrom(row);
  const summary = scrubber.scrub(kept.summary).text;
  const shared: SharedRows = { kept: { ...kept, summary }, origin, records };
  const body = Buffer.from(JSON.stringify(shared));
  return { name: ref, org, principal, group: groupOf(row), at, expires_at, fields: {}, body };
}

/** With the values of the columns beside each record, so that they can be searched. */
function rowsOf({ columns }: Kept, records: readonly RecordValues[]): StoredRecord[] {
  return records.map((record) => ({
    body: JSON.stringify(record),
    cells: JSON.stringify(columns.map(({ name }) => (Object.hasOwn(record, name) ? record[name] : null))),
  }));
}

function bytesOf(rows: readonly StoredRecord[]): number {
  return rows.reduce((sum, { body, cells }) => sum + body.length + cells.length, 0);
}

async function openScratch(folder: string): Promise<Database> {
  makePrivateFolder(folder);
  const database = await openDatabase(join(folder, FILE), { blockingWait: 20 });
  await retryBusy(() => {
    // Rows that expired must not be left lying in the file, and a cache need not survive a power cut.
    database.exec(`
      PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON;
      CREATE TABLE IF NOT EXISTS cache_kept (
        place INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, org TEXT NOT NULL,
        principal TEXT NOT NULL, model TEXT NOT NULL, id_column TEXT, columns TEXT NOT NULL, summary TEXT NOT NULL,
        count INTEGER NOT NULL, bytes INTEGER NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
        session_id TEXT, origin TEXT, used INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE INDEX IF NOT EXISTS cache_kept_owner ON cache_kept (org, principal, kind, created_at);
      CREATE INDEX IF NOT EXISTS cache_kept_end ON cache_kept (expires_at);
      CREATE TABLE IF NOT EXISTS cache_kept_row (
        kept INTEGER NOT NULL REFERENCES cache_kept (place) ON DELETE CASCADE, ordinal INTEGER NOT NULL,
        cells TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kept, ordinal)
      ) STRICT;`);
    addColumns(database);
  });
  return database;
}

/** A file of an earlier version holds rows that are still wanted. */
function addColumns(database: Database): void {
  const there = database.all<{ name: string }>('PRAGMA table_info(cache_kept)').map(({ name }) => name);
  if (there.includes('used')) return;
  transaction(database, () =>
    database.exec(`ALTER TABLE cache_kept ADD COLUMN session_id TEXT;
      ALTER TABLE cache_kept ADD COLUMN origin TEXT;
      ALTER TABLE cache_kept ADD COLUMN used INTEGER NOT NULL DEFAULT 0;`),
  );
}

function transaction<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.rollBack();
    throw error;
  }
}

function keptFrom({ place: _, columns, ...row }: KeptRow): Kept {
  const { ref, kind, model, session_id, id_column, summary, count, created_at, expires_at } = row;
  return {
    ref,
    kind,
    model,
    session_id,
    id_column,
    columns: JSON.parse(columns) as Kept['columns'],
    summary,
    count,
    created_at,
    expires_at,
  };
}
