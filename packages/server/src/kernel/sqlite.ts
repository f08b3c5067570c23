import { pathToFileURL } from 'node:url';
import { InfoldError, messageOf } from './errors.ts';
import { makePrivateFile } from './private-files.ts';

/**
 * The part of the `node:sqlite` API that this program uses. Node 22.13 and later have it built in; on Node 20
 * the same API comes prebuilt from a package. Nothing else in the program knows which one it runs on.
 */
export type SqlValue = string | number | bigint | null | Uint8Array;
export type Row = Record<string, SqlValue>;

export interface Statement {
  run(...values: SqlValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
  iterate(...values: SqlValue[]): IterableIterator<unknown>;
}

interface RawDatabase {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}
type RawConstructor = new (path: string, options: { timeout: number; readOnly?: boolean }) => RawDatabase;

let driver: RawConstructor | undefined;

async function loadDriver(): Promise<RawConstructor> {
  if (driver) return driver;
  if (hasBuiltIn()) {
    driver = await withoutExperimentalWarning(
      async () => ((await import('node:sqlite' as string)) as { DatabaseSync: RawConstructor }).DatabaseSync,
    );
  } else {
    const prebuilt = (await import('@photostructure/sqlite')) as unknown as { DatabaseSync: RawConstructor };
    driver = prebuilt.DatabaseSync;
  }
  return driver;
}

/** Node 22 warns on stderr that its SQLite is experimental; users of this program can do nothing about it. */
async function withoutExperimentalWarning<T>(load: () => Promise<T>): Promise<T> {
  const original = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).includes('SQLite is an experimental feature')) return;
    (original as (...values: unknown[]) => void).call(process, warning, ...rest);
  }) as typeof process.emitWarning;
  try {
    return await load();
  } finally {
    process.emitWarning = original;
  }
}

/** Their texts are constant, so there are a few hundred; more would be a mistake, and must not fill the memory. */
const MOST_STATEMENTS = 1000;

/** A connection with its prepared statements kept, since preparing costs more than most queries. */
export class Database {
  readonly path: string;
  readonly #raw: RawDatabase;
  readonly #statements = new Map<string, Statement>();
  readonly #iterating = new Set<Statement>();

  /** Ends a transaction that is held open to be shared, before what cannot be done inside of one. */
  settle: () => void = () => {};

  constructor(raw: RawDatabase, path: string) {
    this.#raw = raw;
    this.path = path;
  }

  exec(sql: string): void {
    this.#raw.exec(sql);
  }

