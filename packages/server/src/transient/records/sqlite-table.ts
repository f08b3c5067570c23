import { statSync } from 'node:fs';
import type { Limits } from '@infold/protocol';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import { SQLITE, type SqlValue } from '../../kernel/sqlite.ts';
import { pageTooLarge, sourceInvalid, sourceUnavailable } from './errors.ts';
import type { ReadAnswer, ReadRequest } from './reader.ts';
import {
  type Column,
  type ColumnType,
  describeTable,
  isOffered,
  type Shape,
  type SourceDescription,
} from './shape.ts';
import type { SqliteSource } from './sources.ts';
import { orderOf, Parameters, quoted, whereOf } from './sql.ts';
import type { Found, OpenTable, Query, RecordTable, RecordValues } from './table.ts';
import { ReadProblem, type ReadThreads } from './threads.ts';

/** A table or view of somebody else's SQLite file; it is only read. */
export class SqliteTable implements RecordTable {
  readonly source: SqliteSource;
  readonly #threads: ReadThreads;
  readonly #limits: Limits;

  constructor(source: SqliteSource, threads: ReadThreads, limits: Limits) {
    this.source = source;
    this.#threads = threads;
    this.#limits = limits;
  }

  async open(): Promise<OpenTable> {
    const shape = await this.#shape();
    return { shape, notices: [], find: (query) => this.#find(shape, query) };
  }

  async #shape(): Promise<Shape> {
    const { source } = this;
    const { columns } = await this.#read({ table: source.table });
    if (columns!.length === 0)
      throw sourceInvalid(source.model, `${source.path} has no table "${source.table}"`);
    const offered = columns!
      .filter(({ name }) => isOffered(source, name))
      .map(
        ({ name, type }): Column => ({
          name,
          type: source.types[name] ?? typeFor(type),
          expression: quoted(name),
        }),
      );
    const names = new Set(offered.map(({ name }) => name));
    const wanted = [
      ...(source.idRequired ? [source.id] : []),
      ...(source.only ?? []),
      ...Object.keys(source.types),
    ];
    const missing = wanted.find((name) => !names.has(name));
    if (missing !== undefined) {
      const valid = [...names].join(', ');
      throw sourceInvalid(
        source.model,
        `the configuration names the column "${missing}"; the table has ${valid}`,
      );
    }
    return { model: source.model, columns: offered, id: names.has(source.id) ? source.id : null };
  }

  async #find(shape: Shape, query: Query): Promise<Found> {
    const { source } = this;
    const table = quoted(source.table);
    const counting = new Parameters('sqlite');
    const count = `SELECT count(*) AS total FROM ${table} WHERE ${whereOf(query.conditions, 'sqlite', counting)}`;
    const paging = new Parameters('sqlite');
    const chosen = query.fields.map(({ expression }) => `${exact(expression)} AS ${expression}`).join(', ');
    const tie = shape.id === null ? '' : quoted(shape.id);
    const where = whereOf(query.conditions, 'sqlite', paging);
    const page = `SELECT ${chosen} FROM ${table} WHERE ${where}${orderOf(query.order, 'sqlite', tie)} LIMIT ${paging.add(query.limit)} OFFSET ${paging.add(query.offset)}`;
    const answer = await this.#read({
      page: { sql: page, values: paging.values as SqlValue[], bodies: false },
      ...(query.count ? { total: { sql: count, values: counting.values as SqlValue[] } } : {}),
    });
    if (answer.tooLarge) throw pageTooLarge(source.model, this.#limits.recordPageBytes);
    const booleans = query.fields.filter(({ type }) => type === 'boolean').map(({ name }) => name);
    const records = (answer.rows as RecordValues[]).map((row) => withBooleans(row, booleans));
    return { records, total: query.count ? (answer.total ?? undefined) : undefined };
  }

  async #read(what: Omit<ReadRequest, 'path' | 'version' | 'mostBytes'>): Promise<ReadAnswer> {
    const { model, path } = this.source;
    try {
      // A file that was replaced is another one, even under the old name.
      const { ino, birthtimeMs } = statSync(path);
      const mostBytes = this.#limits.recordPageBytes;
      const request = { path, version: `${ino}:${birthtimeMs}`, mostBytes, ...what };
      return await this.#threads.read(request, this.#limits.sourceWait);
    } catch (error) {
      if (InfoldError.isInstance(error)) throw error;
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        throw sourceUnavailable(model, `${path}: there is no such file`, error);
      }
      if (error instanceof ReadProblem && error.code === SQLITE.notADatabase) {
        throw sourceInvalid(model, `${path} is not a SQLite database`);
      }
      if (error instanceof ReadProblem && error.code === 1) throw sourceInvalid(model, error.message);
      throw sourceUnavailable(model, messageOf(error), error);
    }
  }

  describe(): Promise<SourceDescription> {
    return describeTable(this.source, () => this.#shape());
  }

  async close(): Promise<void> {}
}

/** Whole numbers that JavaScript cannot hold exactly come as texts. */
function exact(expression: string): string {
  const most = Number.MAX_SAFE_INTEGER;
  return `CASE WHEN typeof(${expression}) = 'integer' AND ${expression} NOT BETWEEN -${most} AND ${most} THEN CAST(${expression} AS TEXT) ELSE ${expression} END`;
}

/** SQLite's types are advice: only those that say what is in the column are believed. */
function typeFor(declared: string): ColumnType {
  const type = declared.toUpperCase();
  if (/INT|REAL|FLOA|DOUB|NUMERIC|DECIMAL/.test(type)) return 'number';
  if (/BOOL/.test(type)) return 'boolean';
  return /CHAR|CLOB|TEXT/.test(type) ? 'text' : 'mixed';
}

function withBooleans(row: RecordValues, names: readonly string[]): RecordValues {
  for (const name of names) {
    if (row[name] === 0 || row[name] === 1) row[name] = row[name] === 1;
  }
  return row;
}
