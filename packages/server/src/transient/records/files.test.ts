import {
  appendFileSync,
  chmodSync,
  existsSync,
  readdirSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { type Answer, noticesOf, type Reader, withFiles } from '../fixture.suite.ts';

const jsonl =
  (file = 'a.jsonl', more: Record<string, unknown> = {}) =>
  (path: (name: string) => string) => ({
    thing: { type: 'jsonl', path: path(file), ...more },
  });
const csv =
  (more: Record<string, unknown> = {}) =>
  (path: (name: string) => string) => ({
    thing: { type: 'csv', path: path('a.csv'), ...more },
  });
const search = (reader: Reader, input: Record<string, unknown> = {}) =>
  reader.call('search_records', { model: 'thing', ...input });
const refused = (reader: Reader, input: Record<string, unknown> = {}) =>
  reader.refusal('search_records', { model: 'thing', ...input });
const notices = async (reader: Reader) =>
  noticesOf(await reader.result('search_records', { model: 'thing' }));
const line = (record: unknown) => `${JSON.stringify(record)}\n`;

describe('kinds of files', () => {
  test('CSV: types are found, empty cells are no values, quotes and line ends are kept', async () => {
    verifies('TCP-10');
    const text =
      '\uFEFFid;name;zip;paid;note\r\n1;"Ann; B.";01234;true;"two\nlines"\r\n2;Ben;12345;false;\r\n';
    const { reader } = await withFiles({ 'a.csv': text }, csv());
    const { records } = await search(reader);
    expect(records).toEqual([
      { id: 1, name: 'Ann; B.', zip: '01234', paid: true, note: 'two\nlines' },
      { id: 2, name: 'Ben', zip: '12345', paid: false, note: null },
    ]);
    for (const [filters, id] of [
      [{ zip: '12345' }, 2],
      [{ zip: 12345 }, 2],
      [{ paid: true }, 1],
      [{ note: null }, 2],
      [{ id: { gt: 1 } }, 2],
    ] as const) {
      expect(
        (await search(reader, { filters })).records.map((record) => record.id),
        JSON.stringify(filters),
      ).toEqual([id]);
    }
  });

  test('CSV: declared types hold', async () => {
    const columns = { code: 'text', amount: 'number' };
    const { reader } = await withFiles(
      { 'a.csv': 'code,amount\n7,1e3\n8,2\n' },
      csv({ id: 'code', columns }),
    );
    const { records } = await search(reader, { filters: { amount: { gte: 1000 } } });
    expect(records).toEqual([{ code: '7', amount: 1000 }]);
  });

  test('JSON: a list, or the list in an object', async () => {
    verifies('TCP-10');
    const list = [{ id: 1, deep: { a: [1, { b: 'x]}' }] } }, { id: 2 }];
    const { reader } = await withFiles(
      { 'a.json': JSON.stringify(list, null, 2), 'b.json': JSON.stringify({ count: 2, items: list }) },
      (path) => ({ a: { type: 'json', path: path('a.json') }, b: { type: 'json', path: path('b.json') } }),
    );
    for (const model of ['a', 'b']) expect((await reader.search({ model })).records).toEqual(list);
    const deep = await reader.search({ model: 'a', filters: { deep: { contains: 'X]}' } } });
    expect(deep.records).toHaveLength(1);
  });

  test('JSONL: records of different shapes, large ids, values of different types in one column', async () => {
    const lines = `${line({ id: 1, a: 'x' })}{"id": 12345678901234567890, "b": [1], "a": 5}\n${line({ id: 3, a: '5', c: null })}`;
    const { reader } = await withFiles({ 'a.jsonl': lines }, jsonl());
    const { records, schema } = await search(reader);
    expect(schema.columns).toEqual(['id', 'a', 'b', 'c']);
    expect(records).toEqual([
      { id: 1, a: 'x' },
      { id: '12345678901234567890', b: [1], a: 5 },
      { id: 3, a: '5', c: null },
    ]);
    const five = await search(reader, { filters: { a: 5 } });
    expect(five.records.map(({ id }) => id)).toEqual(['12345678901234567890', 3]);
    const found = await reader.call('find_records', { model: 'thing', record_id: '12345678901234567890' });
    expect(found.records).toHaveLength(1);
  });

  test('names that mean something to JavaScript or SQL are names like others', async () => {
    const odd = [
      '__proto__',
      'constructor',
      'select',
      'a"b',
      "a'b",
      'a.b',
      'ordinal',
      'é; DROP TABLE record',
    ];
    const json = `{${odd.map((name, index) => `${JSON.stringify(name)}:${index}`).join(',')}}\n`;
    const { reader } = await withFiles({ 'a.jsonl': json }, jsonl());
    for (const [index, name] of odd.entries()) {
      const filters = JSON.parse(`{${JSON.stringify(name)}: ${index}}`) as Record<string, unknown>;
      expect((await search(reader, { filters, sort: name, fields: [name] })).records, name).toHaveLength(1);
      const other = JSON.parse(`{${JSON.stringify(name)}: 99}`) as Record<string, unknown>;
      expect((await search(reader, { filters: other })).records, name).toHaveLength(0);
    }
  });

  test('columns can be chosen and hidden', async () => {
    const { reader } = await withFiles(
      { 'a.jsonl': line({ id: 1, name: 'x', salary: 5, age: 7 }) },
      (path) => ({
        hidden: { type: 'jsonl', path: path('a.jsonl'), hide: ['salary'] },
        chosen: { type: 'jsonl', path: path('a.jsonl'), columns: ['name'] },
      }),
    );
    expect((await reader.search({ model: 'hidden' })).records).toEqual([{ id: 1, name: 'x', age: 7 }]);
    expect((await reader.search({ model: 'chosen' })).records).toEqual([{ id: 1, name: 'x' }]);
    const refusal = await reader.refusal('search_records', { model: 'hidden', filters: { salary: 5 } });
    expect(refusal.error).toMatch(/Unknown filter "salary".*Valid columns: id, name, age$/);
  });
});

describe('bad files', () => {
  test('missing, then there; then gone again', async () => {
    const { reader, path } = await withFiles({}, jsonl());
    const refusal = await refused(reader);
    expect(refusal).toMatchObject({ code: 'source_unavailable', retryable: true });
    expect(refusal.error).toContain('there is no such file');
    writeFileSync(path('a.jsonl'), line({ id: 1 }));
    expect((await search(reader)).records).toEqual([{ id: 1 }]);
    unlinkSync(path('a.jsonl'));
    expect(await refused(reader)).toMatchObject({ code: 'source_unavailable' });
  });

  test.skipIf(process.getuid?.() === 0)('unreadable', async () => {
    const { reader, path } = await withFiles({ 'a.jsonl': line({ id: 1 }) }, jsonl());
    chmodSync(path('a.jsonl'), 0o000);
    expect(await refused(reader)).toMatchObject({
      code: 'source_unavailable',
      error: expect.stringContaining('may not be read'),
    });
  });

  test('a folder, other bytes, another encoding', async () => {
    const { reader } = await withFiles({ 'a.jsonl': '{"id":1}\n\u0000\u0001' }, (path) => ({
      folder: { type: 'jsonl', path: path('.') },
      bytes: { type: 'jsonl', path: path('a.jsonl') },
    }));
    const error = async (model: string) => (await reader.refusal('search_records', { model })).error;
    expect(await error('folder')).toContain('is not a file');
    expect(await error('bytes')).toContain('it is not a text file');
    const wide = await withFiles({ 'a.csv': '' }, csv());
    writeFileSync(wide.path('a.csv'), Buffer.from('\uFEFFid,name\n1,x\n', 'utf16le'));
    expect((await refused(wide.reader)).error).toContain('UTF-16');
  });

  test('a bad line is left out and told with its number', async () => {
    const text = `${line({ id: 1 })}{"id": 2,\n${line({ id: 3 })}nonsense\n${line({ id: 5 })}`;
    const { reader } = await withFiles({ 'a.jsonl': text }, jsonl());
    expect((await search(reader)).records.map(({ id }) => id)).toEqual([1, 3, 5]);
    expect(await notices(reader)).toEqual([
      expect.stringMatching(/^thing: line 2 is not JSON .*and 1 more could not be read; left out$/),
    ]);
  });

  test('with "strict" a bad line is an error', async () => {
    const { reader } = await withFiles(
      { 'a.jsonl': `${line({ id: 1 })}nonsense\n` },
      jsonl('a.jsonl', { strict: true }),
    );
    expect(await refused(reader)).toMatchObject({
      code: 'source_invalid',
      error: expect.stringContaining('line 2 is not JSON'),
    });
  });

  test('nothing but bad lines is an error', async () => {
    const { reader, path } = await withFiles({ 'a.jsonl': 'a\nb\n' }, jsonl());
    expect(await refused(reader)).toMatchObject({
      code: 'source_invalid',
      error: expect.stringContaining('line 1: is not JSON'),
    });
    writeFileSync(path('a.jsonl'), line({ id: 1 }));
    expect((await search(reader)).records).toHaveLength(1);
  });

  test('CSV: too few or too many values, text after a quote', async () => {
    const { reader } = await withFiles({ 'a.csv': 'id,a\n1,x\n2\n3,y,z\n"4"q,y\n5,z\n' }, csv());
    expect((await search(reader)).records.map(({ id }) => id)).toEqual([1, 5]);
    expect(await notices(reader)).toEqual([
      'thing: line 3 has 1 values where the header has 2 and 2 more could not be read; left out',
    ]);
  });

  test('JSON: a mistake is told with its line', async () => {
    const { reader } = await withFiles(
      { 'a.json': '[\n{"id": 1},\n{"id": }\n]', 'b.json': '[{"id": 1}' },
      (path) => ({
        a: { type: 'json', path: path('a.json') },
        b: { type: 'json', path: path('b.json') },
      }),
    );
    const a = await reader.result('search_records', { model: 'a' });
    expect((a.structuredContent as unknown as Answer).records).toEqual([{ id: 1 }]);
    expect(noticesOf(a)[0]).toContain('line 3 is not JSON');
    expect((await reader.refusal('search_records', { model: 'b' })).error).toContain(
      'line 1: the list is not closed',
    );
  });

  test('an empty file has no records; an empty CSV has no header', async () => {
    const { reader } = await withFiles({ 'a.jsonl': '', 'a.csv': '', 'b.csv': 'id,name\n' }, (path) => ({
      a: { type: 'jsonl', path: path('a.jsonl'), id: 'id' },
      b: { type: 'csv', path: path('a.csv') },
      c: { type: 'csv', path: path('b.csv'), id: 'id' },
    }));
    expect((await reader.search({ model: 'a' })).pagination).toMatchObject({ total: 0, total_pages: 1 });
    expect((await reader.refusal('search_records', { model: 'b' })).error).toContain('no header');
    expect((await reader.search({ model: 'c' })).schema.columns).toEqual(['id', 'name']);
  });

  test('a configured column that is not there is named', async () => {
    const { reader } = await withFiles({ 'a.csv': 'key,name\n1,x\n' }, csv({ id: 'id' }));
    expect((await refused(reader)).error).toMatch(/names the column "id", but .* has key, name/);
  });

  test('a page that would be too much is refused with the way out', async () => {
    const large = Array.from({ length: 60 }, (_, id) => line({ id, text: 'x'.repeat(100_000) })).join('');
    const { reader } = await withFiles({ 'a.jsonl': large }, jsonl());
    const refusal = await refused(reader);
    expect(refusal).toMatchObject({ code: 'too_large', error: expect.stringContaining('smaller per_page') });
    expect((await search(reader, { per_page: 20 })).records).toHaveLength(20);
  });
});

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
