import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cellOf, contentText, isFigure, isTabular, roomFor, shapeOf } from './shape.ts';

describe('an answer', () => {
  test('is a table where it is, or holds, a list of records', () => {
    const rows = [
      { id: 1, title: 'a' },
      { id: 2, extra: true },
    ];
    expect(shapeOf(rows)?.tables).toEqual([{ name: '', columns: ['id', 'title', 'extra'], rows, more: 0 }]);
    expect(shapeOf({ records: rows, pagination: { page: 1 }, next: null })).toEqual({
      fields: [['pagination', { page: 1 }]],
      tables: [{ name: 'records', columns: ['id', 'title', 'extra'], rows, more: 0 }],
    });
  });

  test.each([undefined, null, 'text', 7, [], [1, 2], [[1]], {}, { a: null, b: [], c: '' }])(
    'is text for %j',
    (value) => {
      expect(shapeOf(value)).toBeUndefined();
    },
  );

  test('is fields where a table would have too many columns', () => {
    const wide = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`c${index}`, index]));
    expect(shapeOf({ wide: [wide] })?.tables).toEqual([]);
  });

  test('is cut where it is long, and says by how much', () => {
    const [table] = shapeOf(Array.from({ length: 250 }, (_, id) => ({ id })))!.tables;
    expect([table!.rows.length, table!.more]).toEqual([200, 50]);
  });

  test('can be anything', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const shape = shapeOf(value);
        for (const { columns, rows } of shape?.tables ?? []) {
          for (const row of rows)
            for (const column of columns) expect(typeof cellOf(row[column])).toBe('string');
        }
        expect(typeof contentText(value)).toBe('string');
      }),
    );
  });
});

test('a list is for a table where it has several rows of plain values', () => {
  const is = (list: object[]) => isTabular(shapeOf({ list })!);
  expect([is([{ a: 1 }, { a: [2] }]), is([{ a: 1 }]), is([{ a: { b: 1 } }, { a: 1 }])]).toEqual([
    true,
    false,
    false,
  ]);
});

test('cells are one line of what they hold', () => {
  expect([cellOf('a'), cellOf(1.5), cellOf(['x', 'y']), cellOf({ a: 1, b: 'c' }), cellOf(null)]).toEqual([
    'a',
    '1.5',
    'x, y',
    'a: 1; b: c',
    '',
  ]);
  expect([cellOf({ a: ['x', 'y'], b: 1 }), cellOf([])]).toEqual(['a: x, y; b: 1', '']);
  expect([cellOf([[1]]), cellOf({ a: { b: 1 } })]).toEqual(['[[1]]', '{"a":{"b":1}}']);
});

test('columns get the room that their longest value wants', () => {
  const rows = [
    { a: 'short', b: 'x'.repeat(50), c: 'x' },
    { a: 1, b: '', c: 'x'.repeat(90) },
  ];
  expect(['a', 'b', 'c', 'd'].map((column) => roomFor(rows, column))).toEqual([
    'line',
    'wide',
    'widest',
    'line',
  ]);
});

test('figures are told by their values', () => {
  const rows = [
    { a: 1, b: '1' },
    { a: null, b: 2 },
  ];
  expect([isFigure(rows, 'a'), isFigure(rows, 'b')]).toEqual([true, false]);
});

test('what is no text is named', () => {
  const content = [
    { type: 'text', text: 'a' },
    { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    { type: 'resource_link', uri: 'infold://x' },
  ];
  expect(contentText(content)).toBe(
    'a\n[image: image/png, 3 bytes]\n{\n  "type": "resource_link",\n  "uri": "infold://x"\n}',
  );
});
