import { MONTHS, WEEKDAYS } from './calendar.ts';
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

/** Words with a capital letter that do not begin a sentence: whom and what a text names. */
export function namesIn(content: string): string[] {
  const found = new Set<string>();
  for (const match of content.slice(0, 2000).matchAll(/(?<=[\p{L}\p{N},;:'’)"”] )\p{Lu}[\p{L}\p{M}]{2,}/gu)) {
    const name = match[0].toLowerCase();
    if (!NOT_NAMES.has(name) && !DATE_WORDS.has(name)) found.add(name);
  }
  return [...found];
}

const DATE_WORDS = new Set([...MONTHS, ...WEEKDAYS, 'christmas', 'easter']);
