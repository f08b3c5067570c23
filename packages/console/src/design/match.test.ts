import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasWords, rank, rankNamed, wordsOf } from './match.ts';

describe('words in any order', () => {
  test('are found wherever they stand, also within words', () => {
    expect(hasWords('limits.requestBytes INFOLD_LIMITS_REQUEST_BYTES', wordsOf('bytes  Request'))).toBe(true);
    expect(hasWords('limits.requestBytes', wordsOf('request tokens'))).toBe(false);
    expect(hasWords('anything', wordsOf('  '))).toBe(true);
  });

  test('come first where a word begins with them', () => {
    const texts = ['Verify the journal', 'System: Journal', 'unjournaled'];
    const ranked = texts.toSorted((one, other) => rank(other, 'journ ver') - rank(one, 'journ ver'));
    expect(ranked[0]).toBe('Verify the journal');
    expect(rank('System: Journal', 'journal')).toBeGreaterThan(rank('unjournaled', 'journal'));
    expect(rank('Tokens', 'tok')).toBeGreaterThan(rank('Tools tokens', 'tok'));
    expect(rank('Tokens', 'xyz')).toBe(0);
  });

  test('count more in a name than in what is said about it', () => {
    const named = rankNamed('System: Limits', 'its');
    const said = rankNamed('System: Connections', 'its', ['its hosts']);
    expect(named).toBeGreaterThan(said);
    expect(said).toBeGreaterThan(0);
    expect(rankNamed('Load sample data', 'demo load', ['example demo'])).toBeGreaterThan(0);
    expect(rankNamed('Load sample data', 'tokens', ['example demo'])).toBe(0);
  });

  test('rank alike in any order but for the first, and always between 0 and 1', () => {
    const word = fc.stringMatching(/^[a-z]{1,5}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.array(word), (text, sought) => {
        const given = rank(text.join(' '), sought.join(' '));
        const turned = rank(text.join(' '), sought.toReversed().join(' '));
        expect(given > 0).toBe(turned > 0);
        expect(given).toBeGreaterThanOrEqual(0);
        expect(given).toBeLessThanOrEqual(1);
      }),
    );
  });
});
