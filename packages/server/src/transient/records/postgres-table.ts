import type { Limits } from '@infold/protocol';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { InfoldError } from '../../kernel/errors.ts';
import { pageTooLarge, sourceInvalid, sourceUnavailable } from './errors.ts';
import {
  type Column,
  type ColumnType,
  describeTable,
  isOffered,
  type Shape,
  type SourceDescription,
} from './shape.ts';
import type { PostgresSource } from './sources.ts';
import { orderOf, Parameters, quoted, whereOf } from './sql.ts';
import type { Found, OpenTable, Query, RecordTable, RecordValues } from './table.ts';

const CONNECTIONS = 4;
const CONNECT_WAIT = 5000;
/** Counting may take this long; the page is answered without a total otherwise. */
const COUNT_WAIT = 5000;
const SHAPE_KEPT = 30_000;
/** Most installations read no PostgreSQL, and so do not carry what reads it. */
const PACKAGE_MISSING =
  'PostgreSQL is read with the package "pg", which is not installed; run "npm install pg" where infold is installed';

interface DescribedColumn {
  name: string;
  type: string;
}

/** A table or view in PostgreSQL; sessions are read-only. */
export class PostgresTable implements RecordTable {
  readonly source: PostgresSource;
  readonly #limits: Limits;
  #pool: Promise<Pool> | undefined;
  #shape: { shape: Shape; until: number } | undefined;

  constructor(source: PostgresSource, limits: Limits) {
    this.source = source;
    this.#limits = limits;
  }

