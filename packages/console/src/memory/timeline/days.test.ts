import { expect, test } from 'vitest';
import type { Brief } from '../queries.ts';
import { daysOf, endOf } from './days.ts';

const stored = (created_at: string) => ({ created_at }) as Brief;

test('items are put under the days on which they were stored', () => {
  const items = ['2026-05-08T12:00:00', '2026-05-08T09:00:00', '2026-05-07T23:00:00'].map(stored);
  const days = daysOf(items);
  expect(days.map((day) => day.items.length)).toEqual([2, 1]);
  expect(days[0]!.at).toBe(new Date('2026-05-08T00:00:00').getTime());
  expect(daysOf([])).toEqual([]);
});

test('a day ends when the next begins, and what is no day has no end', () => {
  expect(endOf('2026-12-31')).toBe(new Date('2027-01-01T00:00:00').toISOString());
  for (const none of [undefined, '', 'today', '2026-13-45']) expect(endOf(none)).toBe(undefined);
});
