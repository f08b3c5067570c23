import fc from 'fast-check';
import { expect, test } from 'vitest';
import { offsetFor, rangeOf } from './visible-range.ts';

const pixels = fc.integer({ min: 0, max: 100_000 });
const height = fc.integer({ min: 10, max: 100 });
const count = fc.nat(2000);

test('every row that can be seen is there, and few others', () => {
  fc.assert(
    fc.property(pixels, fc.integer({ min: 0, max: 2000 }), height, count, (offset, seen, each, rows) => {
      const { first, end } = rangeOf(offset, seen, each, rows);
      expect(first).toBeGreaterThanOrEqual(0);
      expect(end).toBeLessThanOrEqual(rows);
      for (let row = 0; row < rows; row++) {
        const isSeen = (row + 1) * each > offset && row * each < offset + seen;
        if (isSeen) expect(row >= first && row < end).toBe(true);
      }
      expect(end - first).toBeLessThanOrEqual(seen / each + 26);
    }),
    { numRuns: 50 },
  );
});

test('a row is brought into sight by the shortest way', () => {
  expect(offsetFor(3, 0, 500, 50)).toBe(0);
  expect(offsetFor(12, 0, 500, 50)).toBe(150);
  expect(offsetFor(2, 400, 500, 50)).toBe(100);
});
