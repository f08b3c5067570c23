import { FILTER_OPERATORS, type FilterOperator } from '@infold/protocol';
import { InfoldError } from '../../kernel/errors.ts';
import { type Column, columnNamed, type Shape } from './shape.ts';

export type Scalar = string | number | boolean;

/** One test of one column. Values have the column's type already. */
export type Condition =
  | { column: Column; op: 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | 'contains'; value: Scalar }
  | { column: Column; op: 'in'; values: Scalar[] }
  | { column: Column; op: 'between'; low: Scalar; high: Scalar }
  | { column: Column; op: 'is_null'; negated: boolean };

export interface Order {
  column: Column;
  descending: boolean;
}

const MOST_LISTED = 60;

/** `{column: value | {op: value, …}}` against what the source has; all tests must hold. */
export function parseFilters(
  filters: Record<string, unknown> | undefined,
  shape: Shape,
  mostValues: number,
): Condition[] {
  return Object.entries(filters ?? {}).flatMap(([name, given]) => {
    const column = knownColumn(shape, name, 'filter');
    if (isOperators(given)) {
      const tests = Object.entries(given);
      if (tests.length === 0) throw invalid(`The filter on "${name}" has no operator`);
      return tests.map(([op, value]) => condition(column, op, value, mostValues));
    }
    if (given === null) return [{ column, op: 'is_null' as const, negated: false }];
    return [condition(column, Array.isArray(given) ? 'in' : 'eq', given, mostValues)];
  });
}

/** `column`, `-column`, or several with commas between them. */
export function parseSort(sort: string | undefined, shape: Shape): Order[] {
  const whole = sort === undefined ? undefined : termIn(shape, sort);
  if (whole) return [whole];
  const terms = (sort ?? '').split(',').map((term) => term.trim());
  return terms
    .filter((term) => term !== '')
    .map((term) => {
      const known = termIn(shape, term);
      if (known) return known;
      const column = knownColumn(shape, term.replace(/^[-+]/, ''), 'sort column');
      return { column, descending: term.startsWith('-') };
    });
}

/** One column exactly as it is named: names may begin with a dash, and may have commas in them. */
function termIn(shape: Shape, term: string): Order | undefined {
  const exact = columnNamed(shape, term);
  if (exact) return { column: exact, descending: false };
  const opposite = term.startsWith('-') ? columnNamed(shape, term.slice(1)) : undefined;
  return opposite && { column: opposite, descending: true };
}

/** The columns to return. The id is always among them, so that a record can be named again. */
export function parseFields(fields: readonly string[] | undefined, shape: Shape): Column[] {
  if (fields === undefined || fields.length === 0) return [...shape.columns];
  const wanted = new Set(fields.map((name) => knownColumn(shape, name, 'field').name));
  if (shape.id !== null) wanted.add(shape.id);
  return shape.columns.filter(({ name }) => wanted.has(name));
}

function knownColumn(shape: Shape, name: string, what: string): Column {
  const column = columnNamed(shape, name);
  if (column) return column;
  const names = shape.columns.map((known) => known.name);
  const more = names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more` : '';
  throw new InfoldError(
    'invalid_arguments',
    `Unknown ${what} "${name.slice(0, 100)}" for ${shape.model}. Valid columns: ${names.slice(0, MOST_LISTED).join(', ')}${more}`,
    { details: { valid: names } },
  );
}

function isOperators(given: unknown): given is Record<string, unknown> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

function condition(column: Column, op: string, value: unknown, mostValues: number): Condition {
  if (!isOperator(op)) {
    throw new InfoldError(
      'invalid_arguments',
      `Unknown operator "${op.slice(0, 100)}" for "${column.name}". Valid operators: ${FILTER_OPERATORS.join(', ')}`,
      { details: { valid: [...FILTER_OPERATORS] } },
    );
  }
  if (op === 'is_null') {
    if (typeof value !== 'boolean') throw invalid(`"${column.name}": is_null takes true or false`);
    return { column, op, negated: !value };
  }
  if (op === 'contains') return { column, op, value: String(scalar(column, value)) };
  if (column.type === 'json') {
    throw invalid(`"${column.name}" holds nested values: only contains and is_null can test it`);
  }
  if (op === 'in') {
    if (!Array.isArray(value) || value.length > mostValues) {
      throw invalid(`"${column.name}": in takes a list of at most ${mostValues} values`);
    }
    return { column, op, values: value.map((item) => typed(column, item)) };
  }
  if (op === 'between') {
    if (!Array.isArray(value) || value.length !== 2) {
      throw invalid(`"${column.name}": between takes a list of two values, [low, high]`);
    }
    return { column, op, low: typed(column, value[0]), high: typed(column, value[1]) };
  }
  if (value === null && (op === 'eq' || op === 'ne')) return { column, op: 'is_null', negated: op === 'ne' };
  return { column, op, value: typed(column, value) };
}

function isOperator(op: string): op is FilterOperator {
  return (FILTER_OPERATORS as readonly string[]).includes(op);
}

/** Models often write "72" for 72 and the other way round: the column decides. */
function typed(column: Column, value: unknown): Scalar {
  const given = scalar(column, value);
  switch (column.type) {
    case 'number': {
      const number = typeof given === 'string' ? numberOf(given) : given;
      if (typeof number === 'number') return number;
      throw invalid(`"${column.name}" holds numbers; ${JSON.stringify(value)} is none`);
    }
    case 'boolean': {
      const text = String(given).toLowerCase();
      if (text === 'true' || text === '1') return true;
      if (text === 'false' || text === '0') return false;
      throw invalid(`"${column.name}" is true or false; ${JSON.stringify(value)} is neither`);
    }
    case 'text':
    case 'date':
      return String(given);
    default:
      return given;
  }
}

export function numberOf(text: string): number | undefined {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}

function scalar(column: Column, value: unknown): Scalar {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw invalid(`The filter on "${column.name}" takes a text, a number or true/false`);
}

function invalid(message: string): InfoldError {
  return new InfoldError('invalid_arguments', message);
}
