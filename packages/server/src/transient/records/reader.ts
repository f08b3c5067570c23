import { type Database, openDatabase, type SqlValue } from '../../kernel/sqlite.ts';

/** What a reading thread is asked. Statements are ours; values of callers come as parameters. */
export interface ReadRequest {
  path: string;
  /** Changes when the file was replaced. */
  version: string;
  mostBytes: number;
  /** A page: rows of `sql`, or, with `bodies`, the bodies of the ordinals that `sql` gives. */
  page?: { sql: string; values: SqlValue[]; bodies: boolean };
  total?: { sql: string; values: SqlValue[] };
  /** Names and declared types of a table's columns. */
  table?: string;
}

export interface ReadAnswer {
  /** JSON texts of records for an index, rows for a table. */
  rows: (string | Record<string, SqlValue>)[];
  total: number | null;
  columns: { name: string; type: string }[] | null;
  /** The page holds more than it may; rows are then empty. */
  tooLarge: boolean;
}

const MOST_OPEN = 16;

/** Read-only connections, kept open. Runs in a thread of its own: a search may have to read a whole table. */
export class RecordReader {
  readonly #open = new Map<string, { version: string; database: Promise<Database> }>();

  async read(request: ReadRequest): Promise<ReadAnswer> {
    const database = await this.#database(request.path, request.version);
    const { page, total, table } = request;
    const answer: ReadAnswer = { rows: [], total: null, columns: null, tooLarge: false };
    if (table !== undefined) {
      answer.columns = database.all<{ name: string; type: string }>(
        'SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden <> 1',
        table,
      );
    }
    if (total) {
      for (const row of database.iterate<{ total: number }>(total.sql, ...total.values))
        answer.total = row.total;
    }
    if (page) this.#page(database, page, request.mostBytes, answer);
    return answer;
  }

  #page(
    database: Database,
    { sql, values, bodies }: NonNullable<ReadRequest['page']>,
    mostBytes: number,
    answer: ReadAnswer,
  ): void {
    let bytes = 0;
    for (const row of database.iterate<Record<string, SqlValue>>(sql, ...values)) {
      const item = bodies ? bodyOf(database, row.ordinal as number) : plain(row);
      bytes += typeof item === 'string' ? item.length : sizeOf(item);
      if (bytes > mostBytes) {
        answer.rows = [];
        answer.tooLarge = true;
        return;
      }
      answer.rows.push(item);
    }
  }

  /** Kept as a promise, so that two who ask at once share one connection. */
  #database(path: string, version: string): Promise<Database> {
    const known = this.#open.get(path);
    if (known?.version === version) return known.database;
    if (known) this.#close(path);
    const oldest = this.#open.keys().next();
    if (this.#open.size >= MOST_OPEN && !oldest.done) this.#close(oldest.value);
    const database = openDatabase(path, { readOnly: true, blockingWait: 2000 });
    this.#open.set(path, { version, database });
    database.catch(() => this.#open.delete(path));
    return database;
  }

  #close(path: string): void {
    const known = this.#open.get(path);
    this.#open.delete(path);
    known?.database.then((database) => database.close()).catch(() => {});
  }
}

function bodyOf(database: Database, ordinal: number): string {
  return database.get<{ json: string }>('SELECT json FROM body WHERE ordinal = ?', ordinal)?.json ?? '{}';
}

/** Rows come without a prototype, and bytes cannot be shown. */
function plain(row: Record<string, SqlValue>): Record<string, SqlValue> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
    ]),
  );
}

function sizeOf(row: Record<string, SqlValue>): number {
  let size = 0;
  for (const [name, value] of Object.entries(row)) {
    size += name.length + 4 + (typeof value === 'string' ? value.length : 8);
  }
  return size;
}
