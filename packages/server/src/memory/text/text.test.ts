import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { dayFrom } from './calendar.ts';
import { headingsOf } from './headings.ts';
import { identifiersIn, identifierTerm } from './identifiers.ts';
import { parseMoment } from './moment.ts';
import { nameParts, namesIn } from './names.ts';
import { sentenceStart } from './sentences.ts';
import { stem } from './stem.ts';
import { domainTerm, termsOf, wordsOf } from './terms.ts';
import { membersOf, synonymsOf } from './thesaurus/index.ts';
import { timesIn } from './times.ts';

describe('stem', () => {
  test.each([
    ['went goes going gone', 'go'],
    ['bought buying buys', stem('buy')],
    ['children', 'child'],
    ['painted painting paints', 'paint'],
    ['running runs ran', 'run'],
    ['studies studied studying', stem('study')],
    ['happiness', 'happi'],
  ])('leads "%s" to one form', (forms, expected) => {
    expect(new Set(forms.split(' ').map(stem))).toEqual(new Set([expected]));
  });

  test('never fails and never makes a word longer by more than a letter', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,20}$/), (word) => {
        expect(stem(word).length).toBeGreaterThan(0);
        expect(stem(word).length).toBeLessThanOrEqual(Math.max(word.length + 1, 12));
      }),
    );
  });
});

describe('spelling', () => {
  test.each([
    ['colour', 'color'],
    ['favourite', 'favorite'],
    ['neighbours', 'neighbors'],
    ['organised', 'organized'],
    ['realisation', 'realization'],
    ['centre', 'center'],
    ['travelling', 'traveling'],
    ['analyse', 'analyze'],
    ['catalogue', 'catalog'],
  ])('%s and %s are one word', (british, american) => {
    expect(stem(british)).toBe(stem(american));
  });

  test('words that only look alike stay apart, and forms of a word stay together', () => {
    expect(['hour', 'four', 'tour'].map(stem)).toEqual(['hour', 'four', 'tour']);
    expect(new Set(['exercise', 'exercises', 'exercised', 'exercising'].map(stem)).size).toBe(1);
  });
});

describe('terms', () => {
  test('are words without accents, function words and endings', () => {
    expect(termsOf("Zoë's dogs weren't in the Café!")).toEqual(['zoe', 'dog', 'cafe']);
    expect(wordsOf('機械学習')).toEqual(['機械', '械学', '学習']);
    expect(domainTerm(' Agent-Memory ')).toBe('d_agent_memory');
  });

  test('of any text hold only what the index takes as one word', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        for (const term of termsOf(text)) expect(term).toMatch(/^[^\s"]+$/u);
      }),
    );
  });

  test('know words for one another, and what a general word covers', () => {
    expect(synonymsOf(stem('film'))).toContain(stem('movie'));
    expect(membersOf(stem('instruments'))).toContain(stem('violin'));
    expect(membersOf(stem('violin'))).toEqual([]);
  });
});

describe('identifiers', () => {
  test.each([
    'ERR_CONN_RESET_0x7f31',
    'proxy.ts',
    '--wait-searchable',
    'src/http/app.ts',
    '/etc/hosts.allow',
    'v3.8.1',
    'FIN-2217',
    'invoiceMailer',
    'user_id',
    'com.example.App',
    'std::vector',
    'a1b2c3d4',
  ])('%s is one', (name) => {
    verifies('PACK-11');
    expect(identifiersIn(`Why does ${name}, again, fail?`)).toEqual([name]);
  });

  test.each([
    'how do we handle authentication',
    'on 7 May 2023 at 10:30',
    'and/or either way',
    'the 21st, 3pm, 10k and 90s',
    'a well-known long-term plan',
  ])('"%s" has none', (text) => {
    verifies('PACK-11');
    expect(identifiersIn(text)).toEqual([]);
  });

  test('are the same whatever their letter case and line number', () => {
    expect(identifierTerm('Proxy.ts:12')).toBe(identifierTerm('proxy.ts'));
    expect(identifierTerm('--skip-index')).toBe(identifierTerm('skip_index'));
  });
});