  /** The statement for this SQL text, prepared once. The text must be constant: values go in as parameters. */
  sql(text: string): Statement {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#raw.prepare(text);
      if (this.#statements.size >= MOST_STATEMENTS)
        this.#statements.delete(this.#statements.keys().next().value!);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  get<T = Row>(text: string, ...values: SqlValue[]): T | undefined {
    return this.sql(text).get(...values) as T | undefined;
  }

  all<T = Row>(text: string, ...values: SqlValue[]): T[] {
    return this.sql(text).all(...values) as T[];
  }

  run(text: string, ...values: SqlValue[]): number {
    return Number(this.sql(text).run(...values).changes);
  }

  hasTable(name: string): boolean {
    return this.get('SELECT 1 FROM sqlite_schema WHERE name = ?', name) !== undefined;
  }

  /** A fresh cursor: unlike the kept statements it can stay open while others run. */
  *iterate<T = Row>(text: string, ...values: SqlValue[]): Generator<T> {
    const statement = this.#raw.prepare(text);
    // The driver's iterator does not keep its statement alive: collected in the middle, it takes the process with it.
    this.#iterating.add(statement);
    try {
      yield* statement.iterate(...values) as IterableIterator<T>;
    } finally {
      this.#iterating.delete(statement);
    }
  }

  rollBack(): void {
    try {
      this.#raw.exec('ROLLBACK');
    } catch {
      // Nothing was begun; or SQLite ended it itself, as it does on a full disk or a failed write.
    }
  }

  /** Forgets prepared statements, which must happen before tables they name are dropped. */
  forgetStatements(): void {
    this.#statements.clear();
  }

  /**
   * Ends an open transaction first: the driver for Node 20 keeps a closed connection, and its lock, until the
   * garbage collector has found every statement that was prepared on it.
   */
  close(): void {
    this.rollBack();
    this.#statements.clear();
    this.#raw.close();
  }
}

export interface OpenOptions {
  /** How long SQLite itself may wait for a lock, standing still. Keep it short: longer waits are asynchronous. */
  blockingWait?: number;
  readOnly?: boolean;
  /** Nobody writes to it, and nothing can be written beside it: no log is looked for, and no lock is taken. */
  immutable?: boolean;
}

export async function openDatabase(path: string, options: OpenOptions = {}): Promise<Database> {
  const Driver = await loadDriver();
  if (!options.readOnly) tryToMake(path);
  const raw = new Driver(options.immutable ? `${pathToFileURL(path).href}?immutable=1` : path, {
    timeout: options.blockingWait ?? 20,
    ...(options.readOnly ? { readOnly: true } : {}),
  });
  return new Database(raw, path);
}

/** What another thread runs, so that a large file holds nobody up. */
const COPY = `
const { workerData, parentPort } = require('node:worker_threads');
const { DatabaseSync } = require(workerData.driver);
const database = new DatabaseSync(workerData.path, { timeout: 10000 });
database.prepare('VACUUM INTO ?').run(workerData.target);
database.close();
parentPort.postMessage('done');`;

/** A copy of the file as of one moment, without what was deleted, made while others go on writing. */
export async function copyDatabase(path: string, target: string): Promise<void> {
  const [{ Worker }, { createRequire }] = await Promise.all([
    import('node:worker_threads'),
    import('node:module'),
  ]);
  makePrivateFile(target);
  const driver = hasBuiltIn()
    ? 'node:sqlite'
    : createRequire(import.meta.url).resolve('@photostructure/sqlite');
  const worker = new Worker(COPY, {
    eval: true,
    execArgv: ['--no-warnings'],
    workerData: { path, target, driver },
  });
  try {
    await new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve());
      worker.once('error', (error) => reject(storageError(error, target)));
      worker.once('exit', () => reject(new InfoldError('storage_failed', `Copying ${path} ended early`)));
    });
  } finally {
    await worker.terminate();
  }
}

function hasBuiltIn(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 13);
}

/** Where it cannot be made, SQLite says so in its own words. */
function tryToMake(path: string): void {
  if (path === ':memory:') return;
  try {
    makePrivateFile(path);
  } catch {}
}

/** SQLite's primary result code of an error, if it is one of SQLite's. */
export function sqliteCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

export const SQLITE = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === SQLITE.busy || code === SQLITE.locked;
}

export function journalBusy(cause?: unknown): InfoldError {
  return new InfoldError('journal_busy', 'Another process has locked the journal; try again', {
    retryable: true,
    retryAfter: 1,
    cause,
  });
}

/** Turns SQLite's failures into errors that say what happened and what to do; others pass unchanged. */
export function storageError(error: unknown, path: string): unknown {
  switch (sqliteCode(error)) {
    case SQLITE.busy:
    case SQLITE.locked:
      return journalBusy(error);
    case SQLITE.full:
      return new InfoldError('disk_full', `The disk that holds ${path} is full; nothing was written`, {
        retryable: true,
        cause: error,
      });
    case SQLITE.readOnly:
      return new InfoldError('storage_read_only', `${path} is read-only and cannot be written`, {
        cause: error,
      });
    case SQLITE.cannotOpen:
      return new InfoldError('storage_failed', `${path} cannot be opened or created`, { cause: error });
    case SQLITE.notADatabase:
      return new InfoldError('storage_invalid', `${path} is not an Infold database`, { cause: error });
    case SQLITE.corrupt:
      return new InfoldError('storage_invalid', `${path} is damaged: ${messageOf(error)}`, { cause: error });
    case SQLITE.ioError:
      return new InfoldError('storage_failed', `Writing to ${path} failed; nothing was written`, {
        retryable: true,
        cause: error,
      });
    default:
      return error;
  }
}
