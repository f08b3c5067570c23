import { type Condition, numberOf, type Order, type Scalar } from './filters.ts';
import type { Column } from './shape.ts';

export type Dialect = 'sqlite' | 'postgres';
export type Parameter = string | number | boolean | null | string[];

const COMPARISONS = { lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

/** A name that we read from a database, as SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Collects the values of a statement. Nothing that a caller sent is ever part of its text. */
export class Parameters {
  readonly values: Parameter[] = [];
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  add(value: Parameter): string {
    // SQLite has no boolean; true is 1 there.
    this.values.push(typeof value === 'boolean' && this.#dialect === 'sqlite' ? Number(value) : value);
    return this.#dialect === 'sqlite' ? `?${this.values.length}` : `$${this.values.length}`;
  }
}

/** All conditions as one expression; `true` where there is none. */
export function whereOf(conditions: readonly Condition[], dialect: Dialect, parameters: Parameters): string {
  if (conditions.length === 0) return dialect === 'sqlite' ? '1' : 'true';
  return conditions.map((condition) => `(${test(condition, dialect, parameters)})`).join(' AND ');
}

function test(condition: Condition, dialect: Dialect, parameters: Parameters): string {
  const { column } = condition;
  const { expression } = column;
  switch (condition.op) {
    case 'is_null':
      return `${expression} IS ${condition.negated ? 'NOT ' : ''}NULL`;
    case 'contains': {
      const wanted = parameters.add(String(condition.value));
      return dialect === 'sqlite'
        ? `instr(lower(${textOf(column)}), lower(${wanted})) > 0`
        : `position(lower(${wanted}::text) in lower(${expression}::text)) > 0`;
    }
    case 'eq':
      return oneOf(column, [condition.value], dialect, parameters);
    // What has no value is not that value either.
    case 'ne':
      return `(${oneOf(column, [condition.value], dialect, parameters)}) IS NOT TRUE`;
    case 'in':
      return oneOf(column, condition.values, dialect, parameters);
    case 'between': {
      const low = compare(column, '>=', condition.low, parameters);
      return `${low} AND ${compare(column, '<=', condition.high, parameters)}`;
    }
    default:
      return compare(column, COMPARISONS[condition.op], condition.value, parameters);
  }
}

/** Whole numbers above 2³¹ are kept as `72.0` by SQLite's driver; a reader sees 72. */
function textOf({ expression, type }: Column): string {
  const text = `CAST(${expression} AS TEXT)`;
  if (type !== 'number' && type !== 'mixed') return text;
  const whole = `CAST(${expression} AS INTEGER)`;
  return `CASE WHEN typeof(${expression}) = 'real' AND ${expression} = ${whole} THEN CAST(${whole} AS TEXT) ELSE ${text} END`;
}

function oneOf(column: Column, values: readonly Scalar[], dialect: Dialect, parameters: Parameters): string {
  const all = column.type === 'mixed' ? values.flatMap(bothSpellings) : values;
  if (all.length === 0) return dialect === 'sqlite' ? '0' : 'false';
  if (all.length === 1) return `${column.expression} = ${parameters.add(all[0]!)}`;
  if (dialect === 'postgres') return `${column.expression} = ANY(${parameters.add(all.map(String))})`;
  return `${column.expression} IN (${all.map((value) => parameters.add(value)).join(', ')})`;
}

/** In a column of numbers and texts, 72 and "72" are the same to a reader. */
function bothSpellings(value: Scalar): Scalar[] {
  if (typeof value === 'number') return [value, String(value)];
  const number = typeof value === 'string' ? numberOf(value) : undefined;
  return number === undefined ? [value] : [value, number];
}

function compare(column: Column, operator: string, value: Scalar, parameters: Parameters): string {
  const wanted = `${column.expression} ${operator} ${parameters.add(value)}`;
  if (column.type !== 'mixed') return wanted;
  // SQLite puts every text above every number: compare with one kind only.
  const kinds = typeof value === 'string' ? `'text'` : `'integer', 'real'`;
  return `typeof(${column.expression}) IN (${kinds}) AND ${wanted}`;
}

/** Nulls come first, and last when descending, in both dialects. */
export function orderOf(order: readonly Order[], dialect: Dialect, tieBreaker: string): string {
  const terms = order.map(({ column, descending }) => {
    const nulls = dialect === 'postgres' ? (descending ? ' NULLS LAST' : ' NULLS FIRST') : '';
    return `${column.expression}${descending ? ' DESC' : ''}${nulls}`;
  });
  // In the direction of what it follows, so that one index can give both.
  if (tieBreaker !== '') terms.push(order.at(-1)?.descending ? `${tieBreaker} DESC` : tieBreaker);
  return terms.length === 0 ? '' : ` ORDER BY ${terms.join(', ')}`;
}
