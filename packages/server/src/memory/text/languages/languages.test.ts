import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DayRange, dayFrom } from '../calendar.ts';
import { partsOf } from '../compounds.ts';
import { easterSunday } from '../day-ranges.ts';
import { FLAG, flagsOf } from '../flags.ts';
import { namesIn } from '../names.ts';
import { languageOf, readText, termOf, termsOf, wordsOf } from '../terms.ts';
import { synonymsOf } from '../thesaurus/index.ts';
import { timesIn } from '../times.ts';
import { isAskingPair } from './asian.ts';
import { evidenceIn, goalLanguage } from './detect.ts';
import { LANGUAGES, type LanguageCode } from './language.ts';
import { stemIn } from './stemmers.ts';

describe('the language of a text', () => {
  test.each([
    ['de', 'Wir fahren im Sommer nicht mit dem Auto, sondern mit der Bahn.'],
    ['fr', "Je voudrais savoir où se trouve l'école de mes enfants."],
    ['es', '¿Dónde está la biblioteca que visitamos con los niños?'],
    ['pt', 'Onde fica a estação em que você comprou os bilhetes?'],
    ['it', 'Dove si trova la stazione in cui abbiamo comprato i biglietti?'],
    ['nl', 'Waar is het station waar we de kaartjes hebben gekocht?'],
    ['ru', 'Где находится вокзал, на котором мы купили билеты?'],
    ['en', 'Where is the station at which we bought the tickets?'],
  ])('is told to be %s', (code, text) => {
    expect(languageOf(text)).toBe(code);
  });

  test.each([
    'Zoë went to the Café in Saint-Étienne',
    'Hotels in Los Angeles, San Diego and La Jolla',
    'Des Moines office lease',
    'naïve résumé',
    'Läuft.',
    'Jag vill ha en kopp kaffe och en bulle',
    'Де знаходиться вокзал? Я не знаю її',
    '',
  ])('is English where little tells, or where it is not known: "%s"', (text) => {
    expect(languageOf(text)).toBe('en');
  });

  test('of a passage that hardly tells is that of its item, and each sentence of a mixed one has its own', () => {
    expect(readText('Preise, Unterkünfte', 'de').terms).toEqual([
      termOf('preise', 'de'),
      termOf('unterkünfte', 'de'),
    ]);
    const { language, terms } = readText(
      'Wir haben das mit dem Verein besprochen und sind uns einig. Für die Kinder ist es nicht zu weit, aber ohne das Auto wird es für uns schwer. They were planning the meetings for you and me.',
    );
    expect(language).toBe('de');
    expect(terms).toContain('plan');
    expect(terms).toContain(termOf('besprochen', 'de'));
  });

  test('of a goal may have to be told by one word, or by what can be read', () => {
    const read = (goal: string, held: LanguageCode[], usual?: LanguageCode) =>
      goalLanguage(evidenceIn(wordsOf(goal), goal), held, usual);
    expect(read('Preise für Fahrräder', ['de'])).toBe('de');
    expect(read('Reisekosten Bornholm', ['de'], 'de')).toBe('de');
    expect(read('Reisekosten Bornholm', ['de'])).toBe('en');
    expect(read('the price of the bicycles', ['de'], 'de')).toBe('en');
  });
});

describe('words', () => {
  test.each([
    ['de', 'Haus Häuser Hauses Häusern'],
    ['de', 'Müller Mueller'],
    ['de', 'Straße Strasse Straßen'],
    ['de', 'neue neuen neuer'],
    ['fr', 'cheval chevaux'],
    ['fr', "maison maisons l'maison"],
    ['es', 'información informaciones informacion'],
    ['pt', 'informação informações informacao informacoes'],
    ['it', "amico amici l'amico"],
    ['nl', 'tafel tafels'],
    ['ru', 'книга книгами книгу'],
  ])('in %s meet whatever their form: %s', (code, forms) => {
    const terms = forms.split(' ').map((form) => termOf(form.toLowerCase(), code as LanguageCode));
    expect(new Set(terms).size).toBe(1);
  });

  test('of a language are not searched for where they carry nothing', () => {
    expect(termsOf('Wir haben das mit dem Verein besprochen')).toEqual(['verein', 'besproch']);
    expect(termsOf("C'est la maison de mes parents, n'est-ce pas ?")).toEqual(['maison', 'parent']);
  });

  test('of English are what they were, whatever stands beside them', () => {
    expect(termsOf("Zoë's dogs weren't in the Café!")).toEqual(['zoe', 'dog', 'cafe']);
    expect(termsOf('The colours of the children’s paintings')).toEqual(['color', 'child', 'paint']);
  });

  test('of scripts with pairs are pairs, with particles and Latin letters apart', () => {
    expect(wordsOf('機械学習')).toEqual(['機械', '械学', '学習']);
    expect(wordsOf('서울에서')).toEqual(['서울', '울에', '에서']);
    expect(wordsOf('Node版の')).toEqual(['node', '版の']);
    expect(isAskingPair('です') && isAskingPair('什么') && !isAskingPair('学習')).toBe(true);
  });

  test('of any text, in any language, are what the index takes as one word', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 120 }),
        fc.constantFrom(...LANGUAGES),
        (text, language) => {
          const { terms, parts } = readText(text, language);
          for (const term of [...terms, ...parts]) expect(term).toMatch(/^[^\s"]+$/u);
        },
      ),
    );
  });

  test('are stemmed alike twice, and to something', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-zäöüßéèñçãà]{1,24}$/),
        fc.constantFrom(...LANGUAGES),
        (word, language) => {
          expect(stemIn(language, word)).toBe(stemIn(language, word));
          expect(stemIn(language, word)).not.toBe('');
        },
      ),
    );
  });

  test('have synonyms in their language', () => {
    expect(synonymsOf(stemIn('de', 'großmutter'), 'de')).toContain(stemIn('de', 'oma'));
    expect(synonymsOf(stemIn('fr', 'maison'), 'fr')).toEqual([]);
  });
});

