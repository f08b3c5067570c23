import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StoredTerms, TermSigns } from './stored-terms.ts';

const term = fc.oneof(
  fc.constantFrom('kiln', 'kilt', 'kin', 'k', 'keln', 'größe', 'grösse', '天気', 'x_1', ''),
  fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '気'), maxLength: 4 }),
);

test('terms that are looked for are found where they stand, among any others', () => {
  fc.assert(
    fc.property(
      fc.array(term, { maxLength: 30 }),
      fc.array(term, { maxLength: 5 }),
      fc.array(term, { maxLength: 5 }),
      (stored, sought, before) => {
        const signs = new TermSigns();
        for (const each of sought) signs.add(each);
        const [aside, text] = [before.join(' '), stored.join(' ')];
        const bytes = Buffer.from(aside + text + aside);
        const begin = Buffer.byteLength(aside);
        const terms = new StoredTerms(bytes, begin, begin + Buffer.byteLength(text));
        const found: [string, number][] = [];
        const count = terms.find(signs, (each, position) => {
          if (sought.includes(each)) found.push([each, position]);
        });
        const all = text === '' ? [] : text.split(' ');
        expect(terms.text).toBe(text);
        expect(terms.all).toEqual(all);
        expect(count).toBe(all.length);
        expect(found).toEqual(
          [...all.entries()].filter(([, each]) => sought.includes(each)).map(([at, each]) => [each, at]),
        );
      },
    ),
  );
});
