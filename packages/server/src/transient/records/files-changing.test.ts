import { appendFileSync, existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callTool } from '../../mcp/tools/call.ts';
import { callOf } from '../../testing/fixtures.suite.ts';
import { noticesOf, type Reader, withFiles } from '../fixture.suite.ts';
import { csv, jsonl, line, notices, refused, search } from './files.suite.ts';

describe('files that change', () => {
  test('new lines are read without the old ones, and found', async () => {
    const { reader, path } = await withFiles({ 'a.jsonl': line({ id: 1 }) }, jsonl());
    await search(reader);
    for (let id = 2; id <= 5; id++) {
      appendFileSync(path('a.jsonl'), line({ id, late: `v${id}` }));
      const { records, pagination } = await search(reader, { filters: { id } });
      expect(records).toEqual([{ id, late: `v${id}` }]);
      expect(pagination.total).toBe(1);
      expect((await search(reader)).pagination.total).toBe(id);
    }
    expect((await search(reader, { filters: { late: 'v4' } })).records).toHaveLength(1);
  });

  test('a line that is still being written is left out, told, and read when it is whole', async () => {
    const { reader, path } = await withFiles({ 'a.jsonl': `${line({ id: 1 })}{"id": 2, "na` }, jsonl());
    expect((await search(reader)).records).toHaveLength(1);
    expect(await notices(reader)).toEqual([expect.stringContaining('last line is not finished')]);
    appendFileSync(path('a.jsonl'), 'me": "x"}\n{"id": 3}');
    expect((await search(reader)).records).toEqual([{ id: 1 }, { id: 2, name: 'x' }, { id: 3 }]);
    appendFileSync(path('a.jsonl'), '\n{"id": 4}\n');
    expect((await search(reader)).records.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(await notices(reader)).toEqual([]);
  });

  test('a CSV cell that grows is not taken for whole for ever', async () => {
    const { reader, path } = await withFiles({ 'a.csv': 'id,name\n1,Al' }, csv());
    expect((await search(reader)).records).toEqual([{ id: 1, name: 'Al' }]);
    appendFileSync(path('a.csv'), 'ice\n2,Bob\n');
    expect((await search(reader)).records).toEqual([
      { id: 1, name: 'Alice' },
      { id: 2, name: 'Bob' },
    ]);
  });

  test('a CSV column stops being numbers when a text is added to it', async () => {
    const { reader, path } = await withFiles({ 'a.csv': 'id,zip\n1,12345\n' }, csv());
    expect((await search(reader)).records).toEqual([{ id: 1, zip: 12345 }]);
    appendFileSync(path('a.csv'), '2,01234\n');
    expect((await search(reader)).records).toEqual([
      { id: 1, zip: '12345' },
      { id: 2, zip: '01234' },
    ]);
    expect((await search(reader, { filters: { zip: '12345' } })).records).toHaveLength(1);
  });

  test('one that was rewritten is read anew, also with the same size', async () => {
    const { reader, path } = await withFiles({ 'a.jsonl': `${line({ id: 1 })}${line({ id: 2 })}` }, jsonl());
    await search(reader);
    writeFileSync(path('a.jsonl'), `${line({ id: 1 })}${line({ id: 7 })}`);
    utimesSync(path('a.jsonl'), new Date(), new Date(Date.now() + 5000));
    expect((await search(reader)).records.map(({ id }) => id)).toEqual([1, 7]);
    writeFileSync(path('a.jsonl'), line({ id: 9 }));
    expect((await search(reader)).records).toEqual([{ id: 9 }]);
  });

  test('a changed header changes the columns', async () => {
    const { reader, path } = await withFiles({ 'a.csv': 'id,name\n1,x\n' }, csv());
    await search(reader, { filters: { name: 'x' } });
    writeFileSync(path('a.csv'), 'id,title,year\n1,x,2020\n2,y,2021\n');
    expect((await refused(reader, { filters: { name: 'x' } })).error).toMatch(
      /Unknown filter "name".*id, title, year/,
    );
    expect((await search(reader, { filters: { year: 2021 } })).records).toEqual([
      { id: 2, title: 'y', year: 2021 },
    ]);
  });

  test('while somebody writes all the time, every answer is a beginning of the file', async () => {
    const { reader, path } = await withFiles({ 'a.jsonl': '' }, jsonl());
    let written = 0;
    const writing = (async () => {
      for (; written < 3000; written++) {
        const text = line({ id: written, text: 'x'.repeat(200) });
        appendFileSync(path('a.jsonl'), text.slice(0, 50));
        if (written % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
        appendFileSync(path('a.jsonl'), text.slice(50));
      }
    })();
    let last = 0;
    while (written < 3000) {
      const { records, pagination } = await search(reader, { sort: '-id', per_page: 1 });
      expect(pagination.total).toBeGreaterThanOrEqual(last);
      last = pagination.total!;
      if (last > 0) expect(records[0]).toMatchObject({ id: last - 1 });
    }
    await writing;
    expect((await search(reader)).pagination.total).toBe(3000);
  });

  test('old indexes do not pile up, and a lost one is made again', async () => {
    const { reader, path, folder, services } = await withFiles({ 'a.jsonl': line({ id: 0 }) }, jsonl());
    for (let id = 1; id <= 3; id++) {
      writeFileSync(path('a.jsonl'), line({ id, pad: 'x'.repeat(id) }));
      await search(reader);
    }
    const databases = () =>
      readdirSync(join(folder, 'records')).filter((name) => /^thing-.*\.db$/.test(name));
    expect(databases()).toHaveLength(1);
    expect(existsSync(join(folder, 'records', databases()[0]!))).toBe(true);
    rmSync(join(folder, 'records'), { recursive: true });
    writeFileSync(path('a.jsonl'), line({ id: 4 }));
    expect((await search(reader)).records).toEqual([{ id: 4 }]);
    for (const spoil of [
      (file: string) => rmSync(file),
      (file: string) => writeFileSync(file, 'x'.repeat(8192)),
    ]) {
      for (const name of readdirSync(join(folder, 'records'))) {
        if (/^thing-.*\.db/.test(name)) spoil(join(folder, 'records', name));
      }
      await services.records.forgetConnections();
      expect((await search(reader)).records).toEqual([{ id: 4 }]);
    }
  });
});

describe('a file that takes long to index', () => {
  const large = Array.from({ length: 40_000 }, (_, id) => line({ id, text: `text ${id}` })).join('');
  const impatient = async (more: Record<string, unknown> = {}) => {
    const { limits } = (await withFiles({}, jsonl())).services.config;
    return withFiles({ 'a.jsonl': large }, jsonl(), { limits: { ...limits, indexWait: 1, ...more } });
  };
  const untilReady = async (reader: Reader) => {
    for (;;) {
      const result = await reader.result('search_records', { model: 'thing' });
      if (!result.isError && noticesOf(result).length === 0) return result;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  test('is answered with an error that says to try again, and is there then', async () => {
    const { reader } = await impatient();
    const refusal = await refused(reader);
    expect(refusal).toMatchObject({ code: 'source_indexing', retryable: true, retryAfter: 10 });
    expect(refusal.error).toMatch(/"thing" is being indexed.*; try again/);
    const listed = await reader.call<{ models: { state: string }[] }>('search_records');
    expect(listed.models[0]!.state).toMatch(/^indexing/);
    expect((await untilReady(reader)).structuredContent.pagination).toMatchObject({ total: 40_000 });
  });

  test('is answered from its old index meanwhile, and that is told', async () => {
    const { reader, path } = await impatient();
    await untilReady(reader);
    writeFileSync(path('a.jsonl'), `${line({ id: 'new' })}${large}`);
    const result = await reader.result('search_records', { model: 'thing', sort: 'id', per_page: 1 });
    expect(result.structuredContent.pagination).toMatchObject({ total: 40_000 });
    expect(noticesOf(result)[0]).toMatch(
      /^thing has changed and is being indexed; these are its records of 20/,
    );
    expect((await untilReady(reader)).structuredContent.pagination).toMatchObject({ total: 40_001 });
  });

  test('tells how far it is to those who want to know', async () => {
    const { services } = await withFiles({ 'a.jsonl': large }, jsonl());
    const told: [number, number, string | undefined][] = [];
    const progress = (done: number, total: number, message?: string) => told.push([done, total, message]);
    const call = callOf('search_records', { model: 'thing' }, { progress });
    await callTool(services, call);
    expect(told.length).toBeGreaterThan(0);
    expect(told.at(-1)).toEqual([large.length, large.length, 'indexing thing']);
    expect(told.map(([done]) => done)).toEqual(told.map(([done]) => done).sort((a, b) => a - b));
  });

  test('many callers at once index it once', async () => {
    const { reader } = await withFiles({ 'a.jsonl': large }, jsonl());
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, page) => search(reader, { page: page + 1 })),
    );
    expect(new Set(results.map(({ pagination }) => pagination.total))).toEqual(new Set([40_000]));
  });
});
