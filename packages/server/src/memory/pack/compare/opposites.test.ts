import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../../test/requirements.ts';
import { opposes } from './opposites.ts';

describe('two wishes on one matter', () => {
  test.each([
    ['Always write release notes in German.', 'From now on write release notes always in English.'],
    ['Always use emojis in answers.', 'Never use emojis in answers.'],
    ['I love emojis in answers.', 'I hate emojis in answers.'],
    ['Please always ask before you touch the schema.', 'You never need to ask before you touch the schema.'],
    ['Never touch the schema without asking.', 'You may touch the schema without asking.'],
    ['I prefer tabs over spaces.', 'I prefer spaces over tabs.'],
    ['I prefer tea to coffee.', 'I prefer coffee to tea.'],
    ['Use tabs for indentation, not spaces.', 'Always use spaces for indentation.'],
    ['Keep summaries under 3 sentences.', 'Keep summaries under 5 sentences.'],
    ['Schreib Commits immer auf Deutsch.', 'Schreib Commits ab jetzt immer auf Englisch.'],
    ['Nutze immer Emojis in Antworten.', 'Nutze nie Emojis in Antworten.'],
    ['Utilise toujours des emojis dans les réponses.', "N'utilise jamais des emojis dans les réponses."],
    ['Всегда пиши комментарии в коде.', 'Никогда не пиши комментарии в коде.'],
    ['Usa siempre comentarios en el código.', 'No uses nunca comentarios en el código.'],
  ])('are opposites: %s / %s', (one, other) => {
    verifies('PACK-16');
    expect(opposes(one, other)).toBe(true);
    expect(opposes(other, one)).toBe(true);
  });

  test.each([
    [
      'Always give versions when I ask about libraries.',
      'Whenever I ask about libraries, give their versions.',
    ],
    ['Always add versions for libraries.', 'Always give versions for libraries.'],
    ['Never touch the schema without asking.', "Don't touch the schema without asking me."],
    ['Always ask before you touch the schema, no exceptions.', 'Always ask before you touch the schema.'],
    ['Never write release notes in German.', 'Always write release notes in English.'],
    ['Use tabs for indentation, not spaces.', 'Always use tabs for indentation.'],
    ['Use tabs for indentation, not spaces.', 'Never use spaces for indentation.'],
    ['Never forget tests in a plan.', 'Always put tests in a plan.'],
    ['Schreib Commits immer auf Deutsch.', 'Bitte schreib Commits immer auf Deutsch, ohne Ausnahme.'],
  ])('say the same: %s / %s', (one, other) => {
    verifies('PACK-16');
    expect(opposes(one, other)).toBe(false);
    expect(opposes(other, one)).toBe(false);
  });

  test('are opposites whichever of them is asked first, and none is its own', () => {
    const sentence = fc
      .array(
        fc.constantFrom(
          'always',
          'never',
          'use',
          'tabs',
          'spaces',
          'not',
          ',',
          'over',
          'prefer',
          'in',
          'code',
        ),
        {
          minLength: 1,
          maxLength: 9,
        },
      )
      .map((all) => all.join(' '));
    fc.assert(
      fc.property(sentence, sentence, (one, other) => {
        expect(opposes(one, other)).toBe(opposes(other, one));
        expect(opposes(one, one)).toBe(false);
      }),
    );
  });
});
