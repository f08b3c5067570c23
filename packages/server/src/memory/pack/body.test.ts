import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Body } from './body.ts';

const word = fc.constantFrom(
  ...[
    'kiln',
    'Kilns',
    "kiln's",
    "'kiln'",
    'x',
    'x_kiln',
    'ki',
    'o',
    "o'kiln",
    '7kiln',
    'the',
    'oven',
    'burns.',
    'Then',
    'it',
  ],
  ...['stops.', 'again', '\n', 'glaze,', "''glaze", '(glaze)'],
);

test('an excerpt is the same whether or not the text has accents', () => {
  const terms = new Set(['kiln', 'x', 'glaze', '7kiln']);
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 20, maxLength: 90 }),
      fc.integer({ min: 40, max: 200 }),
      (words, most) => {
        const text = words.join(' ');
        const focus = { begin: 0, end: text.length, terms, language: 'en' as const };
        const plain = new Body(`${text} ae`, focus).text(most);
        expect(new Body(`${text} äe`, focus).text(most).replace('ä', 'a')).toBe(plain);
      },
    ),
    { numRuns: 500 },
  );
});

test('an excerpt ends with the last sentence that there is room for, wherever it begins', () => {
  const said =
    'The east wing is dry, and nobody has been there for a long while. The kiln is lit at noon. It is swept on Fridays. Nobody minds it at all, it seems.';
  const focus = { begin: 0, end: said.length, terms: new Set(['kiln']), language: 'en' as const };
  expect(new Body(said, focus).text(70)).toBe('… The kiln is lit at noon. It is swept on Fridays. …');
});
