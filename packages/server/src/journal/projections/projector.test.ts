import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../kernel/sqlite.ts';
import type { Entry, JournalEvent } from '../journal.ts';
import { raised, someone } from '../journal-fixture.suite.ts';
import { type Projection, Projector } from './projector.ts';

let database: Database;
beforeEach(async () => {
  database = await openDatabase(':memory:');
});
afterEach(() => database.close());

const entryOf = (...events: Entry['events']): Entry => ({
  seq: 7,
  id: 'id' as Entry['id'],
  stream: 's',
  rev: 1,
  at: 0,
  actor: someone,
  cause: null,
  events,
  erased: false,
});

test('each projection gets its events, in order and with their place', () => {
  const calls: string[] = [];
  const hearing = (name: string): Projection => ({
    name,
    version: 1,
    tables: '',
    on: {
      'counter.raised': (_, data, { entry, index }) =>
        calls.push(`${name} ${data.name} ${entry.seq}/${index}`),
    },
  });
  const projector = new Projector([hearing('one'), hearing('two')]);
  projector.apply(database, entryOf(raised('a'), { type: 'event.unheard', data: {} }, raised('b')));
  expect(calls).toEqual(['one a 7/0', 'two a 7/0', 'one b 7/2', 'two b 7/2']);
});

test('an event type named like a property of every object finds no handler', () => {
  const projector = new Projector([{ name: 'one', version: 1, tables: '', on: {} }]);
  const strange = ['constructor', '__proto__'].map((type) => ({ type, data: {} }) as unknown as JournalEvent);
  expect(() => projector.apply(database, entryOf(...strange))).not.toThrow();
});

test('dropping leaves the journal and caches, and takes all else, whatever its name resembles', () => {
  const projector = new Projector([
    {
      name: 'one',
      version: 1,
      tables: `CREATE TABLE journals (a); CREATE TABLE cached_items (a); CREATE TABLE sqliteish (a);
        CREATE VIRTUAL TABLE note USING fts5 (body); CREATE TABLE note_archive (a); CREATE INDEX by_a ON journals (a);`,
      on: {},
    },
  ]);
  database.exec('CREATE TABLE journal_entry (a); CREATE TABLE cache_rows (a)');
  projector.createTables(database);
  expect(projector.tableNames(database)).toEqual([
    'cached_items',
    'journals',
    'note',
    'note_archive',
    'sqliteish',
  ]);
  projector.dropTables(database);
  const left = database.all<{ name: string }>('SELECT name FROM sqlite_schema ORDER BY name');
  expect(left.map((row) => row.name)).toEqual(['cache_rows', 'journal_entry']);
  expect(() => projector.createTables(database)).not.toThrow();
});
