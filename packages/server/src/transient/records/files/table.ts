import { accessSync, constants, type Stats, statSync } from 'node:fs';
import type { Limits } from '@infold/protocol';
import { Cache } from '../../../kernel/cache.ts';
import { sleep } from '../../../kernel/clock.ts';
import { InfoldError, messageOf } from '../../../kernel/errors.ts';
import type { SqlValue } from '../../../kernel/sqlite.ts';
import { pageTooLarge, sourceInvalid, sourceUnavailable } from '../errors.ts';
import { type Column, type ColumnType, isOffered, type SourceDescription } from '../shape.ts';
import type { FileSource } from '../sources.ts';
import { orderOf, Parameters, whereOf } from '../sql.ts';
import type { Found, Opening, OpenTable, Query, RecordTable, RecordValues } from '../table.ts';
import { ReadProblem, type ReadThreads } from '../threads.ts';
import { stampOf } from './build.ts';
import { Indexer } from './indexer.ts';
import { type IndexedColumn, type IndexState, KIND } from './state.ts';

const COUNTS_BYTES = 256 * 1024;

interface FileColumn extends Column {
  /** Its place in a record of a CSV file. */
  place: number;
}

/** A CSV, JSONL or JSON file, searched in an index of it that is renewed when the file changes. */
export class FileTable implements RecordTable {
  readonly source: FileSource;
  readonly #indexer: Indexer;
  readonly #threads: ReadThreads;
  readonly #limits: Limits;
  readonly #counts = new Cache<number>(COUNTS_BYTES);
  #refreshing:
    | { done: Promise<unknown>; listeners: Set<Opening['progress']>; at: [number, number] }
    | undefined;

  constructor(source: FileSource, folder: string, threads: ReadThreads, limits: Limits) {
    this.source = source;
    this.#indexer = new Indexer(source, folder, limits);
    this.#threads = threads;
    this.#limits = limits;
  }

  async open(opening: Opening): Promise<OpenTable> {
    const { state, notices } = await this.#current(opening);
    const { model, strict } = this.source;
    if (state.bad.count > 0) {
      const told = describeBad(state);
      if (strict) throw sourceInvalid(model, told);
      notices.push(`${model}: ${told}; left out`);
    }
    if (state.unfinished) notices.push(`${model}: the last line is not finished yet; left out`);
    const columns = this.#columns(state);
    return {
      shape: { model, columns, id: this.#idIn(columns, state) },
      notices,
      find: (query) => this.#findOrRepair(state, query, opening),
    };
  }

  #idIn(columns: readonly Column[], state: IndexState): string | null {
    const { id, idRequired, model, path, only, types } = this.source;
    const names = new Set(columns.map(({ name }) => name));
    const wanted = [...(idRequired ? [id] : []), ...(only ?? []), ...Object.keys(types)];
    const missing = state.rows > 0 ? wanted.find((name) => !names.has(name)) : undefined;
    if (missing !== undefined) {
      const valid = [...names].join(', ');
      throw sourceInvalid(model, `the configuration names the column "${missing}", but ${path} has ${valid}`);
    }
    return names.has(id) ? id : null;
  }

