import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { cutToFit, fitting, linedJson, pageSize, roomFor } from './pages.ts';

const record = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue(), { maxKeys: 4 });

describe('pages', () => {
  test('are the same JSON, broken into lines', () => {
    verifies('KERN-07');
    const value = fc.dictionary(fc.string({ maxLength: 8 }), fc.oneof(fc.array(record), fc.jsonValue()));
    fc.assert(
      fc.property(value, (object) => {
        const text = linedJson(object);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(object)));
      }),
    );
    expect(linedJson({ a: [{ b: 1 }, { b: 2 }], c: undefined, d: ['x', 'y'] })).toBe(
      '{"a":[\n{"b":1},\n{"b":2}\n],"d":["x","y"]}',
    );
  });

  test('have a size that the first of them decides, and fit when values are cut', () => {
    const texts = fc.array(fc.record({ id: fc.nat(), text: fc.string({ maxLength: 3000, size: 'max' }) }), {
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), (items, wanted) => {
        const room = roomFor(10_000, {});
        const size = pageSize(items, wanted, room);
        expect(size).toBeGreaterThan(0);
        expect(size).toBeLessThanOrEqual(wanted);
        const page = cutToFit(items.slice(-size), room).items;
        expect(page.map(({ id }) => id)).toEqual(items.slice(-size).map(({ id }) => id));
        expect(linedJson({ page }).length).toBeLessThan(10_000);
        const first = fitting(items, room);
        expect(first.length).toBeGreaterThan(0);
        expect(items.slice(0, first.length)).toEqual(first);
      }),
    );
  });

  test('one long item does not make every page short', () => {
    const items = Array.from({ length: 50 }, (_, id) => ({ id, text: 'x'.repeat(id === 0 ? 60_000 : 300) }));
    expect(pageSize(items, 50, 38_000)).toBe(50);
    expect(cutToFit(items, 38_000)).toMatchObject({ cut: 1, items: { length: 50 } });
  });
});
