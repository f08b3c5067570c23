import { ENGLISH_ASKING, ENGLISH_STOPWORDS } from '../stopwords.ts';
import { fold } from './accents.ts';
import { DUTCH } from './dutch.ts';
import { FRENCH } from './french.ts';
import { GERMAN } from './german.ts';
import { ITALIAN } from './italian.ts';
import type { Language, LanguageCode } from './language.ts';
import { PORTUGUESE } from './portuguese.ts';
import { RUSSIAN } from './russian.ts';
import { SPANISH } from './spanish.ts';

/** All but English, which has files of its own. */
export const OTHER_LANGUAGES: Record<Exclude<LanguageCode, 'en'>, Language> = {
  de: GERMAN,
  fr: FRENCH,
  es: SPANISH,
  pt: PORTUGUESE,
  it: ITALIAN,
  nl: DUTCH,
  ru: RUSSIAN,
};

interface Words {
  stopwords: ReadonlySet<string>;
  asking: ReadonlySet<string>;
  self: ReadonlySet<string>;
  other: ReadonlySet<string>;
}

const ENGLISH: Words = {
  stopwords: ENGLISH_STOPWORDS,
  asking: ENGLISH_ASKING,
  self: new Set(['i', 'my', 'me', 'mine', 'myself', 'we', 'our', 'ours', 'us']),
  other: new Set(['you', 'your', 'yours', 'yourself']),
};

const made = new Map<LanguageCode, Words>([['en', ENGLISH]]);

/** The words of a language that the ranking treats apart, without accents. */
export function wordsIn(code: LanguageCode): Words {
  let found = made.get(code);
  if (!found) {
    const { stopwords, asking, self, other } = OTHER_LANGUAGES[code as Exclude<LanguageCode, 'en'>];
    found = {
      stopwords: wordSet(stopwords),
      asking: wordSet(asking),
      self: wordSet(self),
      other: wordSet(other),
    };
    made.set(code, found);
  }
  return found;
}

function wordSet(list: string): ReadonlySet<string> {
  return new Set(
    list
      .split(/\s+/)
      .filter((word) => word !== '')
      .map(fold),
  );
}
