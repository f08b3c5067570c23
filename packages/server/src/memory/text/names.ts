import { MONTHS, WEEKDAYS } from './calendar.ts';
import { fold } from './languages/accents.ts';
import { wordsIn } from './languages/index.ts';
import type { LanguageCode } from './languages/language.ts';
import { isCalendarName } from './languages/times.ts';
import { wordsOf } from './terms.ts';

const TITLES = new Set([
  'mr',
  'mrs',
  'ms',
  'dr',
  'prof',
  'sir',
  'the',
  'and',
  'of',
  'von',
  'van',
  'de',
  'la',
]);

/** The names that an author can be called by: the whole name and its parts. */
export function nameParts(name: string): string[] {
  const parts = wordsOf(name).filter((part) => part.length >= 2 && !TITLES.has(part) && !/^\d+$/.test(part));
  return [...new Set([...parts, parts.join(' ')])].filter((part) => part !== '');
}

const NOT_NAMES = new Set([
  'you',
  'that',
  'this',
  'what',
  'how',
  'the',
  'there',
  'everyone',
  'all',
  'it',
  'so',
  'for',
  'again',
  'guys',
  'i',
  'my',
  'we',
  'they',
  'to',
  'of',
  'and',
  'but',
  'just',
  'really',
  'yes',
  'no',
  'god',
  'good',
  'great',
]);

/** As much of a text as is searched for names. */
const MOST = 2000;
const CAPITALISED = /(?<=[\p{L}\p{N},;:'’)"”] )\p{Lu}[\p{L}\p{M}]{2,}/gu;

/** Words with a capital letter that do not begin a sentence: whom and what a text names. */
export function namesIn(content: string, language: LanguageCode = 'en'): string[] {
  // German writes every noun with a capital letter.
  if (language === 'de') return [];
  const text = content.slice(0, MOST);
  const found = new Set<string>();
  for (const [match] of text.matchAll(CAPITALISED)) {
    const name = match.toLowerCase();
    if (language === 'en' ? isEnglishWord(name) : isWordOf(language, name)) continue;
    found.add(name);
  }
  return [...found];
}

function isEnglishWord(name: string): boolean {
  return NOT_NAMES.has(name) || DATE_WORDS.has(name);
}

function isWordOf(language: Exclude<LanguageCode, 'en'>, name: string): boolean {
  return wordsIn(language).stopwords.has(fold(name)) || isCalendarName(language, name);
}

/** Whatever stands before a noun in German: articles, what is declined like them, and adjectives. */
const BEFORE_NOUN =
  /^(?:d(?:er|ie|as|en|em|es)|im|am|ans?|ins|zum|zur|beim|vom|aufs?|(?:[kmds]?ein|ihr|unser|eu(?:e?r)|dies|jed|jen|welch|all|viel|wenig|einig|mehrer|manch|solch)(?:e[mnrs]?)?|\d+|zwei|drei|vier|fünf|\p{Ll}+(?:e|en|er|es|em))$/u;
/** Endings that make nouns of other words. */
const NOUN_ENDING = /(?:ung|heit|keit|schaft|tion|tät|nis|ment|tum|ismus|ungen)s?$/u;

/** Whether a capitalised word of a German text is a noun there, by the word before it. */
export function isGermanNoun(before: string | undefined, word: string): boolean {
  return (
    (before !== undefined && BEFORE_NOUN.test(before.toLowerCase())) || NOUN_ENDING.test(word.toLowerCase())
  );
}

const DATE_WORDS = new Set([...MONTHS, ...WEEKDAYS, 'christmas', 'easter']);
