import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bearerOf } from './bearer.ts';

describe('the token of an Authorization header', () => {
  test('is whatever follows the scheme, in any case', () => {
    const token = fc.string({ minLength: 1 }).filter((text) => !/\s/.test(text));
    const scheme = fc.constantFrom('Bearer', 'bearer', 'BEARER');
    fc.assert(
      fc.property(scheme, fc.integer({ min: 1, max: 3 }), token, (word, spaces, text) => {
        expect(bearerOf(`${word}${' '.repeat(spaces)}${text}`)).toBe(text);
      }),
    );
  });

  test('is not there without a header', () => {
    expect(bearerOf(undefined)).toBeUndefined();
  });

  test.each(['Basic abc', 'Bearer', 'Bearer ', 'Bearer a b', 'Bearerabc', ' Bearer abc', 'abc'])(
    'is refused in "%s"',
    (header) => {
      expect(() => bearerOf(header)).toThrow('The Authorization header must be');
    },
  );
});
