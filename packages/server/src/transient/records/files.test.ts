import { chmodSync, unlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { type Answer, noticesOf, withFiles } from '../fixture.suite.ts';
import { csv, jsonl, line, notices, refused, search } from './files.suite.ts';

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
    // Less is shown in fewer records a page, each of them cut.
    const { records, pagination } = await search(reader, { per_page: 20 });
    expect(records).toHaveLength(pagination.per_page);
    expect(JSON.stringify(records).length).toBeLessThan(40_000);
  });
});