describe('times', () => {
  const today = dayFrom(2023, 4, 10); // Wednesday
  const days = (text: string) => timesIn(text, today).map(({ from, to }) => [from - today, to - today]);

  test.each([
    ['yesterday', -1, -1],
    ['on 7 May 2023', -3, -3],
    ['May 7th, 2023', -3, -3],
    ['2023-05-07', -3, -3],
    ['on 7 May', -3, -3],
    ['last Friday', -5, -5],
    ['last week', -9, -3],
    ['last weekend', -4, -3],
    ['two days ago', -2, -2],
    ['in May 2023', -9, 21],
    ['last March', -70, -40],
    ['next month', 22, 51],
    ['tomorrow', 1, 1],
  ])('"%s"', (text, from, to) => {
    expect(days(`What happened ${text}?`)).toEqual([[from, to]]);
  });

  test('leave verbs and plain numbers alone', () => {
    expect(days('You may march 400 metres')).toEqual([]);
  });

  test('of any text are ranges that begin before they end', () => {
    const part = fc.constantFrom(
      'last',
      'two',
      'weeks',
      'ago',
      'May',
      '7',
      '2023',
      'in',
      'Friday',
      'summer',
      'early',
      ',',
      'th',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(part, fc.string({ maxLength: 6 })), { maxLength: 12 }), (parts) => {
        for (const { from, to } of timesIn(parts.join(' '), today)) {
          expect(Number.isInteger(from) && Number.isInteger(to)).toBe(true);
          expect(from).toBeLessThanOrEqual(to);
        }
      }),
    );
  });
});

describe('moments', () => {
  test.each([
    ['2023-05-08T13:56:00Z', '2023-05-08T13:56:00.000Z'],
    ['2023-05-08T13:56:00', '2023-05-08T13:56:00.000Z'],
    ['2023-05-08T13:56:00+02:00', '2023-05-08T11:56:00.000Z'],
    ['1:56 pm on 8 May, 2023', '2023-05-08T13:56:00.000Z'],
    ['2023/05/20 (Sat) 02:21', '2023-05-20T02:21:00.000Z'],
    ['May 8, 2023', '2023-05-08T00:00:00.000Z'],
    ['2023-05-08', '2023-05-08T00:00:00.000Z'],
    [1_683_554_160, '2023-05-08T13:56:00.000Z'],
    [1_683_554_160_000, '2023-05-08T13:56:00.000Z'],
  ])('%s', (value, expected) => {
    expect(new Date(parseMoment(value, 'at')).toISOString()).toBe(expected);
  });

  test.each(['', 'soon', '2023-13-45', 'NaN'])('"%s" is none', (value) => {
    expect(() => parseMoment(value, 'at')).toThrow('is not a time');
  });
});

describe('headings', () => {
  test('are none within fenced code, whatever the fence is made of and holds', () => {
    const fences = [
      '```sh\n# one\n```',
      '~~~\n# two\n```\n# three\n~~~',
      '````md\n```sh\n# four\n```\n# five\n````',
      '- step\n\n  ```sh\n  # six\n  ```',
    ];
    const content = ['# Guide #', ...fences, '## End', 'Code ```in``` a line', '```', '# never closed'].join(
      '\n\n',
    );
    expect([...headingsOf(content)].map(({ depth, text }) => [depth, text])).toEqual([
      [1, 'Guide'],
      [2, 'End'],
    ]);
  });
});

describe('a sentence', () => {
  const text = 'First one. The second, e.g. this one, ends here! “Third?” Last\n\nNew paragraph 3.5 long';
  test.each([
    [0, 0],
    [5, 0],
    [20, 11],
    [34, 11],
    [text.indexOf('“') + 3, text.indexOf('“')],
    [text.indexOf('Last') + 1, text.indexOf('Last')],
    [text.indexOf('3.5') + 2, text.indexOf('New')],
  ])('at %i begins at %i', (place, expected) => {
    expect(sentenceStart(text, place)).toBe(expected);
  });

  test('that is endless is entered at a word, and never within a character', () => {
    expect(sentenceStart(`${'word '.repeat(400)}`, 1502)).toBe(1500);
    expect(sentenceStart('😀'.repeat(800), 1001)).toBe(1000);
  });
});

describe('names', () => {
  test('have parts, and are found within sentences', () => {
    expect(nameParts('Dr. Melanie van Dyk')).toEqual(['melanie', 'dyk', 'melanie dyk']);
    expect(namesIn('Then I met Olu at the Belmont on Friday. The end.')).toEqual(['olu', 'belmont']);
  });
});
