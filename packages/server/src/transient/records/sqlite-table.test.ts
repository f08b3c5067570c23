import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { openDatabase } from '../../kernel/sqlite.ts';
import { temporaryFolder } from '../../testing/fixtures.suite.ts';
import { contextOf, startServer } from '../fixture.suite.ts';

async function withTable(sql: string, more: Record<string, unknown> = {}) {
  const path = join(temporaryFolder(), 'shop.db');
  const database = await openDatabase(path);
  database.exec(sql);
  const source = { type: 'sqlite', path, table: 'orders', ...more };
  return { ...(await startServer({ sources: { order: source } })), database, path };
}

const ORDERS = `
  CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, total REAL, paid BOOLEAN, blob BLOB, "odd ""name" TEXT);
  INSERT INTO orders VALUES (1, 'Ann', 9.5, 1, x'00ff', 'a'), (2, 'Ben', 20, 0, NULL, 'b'), (3, NULL, 30, 1, NULL, NULL);
  INSERT INTO orders VALUES (9007199254740993, 'Large', 1, 1, NULL, NULL);`;

describe('a SQLite table', () => {
  test('can be searched, sorted, paged and looked up', async () => {
    verifies('TCP-10');
    const { reader } = await withTable(ORDERS);
    const search = (input: Record<string, unknown>) => reader.search({ model: 'order', ...input });
    expect(
      (await search({ filters: { paid: true, total: { lt: 30 } }, fields: ['customer', 'paid'] })).records,
    ).toEqual([
      { id: 1, customer: 'Ann', paid: true },
      { id: '9007199254740993', customer: 'Large', paid: true },
    ]);
    expect((await search({ sort: '-total', per_page: 2 })).records.map(({ id }) => id)).toEqual([3, 2]);
    expect((await search({ filters: { 'odd "name': 'b' } })).records).toHaveLength(1);
    expect((await search({ filters: { customer: null } })).records.map(({ id }) => id)).toEqual([3]);
    expect((await reader.call('find_records', { model: 'order', record_id: 1 })).records[0]).toMatchObject({
      blob: 'AP8=',
    });
    expect((await search({})).pagination).toMatchObject({ total: 4, total_pages: 1 });
  });

  test('is not changed by anything a caller writes', async () => {
    const { reader, database } = await withTable(ORDERS);
    for (const value of [`'; DELETE FROM orders; --`, '" OR "1"="1', '1); DROP TABLE orders']) {
      expect((await reader.search({ model: 'order', filters: { customer: value } })).records).toEqual([]);
      expect((await reader.refusal('search_records', { model: 'order', filters: { [value]: 1 } })).code).toBe(
        'invalid_arguments',
      );
      expect((await reader.refusal('search_records', { model: 'order', sort: value })).code).toBe(
        'invalid_arguments',
      );
    }
    expect(database.get('SELECT count(*) AS count FROM orders')).toMatchObject({ count: 4 });
  });

  test('shows what others write to it', async () => {
    const { reader, database } = await withTable('CREATE TABLE orders (id INTEGER PRIMARY KEY)');
    for (let id = 1; id <= 5; id++) {
      database.run('INSERT INTO orders VALUES (?)', id);
      expect((await reader.search({ model: 'order' })).records).toHaveLength(id);
    }
    const result = await reader.result('search_records', { model: 'order' });
    expect(contextOf(result)?.summary).toBe('5 order records (page 1/1, IDs: 1, 2, 3…)');
  });

  test('a view, or a table without ids, works too', async () => {
    const { reader } = await withTable(
      `CREATE TABLE t (name TEXT); INSERT INTO t VALUES ('b'), ('a'); CREATE VIEW orders AS SELECT name FROM t`,
    );
    expect((await reader.search({ model: 'order', sort: 'name' })).records).toEqual([
      { name: 'a' },
      { name: 'b' },
    ]);
  });

  test('what is wrong with it is told', async () => {
    const missing = await startServer({
      sources: { order: { type: 'sqlite', path: '/nowhere/x.db', table: 'orders' } },
    });
    const error = async ({ reader }: typeof missing) => reader.refusal('search_records', { model: 'order' });
    expect(await error(missing)).toMatchObject({ code: 'source_unavailable', retryable: true });
    expect(await error(await withTable('CREATE TABLE other (id)'))).toMatchObject({
      code: 'source_invalid',
      error: expect.stringContaining('has no table "orders"'),
    });
    expect(await error(await withTable(ORDERS, { id: 'key' }))).toMatchObject({
      error: expect.stringMatching(/names the column "key"; the table has id, customer/),
    });
    const path = join(temporaryFolder(), 'not.db');
    writeFileSync(path, 'this is a text, and quite a long one at that: '.repeat(50));
    const text = await startServer({ sources: { order: { type: 'sqlite', path, table: 'orders' } } });
    expect(await error(text)).toMatchObject({
      code: 'source_invalid',
      error: expect.stringContaining('not a SQLite database'),
    });
  });
});
