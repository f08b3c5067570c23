import fc from 'fast-check';
import { expect, test } from 'vitest';
import { around, marked } from './marked.ts';

const soughtIn = (text: string, sought: string) =>
  marked(text, sought)
    .filter(({ isSought }) => isSought)
    .map((stretch) => stretch.text);

test('words are marked in all their forms, and others are not', () => {
  expect(soughtIn('Rotating tokens; the rotation of a token', 'rotat tokens')).toEqual([
    ...['Rotating', 'tokens', 'rotation', 'token'],
  ]);
  expect(soughtIn('The cat category', 'cat')).toEqual(['cat', 'category']);
  expect(soughtIn('It is so', 'is')).toEqual([]);
});

test('nothing of a text is lost or changed by marking it', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, sought) => {
      expect(
        marked(text, sought)
          .map((stretch) => stretch.text)
          .join(''),
      ).toBe(text);
    }),
  );
});

test('a long text is shown around what was sought', () => {
  const text = `${'before '.repeat(200)}kiln ${'after '.repeat(200)}`;
  const shown = around(text, 'kiln', 200);
  expect(shown).toMatch(/^… before .*kiln.* …$/);
  expect(shown.length).toBeLessThan(210);
  expect(around('short', 'kiln', 200)).toBe('short');
});
