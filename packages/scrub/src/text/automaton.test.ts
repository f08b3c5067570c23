import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Automaton, buildAutomaton, lazyAutomaton } from './automaton.ts';

const LITERALS = new Map(['key', 'ghp_', 'password', 'ss', '=', 'a.b'].map((literal) => [literal, literal]));

function foundBy(automaton: Automaton<string>, text: string): [string, number][] {
  const found: [string, number][] = [];
  automaton.scan(text, (hits, end) => {
    for (const { payload } of hits) found.push([payload, end]);
    return end;
  });
  return found;
}

describe('an automaton that is built when it is needed', () => {
  const built = buildAutomaton(LITERALS);
  const part = fc.oneof(
    fc.constantFrom(
      ...LITERALS.keys(),
      'KEY',
      'PassWord',
      'GHP_',
      '/home/me/shop',
      'ſs',
      'ŝŝ',
      '\u212aey',
      ' ',
    ),
    fc.string({ unit: 'binary', maxLength: 6 }),
  );

  test('finds what one that was built before finds, in the first texts and in later ones', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(part, { maxLength: 5 }), { minLength: 1, maxLength: 40 }),
        fc.nat({ max: 300 }),
        (texts, more) => {
          const lazy = lazyAutomaton(LITERALS);
          for (const [place, parts] of texts.entries()) {
            const text = parts.join('') + (place % 7 === 6 ? '-'.repeat(more) : '');
            expect(foundBy(lazy, text)).toEqual(foundBy(built, text));
          }
        },
      ),
    );
  });

  test('looks into a few names without it', () => {
    let asked = 0;
    const counted = new Map(LITERALS);
    const sizes = counted[Symbol.iterator].bind(counted);
    counted[Symbol.iterator] = () => {
      asked++;
      return sizes();
    };
    const lazy = lazyAutomaton(counted);
    for (let name = 0; name < 30; name++) lazy.scan(`/home/me/shop-${name}`, () => expect.unreachable());
    expect(asked).toBe(0);
    expect(foundBy(lazy, 'my key')).toEqual([['key', 6]]);
    expect(asked).toBeGreaterThan(0);
  });
});
