import { IRREGULAR } from './irregular.ts';
import { oneSpelling } from './spelling.ts';

/**
 * Porter's algorithm of 1980, after irregular forms have been led back to their base: "went" and "goes" both become
 * "go". Applied to items and goals alike, so what matters is that forms of one word meet.
 */
const CONSONANT = '[^aeiou]';
const VOWEL = '[aeiouy]';
const CONSONANTS = `${CONSONANT}[^aeiouy]*`;
const VOWELS = `${VOWEL}[aeiou]*`;
const MEASURE_0 = new RegExp(`^(${CONSONANTS})?${VOWELS}${CONSONANTS}`);
const MEASURE_1 = new RegExp(`^(${CONSONANTS})?${VOWELS}${CONSONANTS}(${VOWELS})?$`);
const MEASURE_2 = new RegExp(`^(${CONSONANTS})?${VOWELS}${CONSONANTS}${VOWELS}${CONSONANTS}`);
const HAS_VOWEL = new RegExp(`^(${CONSONANTS})?${VOWEL}`);
const SHORT = new RegExp(`^${CONSONANTS}${VOWEL}[^aeiouwxy]$`);
const DOUBLE = /([^aeiouylsz])\1$/;

const STEP_2: [RegExp, string][] = [
  [/ational$/, 'ate'],
  [/tional$/, 'tion'],
  [/enci$/, 'ence'],
  [/anci$/, 'ance'],
  [/izer$/, 'ize'],
  [/bli$/, 'ble'],
  [/alli$/, 'al'],
  [/entli$/, 'ent'],
  [/eli$/, 'e'],
  [/ousli$/, 'ous'],
  [/ization$/, 'ize'],
  [/ation$/, 'ate'],
  [/ator$/, 'ate'],
  [/alism$/, 'al'],
  [/iveness$/, 'ive'],
  [/fulness$/, 'ful'],
  [/ousness$/, 'ous'],
  [/aliti$/, 'al'],
  [/iviti$/, 'ive'],
  [/biliti$/, 'ble'],
  [/logi$/, 'log'],
];
const STEP_3: [RegExp, string][] = [
  [/icate$/, 'ic'],
  [/ative$/, ''],
  [/alize$/, 'al'],
  [/iciti$/, 'ic'],
  [/ical$/, 'ic'],
  [/ful$/, ''],
  [/ness$/, ''],
];
const STEP_4 = /^(.+?)(al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize)$/;
const STEP_4_ION = /^(.+?[st])ion$/;

const MOST_KEPT = 60_000;
/** Longer ones are no words, and do not come back. */
const LONGEST = 64;
const kept = new Map<string, string>();

/** The stem of a lower-case word. */
export function stem(word: string): string {
  let found = kept.get(word);
  if (found === undefined) {
    found = compute(word);
    // Logs bring words without end; the useful ones come back soon after a clearing.
    if (word.length > LONGEST) return found;
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(word, found);
  }
  return found;
}

function compute(word: string): string {
  const spelled = oneSpelling(word);
  const base = Object.hasOwn(IRREGULAR, spelled) ? IRREGULAR[spelled]! : spelled;
  return base.length < 3 || !/^[a-z]+$/.test(base) ? base : porter(base);
}

function porter(word: string): string {
  let text = word.startsWith('y') ? `Y${word.slice(1)}` : word;
  text = plurals(text);
  text = pastAndProgressive(text);
  if (text.endsWith('y') && HAS_VOWEL.test(text.slice(0, -1))) text = `${text.slice(0, -1)}i`;
  text = replaceFirst(text, STEP_2);
  text = replaceFirst(text, STEP_3);
  const match = STEP_4.exec(text) ?? STEP_4_ION.exec(text);
  if (match && MEASURE_2.test(match[1]!)) text = match[1]!;
  if (text.endsWith('e')) {
    const before = text.slice(0, -1);
    if (MEASURE_2.test(before) || (MEASURE_1.test(before) && !SHORT.test(before))) text = before;
  }
  if (text.endsWith('ll') && MEASURE_2.test(text)) text = text.slice(0, -1);
  return text.toLowerCase();
}

function plurals(text: string): string {
  if (/(ss|i)es$/.test(text)) return text.slice(0, -2);
  return /[^s]s$/.test(text) ? text.slice(0, -1) : text;
}

function pastAndProgressive(text: string): string {
  if (text.endsWith('eed')) return MEASURE_0.test(text.slice(0, -3)) ? text.slice(0, -1) : text;
  const before = /^(.+?)(ed|ing)$/.exec(text)?.[1];
  if (before === undefined || !HAS_VOWEL.test(before)) return text;
  if (/(at|bl|iz)$/.test(before)) return `${before}e`;
  if (DOUBLE.test(before)) return before.slice(0, -1);
  return SHORT.test(before) ? `${before}e` : before;
}

function replaceFirst(text: string, rules: readonly [RegExp, string][]): string {
  for (const [ending, replacement] of rules) {
    const match = ending.exec(text);
    if (!match) continue;
    const before = text.slice(0, match.index);
    return MEASURE_0.test(before) ? before + replacement : text;
  }
  return text;
}
