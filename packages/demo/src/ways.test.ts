import { expect, test } from 'vitest';
import { movesIn } from './ways.ts';

test('findings can be read back', () => {
  expect(movesIn('72, 75 to Web Dev')).toEqual([
    [72, 'Web Dev'],
    [75, 'Web Dev'],
  ]);
  expect(movesIn('203 to AI')).toEqual([[203, 'AI']]);
  expect(movesIn('Nothing is misfiled')).toEqual([]);
});
