/** What a tool answered, taken apart for reading. Servers may answer anything: nothing here trusts its shape. */

export type ResultRow = Readonly<Record<string, unknown>>;

export interface RowsOf {
  /** The name of the list in what was answered; empty where the answer is the list. */
  name: string;
  columns: readonly string[];
  rows: readonly ResultRow[];
  /** Rows that are not among them: a page is no place for all of a long list. */
  more: number;
}

/** Lists of records as tables, what stands beside them as fields. */
export interface Shape {
  fields: readonly (readonly [name: string, value: unknown])[];
  tables: readonly RowsOf[];
}

/** More columns than a table can show: what is in them is in the text. */
const MOST_COLUMNS = 14;
const MOST_ROWS = 200;

/** Whether its lists are for a table: several rows of plain values, and not a few with more inside of them. */
export function isTabular({ tables }: Shape): boolean {
  const isPlain = (value: unknown) => !isRecord(value);
  return tables.some(({ rows }) => rows.length > 1 && rows.every((row) => Object.values(row).every(isPlain)));
}

/** Undefined where the answer is not made of fields and records. */
export function shapeOf(value: unknown): Shape | undefined {
  const rows = rowsOf('', value);
  if (rows) return { fields: [], tables: [rows] };
  if (!isRecord(value)) return undefined;
  const fields: [string, unknown][] = [];
  const tables: RowsOf[] = [];
  for (const [name, own] of Object.entries(value)) {
    const table = rowsOf(name, own);
    if (table) tables.push(table);
    else if (cellOf(own) !== '') fields.push([name, own]);
  }
  return fields.length + tables.length === 0 ? undefined : { fields, tables };
}

function rowsOf(name: string, value: unknown): RowsOf | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isRecord)) return undefined;
  const rows = value.slice(0, MOST_ROWS);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (columns.length === 0 || columns.length > MOST_COLUMNS) return undefined;
  return { name, columns, rows, more: value.length - rows.length };
}

/** A value in a cell, on one line: lists and records of plain values in words, everything deeper as JSON. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  if (isPlainList(value)) return value.join(', ');
  const items = Object.entries(value);
  if (Array.isArray(value) || items.some(([, item]) => isDeep(item))) return JSON.stringify(value);
  return items.map(([name, item]) => `${name}: ${cellOf(item)}`).join('; ');
}

const isDeep = (value: unknown) => typeof value === 'object' && value !== null && !isPlainList(value);

function isPlainList(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null);
}

/** How much room a column wants: most figures and names fit on a line, sentences need more. */
export function roomFor(rows: readonly ResultRow[], column: string): 'line' | 'wide' | 'widest' {
  const longest = Math.max(...rows.map((row) => cellOf(row[column]).length));
  return longest <= 28 ? 'line' : longest <= 60 ? 'wide' : 'widest';
}

export const isFigure = (rows: readonly ResultRow[], column: string): boolean =>
  rows.every((row) => row[column] === null || row[column] === undefined || typeof row[column] === 'number');

function isRecord(value: unknown): value is ResultRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a model reads of an answer, part by part: text as it is, everything else named. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined ? '' : JSON.stringify(content, null, 2);
  return content.map(partText).join('\n');
}

function partText(part: unknown): string {
  if (!isRecord(part)) return String(part);
  if (part.type === 'text' && typeof part.text === 'string') return part.text;
  if (part.type === 'image' || part.type === 'audio') {
    const size = typeof part.data === 'string' ? `, ${Math.ceil((part.data.length * 3) / 4)} bytes` : '';
    return `[${part.type}: ${String(part.mimeType ?? 'of an unknown kind')}${size}]`;
  }
  return JSON.stringify(part, null, 2);
}
