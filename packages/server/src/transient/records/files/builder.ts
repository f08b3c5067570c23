import type { Database, SqlValue } from '../../../kernel/sqlite.ts';
import { isPlainNumber } from './numbers.ts';
import type { FileRow } from './rows.ts';
import { type BuildSource, type IndexedColumn, KIND } from './state.ts';

/** Columns that are indexed without being named: short values, and not too many. */
const MOST_INDEXED = 12;
const LONGEST_INDEXED = 120;

const SINGLE_KINDS: readonly number[] = Object.values(KIND);

/**
 * Writes records into the index: `body` holds each one whole, `record` its values in a column each, so that a search
 * reads little. Columns are added as they are met.
 */
export class IndexBuilder {
  readonly #database: Database;
  readonly #source: BuildSource;
  readonly #mostColumns: number;
  readonly #columns: IndexedColumn[];
  readonly #byName: Map<string, IndexedColumn>;
  rows: number;
  moreColumns: boolean;
  #insert = '';

  constructor(
    database: Database,
    source: BuildSource,
    mostColumns: number,
    before?: { rows: number; columns: readonly IndexedColumn[]; moreColumns: boolean },
  ) {
    this.#database = database;
    this.#source = source;
    this.#mostColumns = mostColumns;
    this.#columns = (before?.columns ?? []).map((column) => ({ ...column }));
    this.#byName = new Map(this.#columns.map((column) => [column.name, column]));
    this.rows = before?.rows ?? 0;
    this.moreColumns = before?.moreColumns ?? false;
    if (!before) {
      database.exec(`
        CREATE TABLE record (ordinal INTEGER PRIMARY KEY);
        CREATE TABLE body (ordinal INTEGER PRIMARY KEY, json TEXT NOT NULL);`);
    }
    this.#prepare();
  }

  /** The columns of a CSV file are known before its records. */
  declare(names: readonly string[]): void {
    for (const name of names) this.#columnFor(name);
  }

  add(row: FileRow): void {
    if (row.kind === 'problem') return;
    const body = row.kind === 'object' ? this.#object(row.record) : this.#cells(row.cells);
    this.rows++;
    const values: SqlValue[] = this.#columns.map((column) => this.#values.get(column) ?? null);
    this.#database.run(this.#insert, this.rows, ...values);
    const json = row.kind === 'object' ? row.json : JSON.stringify(body);
    this.#database.run('INSERT INTO body VALUES (?, ?)', this.rows, json);
  }

  readonly #values = new Map<IndexedColumn, SqlValue>();

  #object(record: Record<string, unknown>): void {
    this.#values.clear();
    for (const [name, value] of Object.entries(record)) {
      if (value === null) {
        this.#columnFor(name);
        continue;
      }
      const column = this.#columnFor(name);
      if (column) this.#values.set(column, this.#stored(column, value));
    }
  }

  #stored(column: IndexedColumn, value: unknown): SqlValue {
    if (typeof value === 'number') {
      column.kinds |= KIND.number;
      return value;
    }
    if (typeof value === 'boolean') {
      column.kinds |= KIND.boolean;
      return Number(value);
    }
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    column.kinds |= typeof value === 'string' ? KIND.text : KIND.json;
    if (text.length > column.longest) column.longest = text.length;
    return text;
  }

  /** An empty cell is no value. Whether a column holds numbers shows when all of it was read. */
  #cells(cells: readonly string[]): (string | null)[] {
    this.#values.clear();
    return cells.map((cell, index) => {
      const column = this.#columns[index];
      if (cell === '') return null;
      if (!column) return cell;
      const declared = this.#source.types[column.name];
      const isNumber =
        declared === undefined ? isPlainNumber(cell) : declared === 'number' && isNumeric(cell);
      const isBoolean = declared === undefined || declared === 'boolean' ? BOOLEAN.test(cell) : false;
      if (isNumber) column.kinds |= KIND.number;
      else column.kinds |= isBoolean ? KIND.boolean : KIND.text;
      if (cell.length > column.longest) column.longest = cell.length;
      this.#values.set(
        column,
        isNumber ? Number(cell) : isBoolean ? Number(cell.toLowerCase() === 'true') : cell,
      );
      return cell;
    });
  }

  #columnFor(name: string): IndexedColumn | undefined {
    const known = this.#byName.get(name);
    if (known) return known;
    if (this.#columns.length >= this.#mostColumns) {
      this.moreColumns = true;
      return undefined;
    }
    const slot = `c${this.#columns.length}`;
    const column = { name, slot, kinds: 0, longest: 0, indexed: false };
    // SQLite keeps the type of each value in a column that has none.
    this.#database.exec(`ALTER TABLE record ADD COLUMN ${slot}`);
    this.#columns.push(column);
    this.#byName.set(name, column);
    this.#prepare();
    return column;
  }

  #prepare(): void {
    const slots = this.#columns.map(({ slot }) => slot);
    const marks = ['ordinal', ...slots].map(() => '?').join(', ');
    this.#insert = `INSERT INTO record (${['ordinal', ...slots].join(', ')}) VALUES (${marks})`;
  }

  /** Settles the types and makes what indexes are missing. */
  finish(): IndexedColumn[] {
    if (this.#source.type === 'csv')
      for (const [place, column] of this.#columns.entries()) this.#settle(column, place);
    for (const column of this.#chosen()) {
      this.#database.exec(`CREATE INDEX IF NOT EXISTS by_${column.slot} ON record (${column.slot})`);
      column.indexed = true;
    }
    return this.#columns;
  }

  /** A column of a CSV file in which numbers are not alone is a column of texts, written as in the file. */
  #settle(column: IndexedColumn, place: number): void {
    if (column.kinds === 0 || SINGLE_KINDS.includes(column.kinds)) return;
    column.kinds = KIND.text;
    this.#database.exec(
      `UPDATE record SET ${column.slot} =
         (SELECT json_extract(json, '$[${place}]') FROM body WHERE body.ordinal = record.ordinal)
       WHERE typeof(${column.slot}) IN ('integer', 'real')`,
    );
  }

  #chosen(): IndexedColumn[] {
    const { index, id } = this.#source;
    if (index) return this.#columns.filter(({ name }) => name === id || index.includes(name));
    const fitting = this.#columns.filter(
      ({ kinds, longest }) => (kinds & KIND.json) === 0 && longest <= LONGEST_INDEXED,
    );
    // Ids first, whatever their place.
    fitting.sort((a, b) => Number(b.name === id) - Number(a.name === id));
    return fitting.slice(0, MOST_INDEXED);
  }
}

const BOOLEAN = /^(?:true|false)$/i;

function isNumeric(cell: string): boolean {
  return cell.trim() !== '' && Number.isFinite(Number(cell));
}
