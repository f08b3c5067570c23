import { COMPOUNDING, partsOf, partTerm } from './compounds.ts';
import { identifiersIn, identifierTerm } from './identifiers.ts';
import { ASCII, fold } from './languages/accents.ts';
import { detect, evidenceIn } from './languages/detect.ts';
import { wordsIn } from './languages/index.ts';
import type { LanguageCode } from './languages/language.ts';
import { stemIn } from './languages/stemmers.ts';
import { stem } from './stem.ts';
import { ENGLISH_STOPWORDS } from './stopwords.ts';

/** Letters with their marks, digits, and an apostrophe between letters. */
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’][\p{L}]+)*/gu;
const ASCII_WORD = /[A-Za-z0-9]+(?:'[A-Za-z]+)*/g;
/** Scripts that are written without spaces, or whose particles stick to words: looked for by pairs of characters. */
const PAIRED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Khmer}ー';
const HAS_PAIRED = new RegExp(`[${PAIRED}]`, 'u');
const RUNS = new RegExp(`[${PAIRED}]+|[^${PAIRED}]+`, 'gu');
const LONGEST = 64;

/** The words of a text, lower-case and with their accents, in order. */
export function tokensOf(text: string): string[] {
  if (ASCII.test(text)) return (text.match(ASCII_WORD) ?? []).map((word) => word.toLowerCase());
  const words = text.normalize('NFC').replaceAll('’', "'").match(WORD) ?? [];
  if (!HAS_PAIRED.test(text)) return words.map((word) => word.toLowerCase());
  return words.flatMap((word) => {
    if (!HAS_PAIRED.test(word)) return word.toLowerCase();
    const runs = word.normalize('NFKC').toLowerCase().match(RUNS) ?? [];
    return runs.flatMap((run) => (HAS_PAIRED.test(run) ? pairsOf(run) : run));
  });
}

/** The words of a text, lower-case and without accents, in order. */
export function wordsOf(text: string): string[] {
  return tokensOf(text)
    .map(foldWord)
    .filter((word) => word !== '');
}

/** Pairs of characters stay as they are: taking Hangul apart makes other characters of it. */
function foldWord(word: string): string {
  return ASCII.test(word) || HAS_PAIRED.test(word) ? word : fold(word);
}

function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => characters[index]! + character);
}

/** The term that a lower-case word is indexed under in a language, or undefined where it carries nothing. */
export function termOf(word: string, language: LanguageCode = 'en'): string | undefined {
  return language === 'en' ? englishTerm(foldWord(word)) : termIn(language, word);
}

function englishTerm(word: string): string | undefined {
  if (ENGLISH_STOPWORDS.has(word)) return undefined;
  const bare = word.replace(/'s?$|'(ll|re|ve|d|m|t)$/, '').replaceAll("'", '');
  if (bare === '' || bare.length > LONGEST || ENGLISH_STOPWORDS.has(bare)) return undefined;
  return stem(bare);
}

function termIn(language: LanguageCode, word: string): string | undefined {
  if (HAS_PAIRED.test(word)) return word;
  const { stopwords } = wordsIn(language);
  const plain = fold(word);
  if (plain === '' || plain.length > LONGEST || stopwords.has(plain)) return undefined;
  const term = stemIn(language, word).replaceAll("'", '');
  return term === '' || stopwords.has(plain.replace(/^.*'/, '')) ? undefined : term;
}

/** What a text is indexed by. */
export interface ReadText {
  language: LanguageCode;
  /** In order, with repetitions. */
  terms: string[];
  /** Terms of the parts of its compounds, each once. */
  parts: string[];
}

/** Lines, and sentences that end with a stop. */
const SEGMENT = /[^\n]+?(?:[.!?](?=\s)|\n|$)/g;

/**
 * Reads a text by the language that it is in; where little tells, by `usual`: that of what it belongs to. In a text with
 * sentences of English, each sentence is read by its own.
 */
export function readText(text: string, usual: LanguageCode = 'en'): ReadText {
  const tokens = tokensOf(text);
  const { language, sure, mixed } = detect(evidenceIn(tokens, text));
  const main = sure ? language : usual;
  if (!mixed) return readIn(main, tokens, ASCII.test(text));
  const terms: string[] = [];
  const parts = new Set<string>();
  for (const [segment] of text.matchAll(SEGMENT)) {
    const words = tokensOf(segment);
    const own = detect(evidenceIn(words, segment));
    const read = readIn(own.sure ? own.language : main, words);
    for (const term of read.terms) terms.push(term);
    for (const part of read.parts) parts.add(part);
  }
  return { language: main, terms, parts: [...parts] };
}

function readIn(language: LanguageCode, tokens: readonly string[], isAscii = false): ReadText {
  const terms: string[] = [];
  const isPlain = isAscii && language === 'en';
  for (const token of tokens) {
    const term = isPlain ? englishTerm(token) : termOf(token, language);
    if (term !== undefined) terms.push(term);
  }
  if (!COMPOUNDING.has(language)) return { language, terms, parts: [] };
  const parts = new Set<string>();
  for (const term of terms) for (const part of partsOf(language, term)) parts.add(partTerm(part));
  return { language, terms, parts: [...parts] };
}

/** What a text is written in, as far as it tells. */
export function languageOf(text: string): LanguageCode {
  const { language, sure } = detect(evidenceIn(tokensOf(text), text));
  return sure ? language : 'en';
}

/** The terms of a text in order, with repetitions. */
export function termsOf(text: string): string[] {
  return readText(text).terms;
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

/** The term under which passages in a language are indexed, less those in English. */
export function languageTerm(language: LanguageCode): string {
  return `l_${language}`;
}
