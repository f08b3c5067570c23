import { LIMITS } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from './json.ts';

describe('JSON of strangers', () => {
  test('is parsed as any other', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
        expect(parseJson(JSON.stringify(value), LIMITS)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('brackets, colons and escaped quotes in strings are text', () => {
    const value = { text: `${'['.repeat(500)}\\"${'{'.repeat(500)}":"\\\\` };
    expect(parseJson(JSON.stringify(value), LIMITS)).toEqual(value);
  });

  test('too deep or too many keys is refused before it is parsed', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(nested(64), LIMITS)).toBeDefined();
    expect(() => parseJson(nested(65), LIMITS)).toThrow(/64 levels/);
    expect(() => parseJson('['.repeat(2_000_000), LIMITS)).toThrow(/64 levels/);
    const keys = `{${Array.from({ length: 30 }, (_, key) => `"k${key}":1`).join(',')}}`;
    expect(() => parseJson(keys, { jsonDepth: 64, jsonKeys: 20 })).toThrow(/20 keys/);
  });

  test('a __proto__ key is plain data', () => {
    const value = parseJson(
      '{"__proto__":{"polluted":true},"padding":"................................................"}',
      LIMITS,
    );
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test.each(['"\\', '\\"', '""', '{"a":', '[', '"'])('takes time in proportion to the text: %s', (unit) => {
    const timeOf = (length: number) => {
      const text = unit.repeat(length / unit.length);
      const started = performance.now();
      try {
        parseJson(text, { jsonDepth: 1e9, jsonKeys: 1e9 });
      } catch {
        // Broken on purpose.
      }
      return performance.now() - started;
    };
    timeOf(10_000);
    // The best of three: what else the machine does only adds to it.
    const best = (length: number) => Math.min(timeOf(length), timeOf(length), timeOf(length));
    expect(best(1_000_000)).toBeLessThan(100 * Math.max(2, best(50_000)));
  });
});
