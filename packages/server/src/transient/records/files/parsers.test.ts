import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../testing/fixtures.suite.ts';
import { detectDelimiter, headerNames, splitCsv } from './csv.ts';
import { readElements } from './json-array.ts';
import { readLines } from './lines.ts';
import { isPlainNumber, withoutLargeNumbers } from './numbers.ts';
import { csvRows, type FileRow, jsonlRows, readHeader } from './rows.ts';

const folder = () => temporaryFolder();
const MOST = 1_000_000;

/** Calls `read` with a file that holds the text. */
function withFile<T>(place: string, text: string | Buffer, read: (file: number, size: number) => T): T {
  const path = join(place, 'file');
  writeFileSync(path, text);
  const file = openSync(path, 'r');
  try {
    return read(file, Buffer.byteLength(text));
  } finally {
    closeSync(file);
  }
}

describe('lines', () => {
  test('are those between line ends, with their places', () => {
    const place = folder();
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\n\r]/g, ''));
    fc.assert(
      fc.property(fc.array(line), fc.boolean(), (lines, ended) => {
        const text = lines.join('\n') + (ended && lines.length > 0 ? '\n' : '');
        const bytes = Buffer.from(text);
        const read = withFile(place, text, (file, to) => [
          ...readLines(file, { from: 0, to, firstLine: 1, mostBytes: MOST }),
        ]);
        const expected = text === '' ? [] : text.replace(/\n$/, '').split('\n');
        expect(read.map((one) => one.text)).toEqual(expected);
        for (const one of read) {
          const raw = bytes.subarray(one.start, one.end).toString();
          expect(raw).toBe(one.text + (one.terminated ? '\n' : ''));
        }
        expect(read.map(({ number }) => number)).toEqual(expected.map((_, index) => index + 1));
      }),
    );
  });

  test('that are too long are told and not held, and the next ones are read', () => {
    const text = `short\n${'x'.repeat(3_000_000)}\nafter\n`;
    const read = withFile(folder(), text, (file, to) => [
      ...readLines(file, { from: 0, to, firstLine: 1, mostBytes: 1000 }),
    ]);
    expect(read.map((line) => line.text)).toEqual(['short', undefined, 'after']);
  });

  test('across the borders of what is read at once', () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index} ${'é'.repeat(index % 50)}`);
    const read = withFile(folder(), lines.join('\r\n'), (file, to) => [
      ...readLines(file, { from: 0, to, firstLine: 1, mostBytes: MOST }),
    ]);
    expect(read.map((line) => line.text)).toEqual(lines);
  });
});

describe('CSV', () => {
  const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

  test('any cells come back from a line, quoted as needed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string(), { minLength: 1 }),
        fc.constantFrom(',', ';', '\t', '|'),
        (cells, delimiter) => {
          const line = cells.map(quote).join(delimiter);
          expect(splitCsv(line, delimiter)).toEqual({ cells });
        },
      ),
    );
  });

  test('a file of any cells, line ends in them too, comes back', () => {
    const place = folder();
    const cell = fc.oneof(fc.string(), fc.constantFrom('a\nb', 'x,y', '"', '\n\n', 'ends\n'));
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 1 }), (table) => {
        const lines = [['a', 'b', 'c'], ...table].map((cells) => cells.map(quote).join(','));
        const rows = withFile(place, `${lines.join('\n')}\n`, (file, to) => {
          const format = readHeader(file, to, undefined, MOST);
          expect(format.header).toEqual(['a', 'b', 'c']);
          return [
            ...csvRows(file, { from: format.offset, to, firstLine: format.line, mostBytes: MOST }, format),
          ];
        });
        expect(rows.map((row) => (row.kind === 'cells' ? row.cells : row))).toEqual(
          table.map((cells) => cells.map((text) => text.replaceAll('\r\n', '\n'))),
        );
      }),
    );
  });

  test.each([
    ['5" pipe,x', { cells: ['5" pipe', 'x'] }],
    ['"a"b,x', { problem: 'text follows a closing quote' }],
    ['"a', { open: { cells: [], lines: ['a'] } }],
    ['a,,', { cells: ['a', '', ''] }],
    ['""', { cells: [''] }],
    ['"",""""', { cells: ['', '"'] }],
  ])('%j', (line, expected) => {
    expect(splitCsv(line, ',')).toEqual(expected);
  });

  test('a stray quote costs its own line only', () => {
    const text = 'a,b\n1,x\n2,"open\n3,y\n4,z\n';
    const rows = withFile(folder(), text, (file, to) => {
      const format = readHeader(file, to, undefined, MOST);
      return [...csvRows(file, { from: format.offset, to, firstLine: format.line, mostBytes: MOST }, format)];
    });
    expect(rows).toMatchObject([
      { kind: 'cells', cells: ['1', 'x'] },
      { kind: 'problem', line: 3, problem: 'a quote is never closed' },
      { kind: 'cells', cells: ['3', 'y'] },
      { kind: 'cells', cells: ['4', 'z'] },
    ]);
  });

  test('a value over very many lines takes no longer than the lines by themselves', () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `say ""${index}""`);
    const text = `a,b\n1,"${lines.join('\n')}"\n`;
    const rows = withFile(folder(), text, (file, to) => {
      const format = readHeader(file, to, undefined, MOST);
      return [...csvRows(file, { from: format.offset, to, firstLine: format.line, mostBytes: MOST }, format)];
    });
    expect(rows).toMatchObject([
      { kind: 'cells', cells: ['1', lines.join('\n').replaceAll('""', '"')], nextLine: 20_002 },
    ]);
  });

  test('the header tells the delimiter, and each name is there once', () => {
    expect(detectDelimiter('a;b;c,d')).toBe(';');
    expect(detectDelimiter('"a;b;c",d')).toBe(',');
    expect(detectDelimiter('alone')).toBe(',');
    expect(headerNames(['a', ' a ', '', 'a', 'a_2'])).toEqual(['a', 'a_2', 'column_3', 'a_3', 'a_2_2']);
  });
});

describe('JSON lists', () => {
  const elements = (place: string, text: string) =>
    withFile(place, text, (file, to) =>
      [...readElements(file, to, MOST)].map((element) => JSON.parse(element.text!)),
    );

  test('are split into their elements, however they are written', () => {
    const place = folder();
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
        fc.constantFrom(undefined, 1, '\t'),
        (list, indent) => {
          const plain: unknown = JSON.parse(JSON.stringify(list));
          expect(elements(place, JSON.stringify(list, null, indent))).toEqual(plain);
          const wrapped = { about: { names: ['x'], '[': '{"' }, records: list, total: list.length };
          expect(elements(place, JSON.stringify(wrapped, null, indent))).toEqual(plain);
        },
      ),
    );
  });

  test('each element knows its line', () => {
    const text = '[\n  {"a": 1},\n\n  {\n    "a": 2\n  }\n]\n';
    const lines = withFile(folder(), text, (file, to) =>
      [...readElements(file, to, MOST)].map(({ line }) => line),
    );
    expect(lines).toEqual([2, 4]);
  });

  test.each([
    ['', 'there is no list of records'],
    ['{"a": 1}', 'there is no list of records'],
    ['7', 'a list of records was expected'],
    ['[{"a": 1}', 'the list is not closed'],
    ['[{"a": 1}] x', 'something follows the end of the list'],
  ])('%j is refused', (text, message) => {
    expect(() => elements(folder(), text)).toThrow(message);
  });
});

describe('numbers', () => {
  test('that JavaScript cannot hold become texts; everything else stays as it is', () => {
    const value = fc.jsonValue({ noUnicodeString: false });
    fc.assert(
      fc.property(value, fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n }), (given, large) => {
        const json = JSON.stringify({ given, text: `${large}`, inner: `say "${large}": ${large}` });
        const mixed = `${json.slice(0, -1)},"large":${large},"list":[-${large}]}`;
        const read = JSON.parse(withoutLargeNumbers(mixed)) as Record<string, unknown>;
        const plain = JSON.parse(json) as Record<string, unknown>;
        expect(read).toMatchObject({
          text: plain.text,
          inner: plain.inner,
          large: `${large}`,
          list: [`-${large}`],
        });
      }),
    );
  });

  test.each([
    ['0', true],
    ['-12.50', true],
    ['01234', false],
    ['+1', false],
    ['1e5', false],
    ['1234567890123456', false],
    ['', false],
    [' 1', false],
  ])('%j is a plain number: %s', (text, is) => {
    expect(isPlainNumber(text)).toBe(is);
  });
});

test('a JSONL file names its bad lines without quoting them', () => {
  const text = '\uFEFF{"a":1}\n\nnot json, but "secret-looking" text\n[1]\n"x"\n{"a":2}';
  const rows = withFile(folder(), text, (file, to) => [
    ...jsonlRows(file, { from: 0, to, firstLine: 1, mostBytes: MOST }),
  ]);
  const shown = rows.map((row: FileRow) => [
    row.line,
    row.kind === 'problem' ? row.problem : row.kind,
    row.terminated,
  ]);
  expect(shown).toEqual([
    [1, 'object', true],
    [3, expect.stringMatching(/^is not JSON/), true],
    [4, 'is not an object', true],
    [5, 'is not an object', true],
    [6, 'object', false],
  ]);
  expect(JSON.stringify(shown)).not.toContain('secret');
});