  async open(): Promise<OpenTable> {
    const shape = await this.#readShape();
    const notices: string[] = [];
    return { shape, notices, find: (query) => this.#find(shape, query, notices) };
  }

  async #readShape(): Promise<Shape> {
    const now = Date.now();
    if (this.#shape && this.#shape.until > now) return this.#shape.shape;
    const { source } = this;
    const { rows } = await this.#query<DescribedColumn>(
      `SELECT attname AS name, CASE WHEN typcategory = 'A' THEN 'ARRAY' ELSE typname END AS type
       FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
       WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
      [tableName(source.table)],
    );
    if (rows.length === 0)
      throw sourceInvalid(source.model, `there is no table "${source.table}", or it may not be read`);
    const columns = rows
      .filter(({ name }) => isOffered(source, name))
      .map(({ name, type }): Column => ({ name, type: typeFor(type), expression: quoted(name) }));
    const names = new Set(columns.map(({ name }) => name));
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
    const shape = { model: source.model, columns, id: names.has(source.id) ? source.id : null };
    this.#shape = { shape, until: now + SHAPE_KEPT };
    return shape;
  }

  async #find(shape: Shape, query: Query, notices: string[]): Promise<Found> {
    const table = tableName(this.source.table);
    const paging = new Parameters('postgres');
    const chosen = query.fields.map(({ expression, type }) =>
      type === 'json' ? `to_json(${expression}) AS ${expression}` : expression,
    );
    const tie = shape.id === null ? '' : quoted(shape.id);
    const where = whereOf(query.conditions, 'postgres', paging);
    const page = `SELECT ${chosen.join(', ')} FROM ${table} WHERE ${where}${orderOf(query.order, 'postgres', tie)} LIMIT ${paging.add(query.limit)} OFFSET ${paging.add(query.offset)}`;
    const [{ rows }, total] = await Promise.all([
      this.#query<RecordValues>(page, paging.values),
      query.count ? this.#count(table, query, notices) : undefined,
    ]);
    if (Buffer.byteLength(JSON.stringify(rows)) > this.#limits.recordPageBytes) {
      throw pageTooLarge(this.source.model, this.#limits.recordPageBytes);
    }
    return { records: rows, total };
  }

  async #count(table: string, query: Query, notices: string[]): Promise<number | undefined> {
    const counting = new Parameters('postgres');
    const text = `SELECT count(*) AS total FROM ${table} WHERE ${whereOf(query.conditions, 'postgres', counting)}`;
    try {
      const { rows } = await this.#query<{ total: number }>(
        text,
        counting.values,
        Math.min(COUNT_WAIT, this.#limits.sourceWait),
      );
      return rows[0]!.total;
    } catch (error) {
      if (!InfoldError.isInstance(error) || error.code !== 'source_timeout') throw error;
      notices.push(`${this.source.model}: counting took too long; the total is not known`);
      return undefined;
    }
  }

  async #query<Row extends object>(
    text: string,
    values: unknown[],
    wait = this.#limits.sourceWait,
  ): Promise<QueryResult<Row>> {
    let client: PoolClient | undefined;
    let failed: Error | undefined;
    try {
      client = await (await this.#connect()).connect();
      await client.query(`SET statement_timeout = ${wait}`);
      return await client.query<Row>(text, values);
    } catch (error) {
      failed = error as Error;
      throw this.#problem(error);
    } finally {
      // A connection that broke is not used again; after a mistake in a query it is as good as before.
      client?.release(failed && !('severity' in failed) ? failed : undefined);
    }
  }

  #problem(error: unknown): InfoldError {
    if (error instanceof InfoldError) return error;
    const { model } = this.source;
    const { code, message } = error as { code?: string; message: string };
    if (code === '57014') {
      return new InfoldError('source_timeout', `The source of "${model}" did not answer in time`, {
        retryable: true,
        cause: error,
      });
    }
    // A value that does not fit its column is the caller's mistake; a table that is gone, the operator's.
    if (code !== undefined && /^22/.test(code))
      return new InfoldError('invalid_arguments', `${model}: ${message}`);
    if (code !== undefined && /^42/.test(code)) {
      this.#shape = undefined;
      return sourceInvalid(model, message);
    }
    return sourceUnavailable(model, describeFailure(error), error);
  }

  #connect(): Promise<Pool> {
    this.#pool ??= this.#openPool().catch((error) => {
      this.#pool = undefined;
      throw error;
    });
    return this.#pool;
  }

  async #openPool(): Promise<Pool> {
    const { default: pg } = await import('pg').catch((error) => {
      throw isMissing(error) ? sourceInvalid(this.source.model, PACKAGE_MISSING) : error;
    });
    const pool = new pg.Pool({
      connectionString: this.source.url,
      max: CONNECTIONS,
      connectionTimeoutMillis: CONNECT_WAIT,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
      application_name: 'infold',
      options: '-c default_transaction_read_only=on',
      types: { getTypeParser: (type: number) => parserFor(type) },
    });
    // A server that goes away while nobody asks is found out by the next query.
    pool.on('error', () => {});
    return pool;
  }

  describe(): Promise<SourceDescription> {
    return describeTable(this.source, () => this.#readShape());
  }

  async close(): Promise<void> {
    await (await this.#pool)?.end();
    this.#pool = undefined;
  }
}

function isMissing(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ERR_MODULE_NOT_FOUND' && message.includes("'pg'");
}

/** `table` or `schema.table`, as SQL. */
function tableName(name: string): string {
  return name.split('.').map(quoted).join('.');
}

function typeFor(type: string): ColumnType {
  if (/^(?:int[248]|float[48]|numeric|oid)$/.test(type)) return 'number';
  if (type === 'bool') return 'boolean';
  if (type === 'ARRAY' || type === 'json' || type === 'jsonb') return 'json';
  return /^(?:date|time|timestamp)/.test(type) ? 'date' : 'text';
}

const OID = {
  bool: 16,
  int8: 20,
  int2: 21,
  int4: 23,
  oid: 26,
  json: 114,
  float4: 700,
  float8: 701,
  numeric: 1700,
  jsonb: 3802,
};
const NUMBERS: readonly number[] = [
  OID.int8,
  OID.int2,
  OID.int4,
  OID.oid,
  OID.float4,
  OID.float8,
  OID.numeric,
];

/** Numbers that cannot be held exactly stay as they are written; dates too, since a Date would lose digits. */
function parserFor(type: number): (text: string) => unknown {
  if (type === OID.bool) return (text) => text === 't';
  if (type === OID.json || type === OID.jsonb) return (text) => JSON.parse(text) as unknown;
  if (!NUMBERS.includes(type)) return (text) => text;
  return (text) => {
    const number = Number(text);
    if (type === OID.float4 || type === OID.float8) return Number.isFinite(number) ? number : text;
    const digits = text.replace(/[-.]/g, '').replace(/^0+/, '').length;
    return Number.isFinite(number) && (digits <= 15 || Number.isSafeInteger(number)) ? number : text;
  };
}

/** Never with the address, which may hold a password. */
function describeFailure(error: unknown): string {
  const { code, message, errors } = error as {
    code?: string;
    message?: string;
    errors?: { message: string }[];
  };
  const text = message || errors?.[0]?.message || 'no answer';
  return code === undefined || text.includes(code) ? text : `${text} (${code})`;
}
