import { expect, test } from 'vitest';
import { readSort, sorted, writeSort } from './sort.ts';

test('what has no value comes last, up or down, and equals stay in their order', () => {
  const rows = [
    { n: 2, id: 'a' },
    { n: null, id: 'b' },
    { n: 10, id: 'c' },
    { n: 2, id: 'd' },
  ];
  const ids = (isDown: boolean) => sorted(rows, ({ n }) => n, isDown).map(({ id }) => id);
  expect(ids(false)).toEqual(['a', 'd', 'c', 'b']);
  expect(ids(true)).toEqual(['c', 'a', 'd', 'b']);
});

test('texts are sorted as people do, with their numbers', () => {
  expect(sorted(['b', 'a10', 'A2'], (text) => text, false)).toEqual(['A2', 'a10', 'b']);
});

test('an order goes through an address and back', () => {
  const usual = { by: 'tokens', isDown: true };
  for (const sort of [usual, { by: 'name', isDown: false }])
    expect(readSort(writeSort(sort), usual)).toEqual(sort);
  expect(readSort(undefined, usual)).toBe(usual);
});
