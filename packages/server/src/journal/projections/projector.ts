import type { Database } from '../../kernel/sqlite.ts';
import type { Entry, Events } from '../journal.ts';

/** Where an event stands, for projections that keep a pointer to it or a time. */
export interface EventPlace {
  entry: Entry;
  /** Position of the event within its entry. */
  index: number;
}

type Handler<Type extends keyof Events> = (database: Database, data: Events[Type], place: EventPlace) => void;

/** A door's tables, and what each event type does to them. */
export interface Projection {
  name: string;
  /**
   * To be raised with any change to the tables, or to what events do to them: they are made anew when the file is opened, and
   * nobody else's are. Of other projections' tables a handler may read only what never changes once it is there.
   */
  version: number;
  /** CREATE statements of every table and index. */
  tables: string;
  on: { [Type in keyof Events]?: Handler<Type> };
  /** Called once for each entry of the streams that begin like this, after its events. */
  each?: { streams: string; apply(database: Database, entry: Entry): void };
}

/** The tables that a projection makes. */
export function tablesOf({ tables }: Projection): string[] {
  return [...tables.matchAll(/CREATE (?:VIRTUAL )?TABLE (\w+)/g)].map((match) => match[1]!);
}

export class Projector {
  readonly projections: readonly Projection[];
  /** Names and versions, as the file keeps them. */
  readonly versions: string;
  readonly #handlers = new Map<string, Handler<never>[]>();
  readonly #othersTables: ReadonlySet<string>;

  /** @param others whose tables are in the same file, and are left as they are. */
  constructor(projections: readonly Projection[], others: readonly Projection[] = []) {
    this.projections = projections;
    this.versions = writeVersions(projections);
    this.#othersTables = new Set(others.flatMap(tablesOf));
    for (const projection of projections) {
      for (const [type, handler] of Object.entries(projection.on) as [string, Handler<never>][]) {
        const handlers = this.#handlers.get(type);
        if (handlers) handlers.push(handler);
        else this.#handlers.set(type, [handler]);
      }
    }
  }

  apply(database: Database, entry: Entry): void {
    for (let index = 0; index < entry.events.length; index++) {
      const event = entry.events[index]!;
      const handlers = this.#handlers.get(event.type);
      if (!handlers) continue;
      // Handlers were found by the event's type, so its data is theirs; the compiler cannot follow that through a map.
      for (const handler of handlers) handler(database, event.data as never, { entry, index });
    }
    for (const { each } of this.projections) {
      if (each && entry.stream.startsWith(each.streams)) each.apply(database, entry);
    }
  }

  createTables(database: Database): void {
    for (const projection of this.projections) database.exec(projection.tables);
  }

  dropTables(database: Database): void {
    database.forgetStatements();
    for (const name of this.tableNames(database)) database.exec(`DROP TABLE IF EXISTS "${name}"`);
  }

  /** The part of it whose tables are not in the file as this program makes them. */
  outdated(versions: string): Projector {
    const written = readVersions(versions);
    const isCurrent = ({ name, version }: Projection) => written.get(name) === version;
    const outdated = this.projections.filter((projection) => !isCurrent(projection));
    return new Projector(outdated, this.projections.filter(isCurrent));
  }

  /** A projection in the file that this program is too old for, as a phrase for people. */
  newer(versions: string): string | undefined {
    for (const [name, version] of readVersions(versions)) {
      const known = this.projections.find((projection) => projection.name === name)?.version ?? 0;
      if (version > known) return `tables of ${name} ${version}; this one supports ${known}`;
    }
    return undefined;
  }

  /**
   * Every table but the journal's own, caches and what belongs to others, so that tables which nobody makes any more go too.
   * The parts of a full-text index go with the index.
   */
  tableNames(database: Database): string[] {
    return database
      .all<{ name: string }>(
        `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')
           AND name NOT GLOB 'journal_*' AND name NOT GLOB 'cache_*' AND name NOT GLOB 'sqlite_*'
         ORDER BY name`,
      )
      .map((row) => row.name)
      .filter((name) => !this.#othersTables.has(name));
  }
}

/** In an order of its own, so that two files with the same projections have the same text. */
function writeVersions(projections: readonly Projection[]): string {
  return JSON.stringify(projections.map(({ name, version }) => [name, version]).sort());
}

function readVersions(text: string): Map<string, number> {
  return new Map(JSON.parse(text) as [string, number][]);
}
