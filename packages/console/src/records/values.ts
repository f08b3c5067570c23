import type { RecordValues } from './queries.ts';

/** What a record has in a column. Columns may be named like what every object has, such as `constructor`. */
export function valueIn(record: RecordValues, column: string): unknown {
  return Object.hasOwn(record, column) ? record[column] : undefined;
}

/** A value in one line; empty where there is none. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

export const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
