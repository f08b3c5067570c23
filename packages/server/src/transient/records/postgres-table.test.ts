import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { ACTIVITIES, contextOf, noticesOf, startServer } from '../fixture.suite.ts';
import { findPostgres, startPostgres, type TestPostgres } from './postgres.suite.ts';

const programs = findPostgres();

describe.skipIf(programs === undefined)('a PostgreSQL table', () => {
  let postgres: TestPostgres;

  beforeAll(async () => {
    postgres = await startPostgres(programs!);
    postgres.run(`
      CREATE TYPE mood AS ENUM ('calm', 'cross');
      CREATE TABLE orders (id bigint PRIMARY KEY, customer text, total numeric(20, 2), paid boolean, tags text[],
        data jsonb, at timestamptz, key uuid, mood mood, "odd ""name" int, ratio float8);
      INSERT INTO orders VALUES
        (1, 'Ann', 9.50, true, '{a,b}', '{"x": [1]}', '2026-01-05 09:00:00.123456+00', '6f1b4f5e-0000-4000-8000-000000000001', 'calm', 1, 0.1),
        (2, 'Ben''s "shop"', 20, false, NULL, NULL, '2026-01-06 09:00:00+00', NULL, 'cross', 2, 'NaN'),
        (9007199254740993, NULL, 12345678901234567.89, NULL, '{}', 'null', NULL, NULL, NULL, NULL, NULL);
      CREATE SCHEMA shop;
      CREATE TABLE shop.many AS SELECT i AS id, 'name ' || i AS name, i % 10 AS digit FROM generate_series(1, 1000) i;
      ALTER TABLE shop.many ADD PRIMARY KEY (id);`);
  }, 400_000);
  afterAll(() => postgres?.remove());

  const source = (more: Record<string, unknown> = {}) => ({
    type: 'postgres',
    url: postgres.url,
    table: 'orders',
    ...more,
  });
  const start = (more: Record<string, unknown> = {}) => startServer({ sources: { order: source(more) } });

  test('gives its values without losing any', async () => {
    verifies('TCP-10');
    const { reader } = await start();
    const { records, pagination } = await reader.search({ model: 'order' });
    expect(pagination).toMatchObject({ total: 3, total_pages: 1 });
    expect(records[0]).toEqual({
      id: 1,
      customer: 'Ann',
      total: 9.5,
      paid: true,
      tags: ['a', 'b'],
      data: { x: [1] },
      at: expect.stringMatching(/^2026-01-05 .*\.123456/),
      key: '6f1b4f5e-0000-4000-8000-000000000001',
      mood: 'calm',
      'odd "name': 1,
      ratio: 0.1,
    });
    expect(records[2]).toMatchObject({ id: '9007199254740993', total: '12345678901234567.89' });
  });

  test.each([
    [{ customer: 'Ann' }, [1]],
    [{ customer: { ne: 'Ann' } }, [2, '9007199254740993']],
    [{ customer: { contains: `BEN'S "` } }, [2]],
    [{ total: { between: [9, 20] } }, [1, 2]],
    [{ total: '9.5' }, [1]],
    [{ id: { in: [1, '2', 77] } }, [1, 2]],
    [{ id: { in: [] } }, []],
    [{ paid: false }, [2]],
    [{ at: { gte: '2026-01-06' } }, [2]],
    [{ key: '6f1b4f5e-0000-4000-8000-000000000001' }, [1]],
    [{ mood: 'cross' }, [2]],
    [{ mood: ['cross', 'calm'] }, [1, 2]],
    [{ tags: { contains: 'b' } }, [1]],
    [{ customer: null }, ['9007199254740993']],
    [{ at: { is_null: false }, paid: true }, [1]],
    [{ 'odd "name': 2 }, [2]],
  ])('filters %j', async (filters, ids) => {
    verifies('TCP-10');
    const { reader } = await start();
    const { records } = await reader.search({ model: 'order', filters });
    expect(records.map(({ id }) => id)).toEqual(ids);
  });

  test('sorts, pages, chooses fields, looks up; in any schema', async () => {
    const { reader } = await start({ table: 'shop.many' });
    const page = await reader.search({
      model: 'order',
      filters: { digit: 3 },
      sort: '-id',
      page: 2,
      per_page: 15,
      fields: ['name'],
    });
    expect(page.records.slice(0, 2)).toEqual([
      { id: 843, name: 'name 843' },
      { id: 833, name: 'name 833' },
    ]);
    expect(page.pagination).toEqual({ page: 2, per_page: 15, total: 100, total_pages: 7 });
    const result = await reader.result('search_records', { model: 'order', per_page: 15 });
    expect(contextOf(result)?.summary).toBe('15 order records (page 1/67, IDs: 1, 2, 3…)');
    expect((await reader.call('find_records', { model: 'order', record_id: '500' })).records).toHaveLength(1);
    const found = await reader.call('find_records', { model: 'order', per_page: 10, page: 100 });
    expect(found.pagination).toEqual({ page: 100, per_page: 10, has_more: false });
  });

  test('nothing that a caller writes is SQL, and nothing can be written', async () => {
    const { reader } = await start();
    for (const value of [`'; DROP TABLE orders; --`, '$1', '" OR 1=1', '\\', `E'\\x'`]) {
      expect(
        (await reader.search({ model: 'order', filters: { customer: { eq: value, contains: value } } }))
          .records,
      ).toEqual([]);
      for (const input of [{ filters: { [value]: 1 } }, { sort: value }, { fields: [value] }]) {
        expect(await reader.refusal('search_records', { model: 'order', ...input })).toMatchObject({
          code: 'invalid_arguments',
        });
      }
    }
    expect((await reader.search({ model: 'order' })).records).toHaveLength(3);
  });

  test('a value that does not fit its column is the caller’s mistake', async () => {
    const { reader } = await start();
    for (const filters of [
      { key: 'no uuid' },
      { at: 'yesterday-ish' },
      { mood: 'glad' },
      { customer: 'a\u0000b' },
    ]) {
      const refusal = await reader.refusal('search_records', { model: 'order', filters });
      expect(refusal, JSON.stringify(filters)).toMatchObject({ code: 'invalid_arguments', retryable: false });
    }
    expect(await reader.refusal('find_records', { model: 'order', record_id: 'abc' })).toMatchObject({
      code: 'not_found',
    });
  });

  test('a table or column that is not there is the operator’s', async () => {
    expect(
      await (await start({ table: 'nowhere' })).reader.refusal('search_records', { model: 'order' }),
    ).toMatchObject({
      code: 'source_invalid',
      error: expect.stringContaining('"nowhere"'),
    });
    expect(
      (await (await start({ id: 'key2' })).reader.refusal('search_records', { model: 'order' })).error,
    ).toContain('"key2"');
    const table = 'x"; DROP TABLE orders; --';
    expect(await (await start({ table })).reader.refusal('search_records', { model: 'order' })).toMatchObject(
      { code: 'source_invalid' },
    );
  });

  test('a count that takes too long leaves the page without a total', async () => {
    postgres.run('CREATE VIEW slow AS SELECT id FROM shop.many WHERE pg_sleep(0.02)::text IS NOT NULL');
    const { limits } = (await start()).services.config;
    const { reader } = await startServer({
      sources: { order: source({ table: 'slow' }) },
      limits: { ...limits, sourceWait: 600 },
    });
    const result = await reader.result('search_records', { model: 'order', per_page: 5 });
    expect(result.structuredContent.pagination).toEqual({ page: 1, per_page: 5 });
    expect(noticesOf(result)).toEqual(['order: counting took too long; the total is not known']);
    expect(contextOf(result)?.summary).toBe('5 order records (page 1, IDs: 1, 2, 3…)');
    expect(await reader.refusal('search_records', { model: 'order', per_page: 100 })).toMatchObject({
      code: 'source_timeout',
      retryable: true,
    });
  });

  test('while it is down, its calls can be retried and the other sources go on; then it is back', async () => {
    const { reader } = await startServer({
      sources: { order: source(), activity: { type: 'jsonl', path: ACTIVITIES } },
    });
    await reader.search({ model: 'order' });
    await postgres.stop();
    try {
      const refusal = await reader.refusal('search_records', { model: 'order' });
      expect(refusal).toMatchObject({ code: 'source_unavailable', retryable: true });
      expect(refusal.error).not.toContain('postgresql://');
      expect((await reader.search()).records).toHaveLength(50);
      const list = await reader.result('search_records');
      expect(list.structuredContent.models).toMatchObject([
        { model: 'order' },
        { model: 'activity', state: 'ready' },
      ]);
    } finally {
      await postgres.start();
    }
    expect((await reader.search({ model: 'order' })).records).toHaveLength(3);
  });
});

test('a database that nobody answers for is retryable, at once', async () => {
  const url = 'postgresql://user:hidden-word@127.0.0.1:1/none';
  const { reader } = await startServer({ sources: { order: { type: 'postgres', url, table: 't' } } });
  const refusal = await reader.refusal('search_records', { model: 'order' });
  expect(refusal).toMatchObject({ code: 'source_unavailable', retryable: true });
  expect(refusal.error).not.toContain('hidden-word');
  const list = await reader.result('search_records');
  expect(list.structuredContent.models).toMatchObject([{ model: 'order', state: 'unavailable' }]);
  expect(noticesOf(list).join()).not.toContain('hidden-word');
});
