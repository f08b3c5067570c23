import { expect, test } from 'vitest';
import { memorySearch } from './search.ts';

test('an address says what it may say, and nothing else', () => {
  expect(
    memorySearch({ q: 8080, goal: '', limit: '12', budget: -1, open: ['a', 3], pick: 'b', more: 1 }),
  ).toEqual({ q: '8080', limit: 12, open: ['a'] });
  expect(memorySearch({})).toEqual({});
});
