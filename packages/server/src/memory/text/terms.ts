import { identifiersIn, identifierTerm } from './identifiers.ts';
import { stem } from './stem.ts';
import { STOPWORDS } from './stopwords.ts';

/** Letters with their marks, digits, and an apostrophe between letters. */
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’][\p{L}]+)*/gu;
const ASCII_WORD = /[A-Za-z0-9]+(?:'[A-Za-z]+)*/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with them
const ASCII = /^[\x00-\x7f]*$/;
/** Scripts that are written without spaces: a word is looked for by its pairs of characters. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}]/u;
const LONGEST = 64;

/** The words of a text, lower-case and without accents, in order. */
export function wordsOf(text: string): string[] {
  if (ASCII.test(text)) return (text.match(ASCII_WORD) ?? []).map((word) => word.toLowerCase());
  const found: string[] = [];
  for (const [match] of text.matchAll(WORD)) {
    const word = match.replaceAll('’', "'").toLowerCase();
    if (UNSPACED.test(word)) {
      found.push(...pairsOf(word));
      continue;
    }
    // Taking compatibility characters apart can bring signs that are no letters.
    const plain = word.normalize('NFKD').replace(/[\u0300-\u036f]|[^\p{L}\p{M}\p{N}']/gu, '');
    if (plain !== '') found.push(plain);
  }
  return found;
}

function pairsOf(word: string): string[] {
  const characters = [...word];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => characters[index]! + character);
}

/** The term that a word is indexed under, or undefined where it carries nothing. */
export function termOf(word: string): string | undefined {
  if (STOPWORDS.has(word)) return undefined;
  const bare = word.replace(/'s?$|'(ll|re|ve|d|m|t)$/, '').replaceAll("'", '');
  if (bare === '' || bare.length > LONGEST || STOPWORDS.has(bare)) return undefined;
  return stem(bare);
}

/** The terms of a text in order, with repetitions. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const word of wordsOf(text)) {
    const term = termOf(word);
    if (term !== undefined) terms.push(term);
  }
  return terms;
}

/** Terms for exact names (error codes, files, flags) that stand in a text, each once. */
export function identifierTermsOf(text: string): string[] {
  return [...new Set(identifiersIn(text).map(identifierTerm))];
}

/** The term under which the domain of an item is indexed, so that it can be filtered for before ranking. */
export function domainTerm(domain: string): string {
  return `d_${domain
    .trim()
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]+/gu, '_')}`;
}
