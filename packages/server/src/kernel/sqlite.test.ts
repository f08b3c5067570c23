import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InfoldError } from './errors.ts';
import { type Database, isBusy, openDatabase, SQLITE, sqliteCode, storageError } from './sqlite.ts';

let folder: string;
let database: Database;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'infold-sqlite-'));
  database = await openDatabase(join(folder, 'a.db'));
  database.exec('CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT UNIQUE) STRICT');
});
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('It should have failed');
}

describe('a database', () => {
  test('runs, gets and lists, with statements prepared once', () => {
    expect(database.run('INSERT INTO item (name) VALUES (?), (?)', 'a', 'b')).toBe(2);
    expect(database.get('SELECT name FROM item WHERE name = ?', 'a')).toEqual({ name: 'a' });
    expect(database.get('SELECT name FROM item WHERE name = ?', 'none')).toBeUndefined();
    expect(database.all('SELECT name FROM item ORDER BY id')).toEqual([{ name: 'a' }, { name: 'b' }]);
    expect(database.sql('SELECT 1')).toBe(database.sql('SELECT 1'));
  });

  test('keeps a cursor open while others run', () => {
    const names: string[] = [];
    for (const row of database.iterate<{ name: string }>('SELECT name FROM item ORDER BY id')) {
      names.push(row.name);
      for (const inner of database.iterate('SELECT name FROM item ORDER BY id')) expect(inner).toBeDefined();
    }
    expect(names).toEqual(['a', 'b']);
  });

  test('an iteration survives the garbage collector, which must not take its statement', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    let seen = 0;
    const numbers =
      'WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 300) SELECT x FROM n';
    for (const { x } of database.iterate<{ x: number }>(numbers)) {
      seen += x;
      // A collection takes as long as the heap of all the files before this one is large.
      if (x % 100 === 0) collect();
    }
    expect(seen).toBe((300 * 301) / 2);
  });

  test('opened read-only refuses to write', async () => {
    const reader = await openDatabase(database.path, { readOnly: true });
    expect(reader.all('SELECT name FROM item')).toHaveLength(2);
    const error = thrownBy(() => reader.run("INSERT INTO item (name) VALUES ('c')"));
    expect(storageError(error, 'a.db')).toMatchObject({ code: 'storage_read_only' });
    reader.close();
  });

  test('closed in the middle of a transaction leaves no lock and no change', async () => {
    const other = await openDatabase(database.path);
    other.exec('BEGIN IMMEDIATE');
    const statement = other.sql("INSERT INTO item (name) VALUES ('lost')");
    statement.run();
    other.close();
    database.exec('BEGIN IMMEDIATE; ROLLBACK');
    expect(database.all("SELECT name FROM item WHERE name = 'lost'")).toEqual([]);
    expect(statement).toBeDefined();
  });

  test('waits for a lock only as long as it was told to', async () => {
    const other = await openDatabase(database.path, { blockingWait: 0 });
    database.exec('BEGIN IMMEDIATE');
    const error = thrownBy(() => other.exec('BEGIN IMMEDIATE'));
    database.exec('ROLLBACK');
    other.close();
    expect(isBusy(error)).toBe(true);
  });
});

describe('storageError', () => {
  const failing = (errcode: number) => Object.assign(new Error('from SQLite'), { errcode });

  test.each([
    ['busy', 'journal_busy', true],
    ['locked', 'journal_busy', true],
    ['full', 'disk_full', true],
    ['ioError', 'storage_failed', true],
    ['readOnly', 'storage_read_only', false],
    ['cannotOpen', 'storage_failed', false],
    ['notADatabase', 'storage_invalid', false],
    ['corrupt', 'storage_invalid', false],
  ] as const)('%s is %s, retryable: %s', (name, code, retryable) => {
    const cause = failing(SQLITE[name]);
    const error = storageError(cause, '/data/infold.db') as InfoldError;
    expect(InfoldError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ code, retryable, cause });
    if (code !== 'journal_busy') expect(error.message).toContain('/data/infold.db');
    // Extended codes carry the primary one in their low byte.
    expect(storageError(failing(SQLITE[name] | (7 << 8)), 'x')).toMatchObject({ code });
  });

  test('leaves all other errors as they are', () => {
    const constraint = thrownBy(() => database.run("INSERT INTO item (id, name) VALUES (1, 'z')"));
    expect(sqliteCode(constraint)).toBe(19);
    for (const error of [
      constraint,
      new Error('mine'),
      new InfoldError('conflict', 'x'),
      'text',
      null,
      undefined,
    ]) {
      expect(storageError(error, 'x')).toBe(error);
      expect(isBusy(error)).toBe(false);
    }
  });
});
