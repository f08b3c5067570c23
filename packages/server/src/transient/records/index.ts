import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { textFor } from '../../trust/access/hide-paths.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { FileTable } from './files/table.ts';
import { PostgresTable } from './postgres-table.ts';
import { Scratch } from './scratch.ts';
import type { SourceDescription } from './shape.ts';
import { readSources, type Source } from './sources.ts';
import { SqliteTable } from './sqlite-table.ts';
import type { Opening, OpenTable, RecordTable } from './table.ts';
import { ReadThreads } from './threads.ts';

declare module '../../call/parts.ts' {
  interface Parts {
    records: Records;
  }
}

/** Whether a project of this name, path or id is open to the caller. */
export type MaySee = (caller: Caller, project: string) => boolean;

/** The record sources of the configuration, and what callers keep of them. Nothing is opened before it is asked for. */
export class Records {
  readonly scratch: Scratch;
  readonly #tables = new Map<string, RecordTable>();
  readonly #threads = new ReadThreads();
  readonly #config: Config;

  constructor(config: Config, clock: Clock) {
    this.#config = config;
    this.scratch = new Scratch(this.#folder, clock, config.limits);
    for (const source of readSources(config.sources).values()) this.add(source);
  }

  get #folder(): string {
    return join(this.#config.data, 'records');
  }

  /** One that the configuration does not name. What is there under its name stays. */
  add(source: Source): void {
    if (!this.#tables.has(source.model)) this.#tables.set(source.model, this.#tableFor(source));
  }

  #tableFor(source: Source): RecordTable {
    const { limits } = this.#config;
    if (source.type === 'sqlite') return new SqliteTable(source, this.#threads, limits);
    if (source.type === 'postgres') return new PostgresTable(source, limits);
    return new FileTable(source, this.#folder, this.#threads, limits);
  }

  /** All tables, for the operator. */
  get tables(): readonly RecordTable[] {
    return [...this.#tables.values()];
  }

  #openTo(caller: Caller, maySee: MaySee): RecordTable[] {
    return this.tables.filter(
      ({ source }) =>
        source.orgs.includes(caller.org) &&
        (source.projects === undefined || source.projects.some((project) => maySee(caller, project))),
    );
  }

  /** A model of the configuration, or rows that the caller kept. */
  async open(caller: Caller, model: string, maySee: MaySee, opening: Opening): Promise<OpenTable> {
    if (Scratch.isRef(model)) {
      const kept = await this.scratch.open(caller, model);
      if (!kept) throw scratchNotFound(model);
      return kept;
    }
    const open = this.#openTo(caller, maySee);
    const table = open.find(({ source }) => source.model === model);
    if (table) return table.open(opening);
    const names = open.map(({ source }) => source.model);
    const valid =
      names.length === 0 ? 'There are none: configure "sources"' : `Valid models: ${names.join(', ')}`;
    throw new InfoldError('not_found', `Unknown model "${model.slice(0, 100)}". ${valid}`, {
      details: { valid: names },
    });
  }

  async describe(caller: Caller, maySee: MaySee): Promise<SourceDescription[]> {
    const described = await Promise.all(this.#openTo(caller, maySee).map((table) => table.describe()));
    return described.map((source) => ({
      ...source,
      problems: source.problems.map((problem) => textFor(caller, problem, this.#config)),
    }));
  }

  /** Closes what is open for reading; it is opened again when it is needed. */
  forgetConnections(): Promise<void> {
    return this.#threads.close();
  }

  async close(): Promise<void> {
    await Promise.all(this.tables.map((table) => table.close()));
    await this.#threads.close();
    await this.scratch.close();
  }
}

export function scratchNotFound(ref: string): InfoldError {
  return new InfoldError(
    'not_found',
    `Scratch not found: ${ref.slice(0, 100)} (unknown, expired, or not yours); fetch the records again`,
  );
}