describe('compounds', () => {
  test.each([
    ['haselnüsse', 'nuss'],
    ['reisebericht', 'bericht'],
    ['reisebericht', 'reise'],
    ['bahnhofsvorplatz', 'bahnhof'],
    ['bahnhofsvorplatz', 'platz'],
    ['kinderarzt', 'arzt'],
    ['zugtickets', 'ticket'],
  ])('%s has the part %s', (word, part) => {
    // "Arzt" begins with a vowel and is short: found as a word only.
    const parts = partsOf('de', stemIn('de', word));
    expect(parts.includes(stemIn('de', part))).toBe(part !== 'arzt');
  });

  test('have no parts that could not be words, and short words none at all', () => {
    expect(partsOf('de', 'knochenbruch')).not.toContain('ruch');
    expect(partsOf('de', 'bahnhof')).toEqual([]);
    expect(partsOf('de', 'untergebracht')).not.toContain('unter');
  });
});

describe('days', () => {
  const today = dayFrom(2026, 4, 13); // Wednesday
  const days = (text: string, language: LanguageCode) =>
    timesIn(text, today, language).map(({ from, to }: DayRange) => [from - today, to - today]);

  test.each<[LanguageCode, string, number, number]>([
    ['de', 'gestern', -1, -1],
    ['de', 'heute Morgen', 0, 0],
    ['de', 'am 3. Mai', -10, -10],
    ['de', '03.05.2026', -10, -10],
    ['de', 'vom 4. bis 8. Mai 2026', -9, -5],
    ['de', 'Anfang März', -73, -63],
    ['de', 'im April', -42, -13],
    ['de', 'letzte Woche', -9, -3],
    ['de', 'letztes Wochenende', -4, -3],
    ['de', 'vor drei Tagen', -3, -3],
    ['de', 'am Ostermontag', -37, -37],
    ['de', 'nächsten Monat', 19, 48],
    ['fr', 'hier', -1, -1],
    ['fr', 'le 3 mai 2026', -10, -10],
    ['fr', 'la semaine dernière', -9, -3],
    ['fr', 'il y a trois jours', -3, -3],
    ['fr', 'en avril', -42, -13],
    ['es', 'ayer', -1, -1],
    ['es', 'el 3 de mayo de 2026', -10, -10],
    ['es', 'la semana pasada', -9, -3],
    ['es', 'hace tres días', -3, -3],
    ['pt', 'ontem', -1, -1],
    ['pt', '3 de maio de 2026', -10, -10],
    ['pt', 'na semana passada', -9, -3],
    ['pt', 'há três dias', -3, -3],
    ['it', 'ieri', -1, -1],
    ['it', 'il 3 maggio 2026', -10, -10],
    ['it', 'la settimana scorsa', -9, -3],
    ['it', 'tre giorni fa', -3, -3],
    ['nl', 'gisteren', -1, -1],
    ['nl', '3 mei 2026', -10, -10],
    ['nl', 'vorige week', -9, -3],
    ['nl', 'drie dagen geleden', -3, -3],
    ['ru', 'вчера', -1, -1],
    ['ru', '3 мая 2026', -10, -10],
    ['ru', 'на прошлой неделе', -9, -3],
    ['ru', 'три дня назад', -3, -3],
    ['en', '5月3日', -10, -10],
    ['en', '昨天', -1, -1],
    ['en', '先週', -9, -3],
    ['en', '지난주', -9, -3],
    ['en', '3일 전', -3, -3],
  ])('in %s: "%s"', (language, text, from, to) => {
    expect(days(`… ${text}, …`, language)).toEqual([[from, to]]);
  });

  test('are not in words that only look like them', () => {
    expect(days('Guten Morgen, am Morgen regnet es', 'de')).toEqual([]);
    expect(days('El café de la mañana', 'es')).toEqual([]);
  });

  test('of Easter move', () => {
    expect([2024, 2025, 2026, 2038].map((year) => easterSunday(year))).toEqual([
      dayFrom(2024, 2, 31),
      dayFrom(2025, 3, 20),
      dayFrom(2026, 3, 5),
      dayFrom(2038, 3, 25),
    ]);
  });

  test('of any text are ranges that begin before they end', () => {
    const part = fc.constantFrom(
      'letzten',
      'vor',
      'zwei',
      'Wochen',
      'Mai',
      '7.',
      '2026',
      'bis',
      'Ende',
      'semana',
      'de',
      '月',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 10 }), fc.constantFrom(...LANGUAGES), (parts, language) => {
        for (const { from, to } of timesIn(parts.join(' '), today, language)) {
          expect(Number.isInteger(from) && Number.isInteger(to) && from <= to).toBe(true);
        }
      }),
    );
  });
});

describe('names', () => {
  test('are not told by capital letters in German, and not by function words elsewhere', () => {
    expect(namesIn('Dann kam der Zug mit Verspätung in Brixen an.', 'de')).toEqual([]);
    expect(namesIn('Puis, Le train pour Brixen, Lundi.', 'fr')).toEqual(['brixen']);
    expect(flagsOf('Wir nahmen den Zug', false, 'de') & FLAG.name).toBe(0);
    expect(flagsOf('seit zwei Wochen', false, 'de') & (FLAG.duration | FLAG.number)).toBe(
      FLAG.duration | FLAG.number,
    );
  });
});