  #columns(state: IndexState): FileColumn[] {
    return state.columns
      .map((column, place) => ({
        name: column.name,
        type: this.#typeOf(column),
        expression: column.slot,
        indexed: column.indexed,
        place,
      }))
      .filter(({ name }) => isOffered(this.source, name));
  }

  #typeOf({ name, kinds }: IndexedColumn): ColumnType {
    const declared = this.source.types[name];
    const met = typeOfKinds(kinds);
    // The word of the configuration holds as long as the values allow it.
    if (declared === 'date') return met === 'text' ? 'date' : met;
    return declared !== undefined && kinds === 0 ? declared : met;
  }

  /** An index is only a copy: when it cannot be read (it was replaced, or lost) it is made again, once. */
  async #findOrRepair(state: IndexState, query: Query, opening: Opening): Promise<Found> {
    try {
      return await this.#find(state, query);
    } catch (error) {
      if (!(error instanceof ReadProblem)) throw error;
    }
    if (this.#indexer.state()?.database === state.database) this.#indexer.discard();
    const { state: next } = await this.#current(opening);
    try {
      return await this.#find(next, query);
    } catch (error) {
      if (!(error instanceof ReadProblem)) throw error;
      throw sourceUnavailable(this.source.model, `its index cannot be read (${error.message})`, error);
    }
  }

  async #find(state: IndexState, query: Query): Promise<Found> {
    const { model } = this.source;
    const version = `${state.database}:${state.rows}:${state.builtAt}`;
    const counting = new Parameters('sqlite');
    // The plus keeps SQLite from walking the ordinals where an index of a column is there.
    const within = `+ordinal <= ${state.rows}`;
    const where = `${within} AND ${whereOf(query.conditions, 'sqlite', counting)}`;
    const key = `${version} ${where} ${JSON.stringify(counting.values)}`;
    const everything = query.conditions.length === 0;
    const known = everything ? state.rows : this.#counts.get(key);
    const paging = new Parameters('sqlite');
    const direct = everything && query.order.length === 0;
    const limits = direct
      ? `WHERE ordinal > ${paging.add(query.offset)} AND ordinal <= ${state.rows} ORDER BY ordinal LIMIT ${paging.add(query.limit)}`
      : `WHERE ${within} AND ${whereOf(query.conditions, 'sqlite', paging)}${orderOf(query.order, 'sqlite', 'ordinal')} LIMIT ${paging.add(query.limit)} OFFSET ${paging.add(query.offset)}`;
    const answer = await this.#threads.read(
      {
        path: this.#indexer.databasePath(state),
        version: state.database,
        mostBytes: this.#limits.recordPageBytes,
        page: {
          sql: `SELECT ordinal FROM record ${limits}`,
          values: paging.values as SqlValue[],
          bodies: true,
        },
        ...(query.count && known === undefined
          ? {
              total: {
                sql: `SELECT count(*) AS total FROM record WHERE ${where}`,
                values: counting.values as SqlValue[],
              },
            }
          : {}),
      },
      this.#limits.sourceWait,
    );
    if (answer.tooLarge) throw pageTooLarge(model, this.#limits.recordPageBytes);
    const total = known ?? answer.total ?? undefined;
    if (total !== undefined && !everything) this.#counts.set(key, total);
    const fields = query.fields as readonly FileColumn[];
    const records = answer.rows.map((row) => this.#record(row as string, state, fields));
    return { records, total: query.count ? total : undefined };
  }

  #record(json: string, state: IndexState, fields: readonly FileColumn[]): RecordValues {
    const body = JSON.parse(json) as RecordValues | (string | null)[];
    if (Array.isArray(body)) {
      return Object.fromEntries(
        fields.map((field) => [field.name, cellValue(body[field.place] ?? null, field.type)]),
      );
    }
    // In the order of the record itself; what it does not have is not made up.
    const wanted = new Set(fields.map(({ name }) => name));
    const shown = Object.entries(body).filter(
      ([name]) => wanted.has(name) || (state.moreColumns && this.#isBeyond(name, state, fields)),
    );
    return Object.fromEntries(shown);
  }

  /** A column past the limit is shown with whole records, as it cannot be asked for by name. */
  #isBeyond(name: string, state: IndexState, fields: readonly FileColumn[]): boolean {
    const all = fields.length >= state.columns.filter((column) => isOffered(this.source, column.name)).length;
    return all && isOffered(this.source, name) && !state.columns.some((column) => column.name === name);
  }

  async #current(opening: Opening): Promise<{ state: IndexState; notices: string[] }> {
    const stats = this.#stat();
    const before = this.#indexer.state();
    if (before && isSame(before, stats)) return { state: before, notices: [] };
    const refreshing = this.#refresh();
    const tell: Opening['progress'] = (done, total) =>
      opening.progress(done, total, `indexing ${this.source.model}`);
    refreshing.listeners.add(tell);
    try {
      const ended = await Promise.race([
        refreshing.done.then(() => true),
        sleep(this.#limits.indexWait).then(() => false),
      ]);
      const state = this.#indexer.state();
      if (ended && state) return { state, notices: [] };
      if (before) {
        const since = new Date(before.stamp.modified).toISOString();
        return {
          state: before,
          notices: [
            `${this.source.model} has changed and is being indexed; these are its records of ${since}`,
          ],
        };
      }
      throw this.#indexing(refreshing.at);
    } finally {
      refreshing.listeners.delete(tell);
    }
  }

  /** Starts indexing, or joins what is going on. */
  #refresh() {
    if (this.#refreshing) return this.#refreshing;
    const listeners = new Set<Opening['progress']>();
    const refreshing = {
      done: Promise.resolve() as Promise<unknown>,
      listeners,
      at: [0, 0] as [number, number],
    };
    refreshing.done = this.#indexer
      .refresh((done, total) => {
        refreshing.at = [done, total];
        for (const listener of listeners) listener(done, total);
      })
      .finally(() => {
        this.#refreshing = undefined;
      });
    // Whoever waits hears of a failure; nobody may be waiting any more.
    refreshing.done.catch(() => {});
    this.#refreshing = refreshing;
    return refreshing;
  }

  #indexing([done, total]: [number, number]): InfoldError {
    const share = total > 0 ? ` (${Math.floor((done / total) * 100)}%)` : '';
    return new InfoldError('source_indexing', `"${this.source.model}" is being indexed${share}; try again`, {
      retryable: true,
      retryAfter: 10,
      details: { model: this.source.model, done, total },
    });
  }

  #stat(): Stats {
    const { model, path } = this.source;
    try {
      const stats = statSync(path);
      if (!stats.isFile()) throw sourceInvalid(model, `${path} is not a file`);
      accessSync(path, constants.R_OK);
      return stats;
    } catch (error) {
      if (InfoldError.isInstance(error)) throw error;
      const { code } = error as NodeJS.ErrnoException;
      const problem =
        code === 'ENOENT'
          ? 'there is no such file'
          : code === 'EACCES'
            ? 'it may not be read'
            : messageOf(error);
      throw sourceUnavailable(model, `${path}: ${problem}`, error);
    }
  }

  async describe(): Promise<SourceDescription> {
    const { model, type, id } = this.source;
    const description = { model, type, id: null, columns: [], records: null, problems: [] };
    try {
      const stats = this.#stat();
      const state = this.#indexer.state();
      if (!state) {
        const at = this.#refreshing?.at;
        const share = at && at[1] > 0 ? ` (${Math.floor((at[0] / at[1]) * 100)}%)` : '';
        return { ...description, state: this.#refreshing ? `indexing${share}` : 'not indexed yet' };
      }
      const columns = this.#columns(state).map(({ name, type: kind }) => ({ name, type: kind }));
      return {
        ...description,
        id: columns.some(({ name }) => name === id) ? id : null,
        columns,
        records: state.rows,
        state: isSame(state, stats) ? 'ready' : 'changed since it was indexed',
        problems: state.bad.count > 0 ? [describeBad(state)] : [],
      };
    } catch (error) {
      return { ...description, state: 'unavailable', problems: [messageOf(error)] };
    }
  }

  /** Brings the index up to date now, however long it takes. */
  async index(progress: Opening['progress']): Promise<IndexState> {
    const before = this.#indexer.state();
    if (before && isSame(before, this.#stat())) return before;
    const refreshing = this.#refresh();
    refreshing.listeners.add(progress);
    await refreshing.done;
    const state = this.#indexer.state();
    if (!state) throw sourceUnavailable(this.source.model, 'indexing it failed');
    return state;
  }

  async close(): Promise<void> {
    await this.#refreshing?.done.catch(() => {});
  }
}

function isSame(state: IndexState, stats: Stats): boolean {
  const now = stampOf(stats);
  const { size, modified, inode } = state.stamp;
  return now.size === size && now.modified === modified && now.inode === inode;
}

function typeOfKinds(kinds: number): ColumnType {
  if (kinds === KIND.number) return 'number';
  if (kinds === KIND.boolean) return 'boolean';
  if (kinds === KIND.json) return 'json';
  return kinds === KIND.text || kinds === 0 ? 'text' : 'mixed';
}

function cellValue(cell: string | null, type: ColumnType): unknown {
  if (cell === null) return null;
  if (type === 'number') return Number.isFinite(Number(cell)) ? Number(cell) : cell;
  return type === 'boolean' ? cell.toLowerCase() === 'true' : cell;
}

function describeBad({ bad }: IndexState): string {
  const [first] = bad.first;
  const others = bad.count > 1 ? ` and ${bad.count - 1} more` : '';
  return `line ${first!.line} ${first!.problem}${others} could not be read`;
}
