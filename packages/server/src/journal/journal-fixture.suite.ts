import type { EntryId } from '@infold/protocol';
import { uuidV7 } from '../kernel/ids.ts';
import type { Database } from '../kernel/sqlite.ts';
import { eraseEntries } from './erase.ts';
import { actorText, bodyDigest, entryHash } from './integrity/chain.ts';
import type { Actor, CommitRequest, Entry, Events, Journal, JournalEvent } from './journal.ts';
import { type Projection, Projector } from './projections/projector.ts';
import { readHead } from './rows.ts';
import type { WrittenEvent } from './upcast.ts';

/** One place where entries are kept. Every `open` gives another journal on it, as another process would have. */
export interface JournalStore {
  open(options?: { clock?: () => number }): Promise<Journal>;
  cleanup(): Promise<void>;
}
export type StoreFactory = (projections: readonly Projection[]) => Promise<JournalStore>;

declare module './journal.ts' {
  interface Events {
    'counter.raised': { name: string; by: number };
    'note.added': { title: string; body: string };
    'value.seen': { value?: unknown; body?: string };
    'projection.failed': { reason: string };
    /** No projection cares for it. */
    'event.unheard': object;
  }
}

const tallies: Projection = {
  name: 'tallies',
  version: 1,
  tables: `
    CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
    CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT, seq INTEGER NOT NULL, place INTEGER NOT NULL,
      title TEXT NOT NULL UNIQUE, body TEXT NOT NULL, author TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
    CREATE VIRTUAL TABLE note_text USING fts5 (title, body);
    CREATE TABLE note_text_size (id INTEGER PRIMARY KEY, characters INTEGER NOT NULL) STRICT;
    CREATE TABLE seen (seq INTEGER PRIMARY KEY, shown TEXT NOT NULL) STRICT;`,
  on: {
    'counter.raised': (database, data) => {
      database.run(
        `INSERT INTO counter (name, value) VALUES (?, ?)
           ON CONFLICT (name) DO UPDATE SET value = value + excluded.value`,
        data.name,
        data.by,
      );
    },
    'note.added': (database, data, { entry, index }) => {
      const { lastInsertRowid } = database
        .sql('INSERT INTO note (seq, place, title, body, author, at) VALUES (?, ?, ?, ?, ?, ?)')
        .run(entry.seq, index, data.title, data.body, entry.actor.principal, entry.at);
      database.run(
        'INSERT INTO note_text (rowid, title, body) VALUES (?, ?, ?)',
        lastInsertRowid,
        data.title,
        data.body,
      );
      database.run('INSERT INTO note_text_size VALUES (?, ?)', lastInsertRowid, data.body.length);
    },
    'value.seen': (database, data, { entry }) => {
      const shown = `${Object.keys(data).join()} ${typeof data.value} ${String(data.value)}`;
      database.run('INSERT INTO seen (seq, shown) VALUES (?, ?)', entry.seq, shown);
    },
  },
};

/** Sees the same events as the one before it, so that "in all projections or in none" can be told. */
const register: Projection = {
  name: 'register',
  version: 1,
  tables: 'CREATE TABLE register (seq INTEGER NOT NULL, place INTEGER NOT NULL, type TEXT NOT NULL) STRICT;',
  on: {
    'counter.raised': (database, _, { entry, index }) => record(database, entry, index),
    'note.added': (database, _, { entry, index }) => record(database, entry, index),
    'value.seen': (database, _, { entry, index }) => record(database, entry, index),
    'projection.failed': (_database, data) => {
      throw new Error(data.reason);
    },
  },
};

function record(database: Database, entry: Entry, index: number): void {
  database.run('INSERT INTO register VALUES (?, ?, ?)', entry.seq, index, entry.events[index]!.type);
}

export const PROJECTIONS: readonly Projection[] = [tallies, register];

export const someone: Actor = { org: 'acme', principal: 'ada' };

export const raised = (name: string, by = 1): JournalEvent => ({
  type: 'counter.raised',
  data: { name, by },
});
export const noted = (title: string, body = ''): JournalEvent => ({
  type: 'note.added',
  data: { title, body },
});

/** A commit of these events, whatever the state. */
export function writing(
  events: JournalEvent[],
  more: Partial<CommitRequest<unknown>> = {},
): CommitRequest<unknown> {
  return { stream: 'main', actor: someone, decide: () => ({ events, answer: null }), ...more };
}

/** Something that has a value, or a text of any length. */
export const seen = (data: Events['value.seen']): JournalEvent => ({ type: 'value.seen', data });

export const newId = (): EntryId => uuidV7();

export function counterValue(database: Database, name: string): number {
  return database.get<{ value: number }>('SELECT value FROM counter WHERE name = ?', name)?.value ?? 0;
}

/** Reads the counter and raises it by one: wrong as soon as two writers saw the same value. */
export function counting(name: string, more: Partial<CommitRequest<number>> = {}): CommitRequest<number> {
  return {
    stream: `counter.${name}`,
    actor: someone,
    decide: (database) => ({ events: [raised(name)], answer: counterValue(database, name) + 1 }),
    ...more,
  };
}

/**
 * Adds an entry as another version of the program would have written it. Projections hear of it when they are made anew.
 */
export function appendAsWritten(
  { database }: Journal,
  stream: string,
  events: readonly WrittenEvent[],
  erase: readonly number[] = [],
): void {
  const head = readHead(database);
  const last = database.get<{ rev: number | null; at: number | null }>(
    `SELECT (SELECT max(rev) FROM journal_entry WHERE stream = ?) AS rev, (SELECT max(at) FROM journal_entry) AS at`,
    stream,
  )!;
  const [seq, data, salt] = [head.seq + 1, JSON.stringify({ events }), new Uint8Array(16)];
  const header = {
    ...{ seq, id: uuidV7(), stream, rev: (last.rev ?? 0) + 1, at: (last.at ?? 1_700_000_000_000) + 1000 },
    ...{ actor: actorText(someone), cause: null, digest: bodyDigest({ salt, data }) },
  };
  const hash = entryHash(head.hash, header);
  database.run(
    `INSERT INTO journal_entry (seq, id, chosen, stream, rev, at, actor, cause, salt, data, digest, hash)
     VALUES (?, ?, 0, ?, ?, ?, ?, NULL, ?, ?, ?, ?)`,
    ...[seq, header.id, stream, header.rev, header.at, header.actor, salt, data, header.digest, hash],
  );
  eraseEntries(database, erase, seq);
  database.run('UPDATE journal_head SET seq = ?, hash = ? WHERE one = 1', seq, hash);
}

/** Every row of every projection, and the statements that made the tables. */
export function dumpTables(database: Database): Record<string, unknown> {
  const names = new Projector(PROJECTIONS).tableNames(database);
  const rows = names.map((name) => [
    name,
    database.all(`SELECT rowid AS rowid_, * FROM "${name}" ORDER BY rowid`).map((row) => ({ ...row })),
  ]);
  const schema = database
    .all<{ sql: string }>(
      `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT GLOB 'journal_*' ORDER BY name`,
    )
    .map((row) => row.sql);
  return { ...Object.fromEntries(rows), schema };
}

/** All that a rejected commit must leave as it was. */
export function stateOf(journal: Journal): unknown {
  return { head: journal.head(), tables: dumpTables(journal.database) };
}

export async function until(
  condition: () => boolean | Promise<boolean>,
  milliseconds = 60_000,
): Promise<void> {
  const deadline = performance.now() + milliseconds;
  while (!(await condition()) && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 5));
}
