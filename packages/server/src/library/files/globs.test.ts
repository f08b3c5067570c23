import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { globOf, globProblem } from './globs.ts';

const matches = (pattern: string, path: string) => globOf(pattern)!.matches(path);

describe('a pattern of paths', () => {
  test.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/deep/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/**', 'src/b/a.ts', true],
    ['src/**', 'src', false],
    ['src/', 'src/a.ts', true],
    ['./src/', 'src/a.ts', true],
    ['src/**/a.ts', 'src/a.ts', true],
    ['**/test/**/*.ts', 'a/test/b/c.ts', true],
    ['**', 'anything/at/all', true],
    ['{src,lib}/*.{ts,tsx}', 'lib/a.tsx', true],
    ['{src,lib}/*.{ts,tsx}', 'bin/a.tsx', false],
    ['{a,b{c,d}}.md', 'bd.md', true],
    ['?.md', 'ab.md', false],
    ['a*b*c', 'axxbyyc', true],
    ['a*b*c', 'axxbyy', false],
    ['src/*.ts', 'src\\a.ts', true],
    ['[a].md', 'a.md', false],
    ['[a].md', '[a].md', true],
  ])('%s and %s: %s', (pattern, path, expected) => {
    verifies('LIB-18');
    expect(matches(pattern, path)).toBe(expected);
  });

  test('is refused where it is none', () => {
    for (const bad of ['', '  ', '!a', '../a', 'a/{b', 'a}', 'x'.repeat(257), '{a,b}'.repeat(7)]) {
      expect([bad, globProblem(bad) === undefined]).toEqual([bad, false]);
      expect(globOf(bad)).toBeUndefined();
    }
  });

  test('matches its own text where it has no signs, and never takes long', () => {
    const name = fc.stringMatching(/^[a-z][a-z.]{0,7}$/);
    const path = fc.array(name, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(path, (text) => {
        expect(matches(text, text)).toBe(true);
        expect(matches(`**/${text}`, `up/${text}`)).toBe(true);
        expect(matches(`${text}/`, `${text}/below`)).toBe(true);
      }),
    );
    // A matcher that goes back would not come to an end.
    expect(matches('a*'.repeat(100), 'a'.repeat(4000))).toBe(true);
    expect(matches(`${'a*'.repeat(100)}b`, 'a'.repeat(4000))).toBe(false);
    expect(matches(`${'**/a/'.repeat(50)}b`, 'a/'.repeat(1500))).toBe(false);
  });
});
