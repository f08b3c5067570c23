import { expect, test } from 'vitest';
import { laneShares, sumOf } from './lanes.ts';

test('lanes share what was given, the largest first, and one that takes has no share', () => {
  const shares = laneShares({ time: 1, text: 3, use: -0.5, strange: 0 });
  expect(shares.map(({ lane, share }) => [lane, share])).toEqual([
    ...[['text', 0.75] as const, ['time', 0.25] as const, ['strange', 0] as const, ['use', 0] as const],
  ]);
  expect(shares[0]!.name).toBe('words');
  expect(laneShares({})).toEqual([]);
});

test('a score is told as the sum that it is', () => {
  expect(sumOf(2, laneShares({ text: 1, time: 1 }), {})).toBe('2 = words 1 + when 1');
  expect(sumOf(1.2, laneShares({ text: 1 }), { intent: 1.2 })).toBe('1.2 = (words 1) × intent 1.2');
  expect(sumOf(0, [], {})).toBe('0');
});
