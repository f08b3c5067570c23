import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { conditionTerms, wishesIn } from './wishes.ts';

const kindsIn = (text: string) => wishesIn(text).map(({ kind }) => kind);

describe('a standing wish', () => {
  test.each([
    ['Always give versions when I ask about libraries.', 'rule'],
    ['I prefer few dependencies.', 'preference'],
    ['Never touch the schema without asking.', 'rule'],
    ['From now on write commit messages in the imperative.', 'rule'],
    ['One rule for our tests: no sleeps.', 'rule'],
    ['We avoid singletons in this project.', 'preference'],
    ['Bitte antworte immer auf Deutsch und in kurzen Sätzen.', 'rule'],
    ['Ich mag keine langen Einleitungen.', 'preference'],
    ['Wenn ich nach Kosten frage, rechne bitte mit Puffer.', 'rule'],
    ['Je préfère les bibliothèques sans dépendances.', 'preference'],
    ['Désormais, donne toujours un exemple.', 'rule'],
    ['Prefiero respuestas cortas.', 'preference'],
    ['A partir de agora usa sempre o sistema métrico.', 'rule'],
    ["D'ora in poi scrivi i commenti in italiano.", 'rule'],
    ['Ik heb liever korte antwoorden.', 'preference'],
    ['Впредь всегда указывай единицы измерения.', 'rule'],
    ['今後は必ずテストも書いてください。', 'rule'],
    ['我更喜欢简短的回答。', 'preference'],
  ])('"%s" is a %s', (sentence, kind) => {
    expect(kindsIn(`Thanks for that. ${sentence}`)).toEqual([kind]);
  });

  test.each([
    'The build always fails on Mondays.',
    'I never got the e-mail that you mention.',
    'Should I always use a transaction here?',
    'It was never a problem before the upgrade.',
    'He had always wanted to see the sea.',
    'Das war immer schon so.',
    'Thanks, that works.',
  ])('"%s" is none', (sentence) => {
    expect(wishesIn(sentence)).toEqual([]);
  });

  test('is not looked for in code or in what is quoted', () => {
    expect(
      wishesIn('Look:\n```\n# always use tabs, please\n```\n> never deploy on Fridays, you said\nDone.'),
    ).toEqual([]);
  });

  test('says when it holds, and whether it is about answers as such', () => {
    const [wish] = wishesIn('Whenever I ask about SQL, show the query plan too.');
    expect(wish).toMatchObject({ condition: 'Whenever I ask about SQL', isGeneral: false });
    expect(conditionTerms(wish!.condition, 'en')).toEqual(['sql']);
    expect(wishesIn('Please always keep your answers short.')[0]).toMatchObject({
      condition: '',
      isGeneral: true,
    });
  });

  test('stands where it says', () => {
    const text = 'The flat is nice. I hate carpets. See you.';
    const [wish] = wishesIn(text);
    expect(text.slice(wish!.begin, wish!.end)).toBe('I hate carpets.');
  });

  test('is within the text, whatever that is', () => {
    const words = fc.constantFrom(
      'always',
      'never',
      'immer',
      'I prefer',
      'when',
      ',',
      '.',
      '\n',
      '```',
      'x',
      '喜欢',
      '?',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 60 }), (parts) => {
        const text = parts.join(' ');
        let last = 0;
        for (const { begin, end } of wishesIn(text)) {
          expect(begin).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(begin);
          expect(end).toBeLessThanOrEqual(text.length);
          last = end;
        }
      }),
      { numRuns: 100 },
    );
  });
});
