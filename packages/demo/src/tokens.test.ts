import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomId } from '../../server/src/kernel/ids.ts';
import { countTokens } from '../../server/src/kernel/tokens/count.ts';
import { steadyCounter } from './tokens.ts';

const steadyTokens = steadyCounter(countTokens);
const text = (id: string) => `15 activity records (page 1/9)\n[collapsed: context_expand ${id}]`;

describe('steady tokens', () => {
  test('are the same whatever id or time the server drew', () => {
    const counts = new Set(Array.from({ length: 200 }, () => steadyTokens(text(randomId('rs')))));
    expect(counts.size).toBe(1);
    expect(steadyTokens('until 2026-03-04T05:06:07.089Z')).toBe(
      steadyTokens('until 2031-12-31T23:59:59.999Z'),
    );
  });

  test('are what ids have on average, so that nothing is made to look smaller', () => {
    const ids = Array.from({ length: 400 }, () => randomId('rs'));
    const average = ids.reduce((sum, id) => sum + countTokens(text(id)), 0) / ids.length;
    expect(Math.abs(steadyTokens(text(ids[0]!)) - average)).toBeLessThan(0.5);
  });

  test('are plain tokens where there is no id', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 30 }), (words) => {
        expect(steadyTokens(words)).toBe(countTokens(words));
      }),
    );
  });
});
