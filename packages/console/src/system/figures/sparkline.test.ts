import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sparkOf } from './sparkline.ts';

test('a line goes from edge to edge, the largest at the top', () => {
  expect(sparkOf([0, 10, 5], 100, 20)).toEqual({
    line: 'M0.0,20.0L50.0,0.0L100.0,10.0',
    area: 'M0,20L0.0,20.0L50.0,0.0L100.0,10.0L100,20Z',
  });
});

test('zero is at the bottom, so that a small change looks small', () => {
  expect(sparkOf([90, 100], 100, 20)!.line).toBe('M0.0,2.0L100.0,0.0');
});

test('one value is no line, and equal ones are flat', () => {
  expect(sparkOf([1], 100, 20)).toBeUndefined();
  expect(sparkOf([0, 0], 100, 20)!.line).toBe('M0.0,20.0L100.0,20.0');
});

test('nothing leaves the frame', () => {
  const values = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }), {
    minLength: 2,
  });
  fc.assert(
    fc.property(values, (given) => {
      const numbers = sparkOf(given, 100, 20)!
        .line.match(/-?[\d.]+/g)!
        .map(Number);
      for (const [place, number] of numbers.entries()) {
        expect(number).toBeGreaterThanOrEqual(0);
        expect(number).toBeLessThanOrEqual(place % 2 === 0 ? 100 : 20);
      }
    }),
  );
});
