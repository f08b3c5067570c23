import { describe, expect, test } from 'vitest';
import { errorOf } from '../testing/fixtures.suite.ts';
import { parseDuration } from './token.ts';

describe('a duration', () => {
  test.each([
    ['90s', 90_000],
    ['45m', 2_700_000],
    ['12h', 43_200_000],
    ['30d', 2_592_000_000],
    ['2w', 1_209_600_000],
    [' 1d ', 86_400_000],
    ['999999w', 999_999 * 604_800_000],
  ])('%j is %d milliseconds', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  test.each(['', '30', 'd', '0d', '-1d', '1.5h', '1 d', '1D', '1y', '30days', '1e3s', '1000000d', '٣d'])(
    '%j is none, and the error shows how to write one',
    async (text) => {
      const error = await errorOf(() => parseDuration(text));
      expect(error.code).toBe('invalid_arguments');
      expect(error.message).toContain('30d, 12h, 45m, 90s or 2w');
    },
  );
});
