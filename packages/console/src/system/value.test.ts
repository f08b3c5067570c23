import { LIMITS } from '@infold/protocol';
import { expect, test } from 'vitest';
import { meaningOf, written } from './value.ts';

test('limits are said in units that one can picture', () => {
  expect(meaningOf('requestBytes', 4 * 1024 * 1024)).toBe('4 MB');
  expect(meaningOf('envelopeBytes', 1536 * 1024)).toBe('1.5 MB');
  expect(meaningOf('deflateBytes', 4096)).toBe('4 KB');
  expect(meaningOf('requestBytes', 999)).toBe('999 bytes');
  expect(meaningOf('sessionLifetime', 86_400_000)).toBe('1 day');
  expect(meaningOf('heartbeat', 30_000)).toBe('30 seconds');
  expect(meaningOf('lockWait', 1500)).toBe('1.5 s');
  expect(meaningOf('callsPerMinute', 30_000)).toBe('500 a second');
  expect(meaningOf('bytesPerMinute', 1024 ** 3)).toBe('1 GB');
  expect(meaningOf('branchDepth', 8)).toBeUndefined();
});

test('every limit that is a size or a time has a meaning', () => {
  const bare = Object.entries(LIMITS).filter(([name, value]) => meaningOf(name, value) === undefined);
  for (const [name, value] of bare) expect(value, name).toBeLessThan(1_000_000);
});

test('values are written as in a file, or said', () => {
  expect(written(null)).toBe('not set');
  expect(written([])).toBe('none');
  expect(written({})).toBe('none');
  expect(written(['fold', 'memory'])).toBe('fold, memory');
  expect(written(false)).toBe('false');
  expect(written(9476)).toBe('9476');
  expect(written({ selfApproval: true })).toContain('"selfApproval": true');
});
