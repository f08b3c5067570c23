import type { Database } from '../kernel/sqlite.ts';
import type { Entry, Events } from './journal.ts';

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
  /** CREATE statements of every table and index. */
  tables: string;
  on: { [Type in keyof Events]?: Handler<Type> };
  /** Called once for each entry, after its events. */
  each?: (database: Database, entry: Entry) => void;
}

export class Projector {
  readonly projections: readonly Projection[];
  readonly #handlers = new Map<string, Handler<never>[]>();

  constructor(projections: readonly Projection[]) {
    this.projections = projections;
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
    for (const projection of this.projections) projection.each?.(database, entry);
  }

  createTables(database: Database): void {
    for (const projection of this.projections) database.exec(projection.tables);
  }

  dropTables(database: Database): void {
    database.forgetStatements();
    for (const name of this.tableNames(database)) database.exec(`DROP TABLE IF EXISTS "${name}"`);
  }

  /** Every table but the journal's own and caches; the parts of a full-text index go with the index. */
  tableNames(database: Database): string[] {
    return database
      .all<{ name: string }>(
        `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')
           AND name NOT GLOB 'journal_*' AND name NOT GLOB 'cache_*' AND name NOT GLOB 'sqlite_*'
         ORDER BY name`,
      )
      .map((row) => row.name);
  }
}
