import { ASCII, fold } from './accents.ts';
import { OTHER_LANGUAGES, wordsIn } from './index.ts';
import { LANGUAGES, type LanguageCode } from './language.ts';

/** Words of languages that are not stemmed: what they are in is not taken for one that is. */
const UNKNOWN = `og jeg ikke af til på som for att är och inte jag ett nie się jest że czy jak ale jsem není jsou bir için ile çok
olen että és egy hogy nem az det har var en ha vill den de et er han hon vi ni kan skal`;
const ENGLISH = 1;
const UNKNOWN_BIT = 1 << LANGUAGES.length;

/** As much of a text as tells its language. */
const ENOUGH = 160;
/** Where English is plain after so many words, the rest is not looked at. */
const FIRST_LOOK = 24;
const PLAIN_ENGLISH = 4;
/** A text of which a smaller share is function words is a list of names, or in no language that is known. */
const LEAST_SHARE = 0.1;

let languagesByWord: Map<string, number> | undefined;

function bitsByWord(): Map<string, number> {
  const bits = new Map<string, number>();
  const add = (word: string, bit: number) => bits.set(word, (bits.get(word) ?? 0) | bit);
  // With accents and without: people leave them out.
  const addList = (list: string, bit: number) => {
    for (const word of list.split(/\s+/)) for (const form of new Set([word, fold(word)])) add(form, bit);
  };
  for (const word of wordsIn('en').stopwords) add(word, ENGLISH);
  for (const [index, code] of LANGUAGES.entries()) {
    if (code !== 'en') addList(OTHER_LANGUAGES[code].stopwords, 1 << index);
  }
  addList(UNKNOWN, UNKNOWN_BIT);
  return bits;
}

/** Letters that English does not have, and who does. */
const LETTERS: [RegExp, LanguageCode][] = [
  [/[äöüß]/i, 'de'],
  [/[ñ¿¡]/i, 'es'],
  [/[ãõ]/i, 'pt'],
  [/[êèçœù]/i, 'fr'],
  [/[èòù]/i, 'it'],
  [/[ëĳ]/i, 'nl'],
];
const CYRILLIC = /\p{Script=Cyrillic}/u;
/** Of languages that share the script with Russian. */
const NOT_RUSSIAN = /[іїєґўљњћђџјѓќ]/iu;

/** How much speaks for each language; words that English shares with another speak for neither. */
export interface Evidence {
  english: number;
  shared: number;
  /** By the place of the language in `LANGUAGES`; the last one stands for languages that are not known. */
  others: number[];
  words: number;
}

/** Counts what the words of a text, lower-case, and its letters say. */
export function evidenceIn(words: readonly string[], text: string): Evidence {
  languagesByWord ??= bitsByWord();
  const others = LANGUAGES.map(() => 0).concat(0);
  const evidence = { english: 0, shared: 0, others, words: Math.min(words.length, ENOUGH) };
  let foreign = 0;
  for (let place = 0; place < evidence.words; place++) {
    const word = words[place]!;
    const bits = languagesByWord.get(word) ?? elided(languagesByWord, word);
    if (bits !== undefined) {
      if (bits === ENGLISH) evidence.english++;
      else if ((bits & ENGLISH) !== 0) evidence.shared++;
      else {
        foreign++;
        for (let index = 1; index < others.length; index++) if ((bits & (1 << index)) !== 0) others[index]!++;
      }
    }
    if (place === FIRST_LOOK && evidence.english >= PLAIN_ENGLISH && foreign * 4 <= evidence.english) {
      evidence.words = place + 1;
    }
  }
  if (!ASCII.test(text)) addLetters(evidence, words, text);
  return evidence;
}

/** "L'eau" and "qu'il" begin with a word of their own. */
function elided(bits: ReadonlyMap<string, number>, word: string): number | undefined {
  const apostrophe = word.indexOf("'");
  return apostrophe <= 0 ? undefined : bits.get(word.slice(0, apostrophe));
}

function addLetters({ others }: Evidence, words: readonly string[], text: string): void {
  for (const [letters, code] of LETTERS) if (letters.test(text)) others[LANGUAGES.indexOf(code)]!++;
  if (!CYRILLIC.test(text)) return;
  const cyrillic = words.filter((word) => CYRILLIC.test(word)).length;
  if (cyrillic * 2 < words.length) return;
  const place = NOT_RUSSIAN.test(text) ? LANGUAGES.length : LANGUAGES.indexOf('ru');
  others[place]! += Math.max(2, cyrillic);
}

export interface Detected {
  language: LanguageCode;
  /** Whether anything spoke for it. */
  sure: boolean;
  /** It has sentences of English, too. */
  mixed: boolean;
}

const MIXED = 3;

/** What a passage is written in. Where too little tells, it is not sure. */
export function detect(evidence: Evidence): Detected {
  const { english, shared, others, words } = evidence;
  const place = strongest(others);
  const most = others[place]!;
  if (most < 2 || most <= 2 * english || (most + shared) / words < LEAST_SHARE) {
    const mixed = most >= MIXED && place < LANGUAGES.length;
    return { language: 'en', sure: english >= 2 && english >= most, mixed };
  }
  // Not known is as good as English: nothing is stemmed that should not be.
  if (place === LANGUAGES.length) return { language: 'en', sure: true, mixed: false };
  return { language: LANGUAGES[place]!, sure: true, mixed: english >= MIXED };
}

function strongest(others: readonly number[]): number {
  let place = 1;
  for (let index = 2; index < others.length; index++) if (others[index]! > others[place]!) place = index;
  return place;
}

/**
 * What a goal is written in: a few words, of which one may have to be enough. `held` has the languages of what can be
 * read, the most frequent first; `usual` is the one that most of it is in.
 */
export function goalLanguage(
  { english, others }: Evidence,
  held: readonly LanguageCode[],
  usual: LanguageCode = 'en',
): LanguageCode {
  const place = strongest(others);
  const most = others[place]!;
  if (most === 0) return english === 0 ? usual : 'en';
  if (most <= english) return 'en';
  // Of equally likely ones, the one that is read here.
  return held.find((code) => others[LANGUAGES.indexOf(code)] === most) ?? LANGUAGES[place] ?? 'en';
}
