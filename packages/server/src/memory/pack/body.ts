import { fold } from '../text/languages/accents.ts';
import type { LanguageCode } from '../text/languages/language.ts';
import { sentenceStart, sentenceStarts } from '../text/sentences.ts';
import { languageOf, termOf } from '../text/terms.ts';

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’]*/gu;
const PLAIN = /^[\t\n\r -~]*$/;
const ENDING = /[.!?…。！？]["'”’)\]]*(?=\s)|\n/g;

/** An excerpt ends with a sentence, so that its last part may not be shown. */
const SURELY_SHOWN = 0.6;
const USUALLY_SHOWN = 0.93;
/** Characters after a sentence in which the terms are counted that follow it. */
const MOST_COUNTED = 800;
/** Characters that tell the language of a text. */
const TELLING = 1000;

/** Where to look for what made an item match: a stretch of its content, and the terms that were searched for. */
export interface Focus {
  begin: number;
  end: number;
  terms: ReadonlySet<string>;
  /** What it is written in, where that is known. */
  language?: LanguageCode | undefined;
}

/** What an item says, in as many characters as there is room for. What is looked for in it does not follow its length. */
export class Body {
  readonly #content: string;
  readonly #focus: Focus;
  readonly #length: number;
  #starts: number[] | undefined;
  #hits: { place: number; term: string }[] | undefined;
  #last: { most: number; text: string } | undefined;

  constructor(content: string, focus: Focus) {
    this.#content = content.trimEnd();
    this.#focus = focus;
    this.#length = this.#content.trimStart().length;
  }

  /** About how many characters there are in so much room. */
  lengthWithin(most: number): number {
    return this.#length <= most ? this.#length : most * USUALLY_SHOWN;
  }

  isWhole(most: number): boolean {
    return this.#length <= most;
  }

  /** All of it, or an excerpt that begins at the sentence from which the most of what was searched for follows. */
  text(most: number): string {
    if (this.isWhole(most)) return this.#content.trimStart();
    if (this.#last?.most !== most) this.#last = { most, text: this.#excerpt(most) };
    return this.#last.text;
  }

  #excerpt(most: number): string {
    const content = this.#content;
    const start = this.#bestStart(most);
    const begin = start + (content.slice(start).length - content.slice(start).trimStart().length);
    const before = content.slice(0, begin).trim() === '' ? '' : '… ';
    if (content.length - begin + before.length <= most) return before + content.slice(begin);
    return before + this.#cutAtSentence(begin, most - before.length);
  }

  /** The beginning where that says as much as any other place; else as close as can be to what was searched for. */
  #bestStart(most: number): number {
    const { begin, end } = this.#focus;
    const room = Math.min(MOST_COUNTED, most * SURELY_SHOWN);
    this.#starts ??= sentenceStarts(this.#content, sentenceStart(this.#content, begin), end);
    const counted = this.#starts.map((start) => ({ start, count: this.#termsWithin(start, room) }));
    const highest = Math.max(...counted.map(({ count }) => count));
    if (this.#termsWithin(0, room) >= highest) return 0;
    return counted.findLast(({ count }) => count === highest)!.start;
  }

  #termsWithin(start: number, most: number): number {
    this.#hits ??= this.#findHits();
    const within = this.#hits.filter(({ place }) => place >= start && place < start + most);
    return new Set(within.map(({ term }) => term)).size;
  }

  /** At the beginning, and where it matched. */
  #findHits(): { place: number; term: string }[] {
    const { terms, end } = this.#focus;
    if (terms.size === 0) return [];
    const language = this.#focus.language ?? languageOf(this.#content.slice(0, TELLING));
    const first = hitsIn(this.#content, 0, MOST_COUNTED, terms, language);
    const from = Math.max(MOST_COUNTED, this.#starts![0]!);
    return [...first, ...hitsIn(this.#content, from, end + MOST_COUNTED, terms, language)];
  }

  #cutAtSentence(begin: number, most: number): string {
    const last = begin + most - 2;
    // With the character behind it, which tells whether a stop ends anything.
    const ends = [...this.#content.slice(begin, last + 1).matchAll(ENDING)];
    const end =
      begin +
      (ends.map(({ index, 0: stop }) => index + stop.length).findLast((each) => begin + each <= last) ?? 0);
    if (end - begin > most / 2) return `${this.#content.slice(begin, end).trimEnd()} …`;
    return cut(this.#content.slice(begin, begin + most + 1), most);
  }
}

function hitsIn(
  content: string,
  from: number,
  to: number,
  terms: ReadonlySet<string>,
  language: LanguageCode,
): { place: number; term: string }[] {
  const text = content.slice(from, to);
  const { beginnings, words } = beginningsOf(terms);
  const isPlain = PLAIN.test(text);
  return [...text.matchAll(isPlain ? words : WORD)].flatMap(({ index, 0: word }) => {
    if (!isPlain && !beginnings.has(fold(word.slice(0, 2).toLowerCase()))) return [];
    const term = termOf(word.replaceAll('’', "'").toLowerCase(), language);
    return term !== undefined && terms.has(term) ? [{ place: from + index, term }] : [];
  });
}

/** Nearly every word begins as its term does, and most words begin otherwise: those are not stemmed. */
interface Beginnings {
  beginnings: ReadonlySet<string>;
  /** In a text without accents, the words that begin so. */
  words: RegExp;
}

/** By the terms of a goal, which are the same for all items of a pack. */
const KNOWN = new WeakMap<ReadonlySet<string>, Beginnings>();

function beginningsOf(terms: ReadonlySet<string>): Beginnings {
  const known = KNOWN.get(terms);
  if (known) return known;
  const beginnings = new Set([...terms].map((term) => fold(term.slice(0, 2))));
  const plain = [...beginnings].filter((each) => /^[a-z\d]{1,2}$/.test(each));
  const [pairs, singles] = [
    plain.filter((each) => each.length === 2),
    plain.filter((each) => each.length === 1),
  ];
  // Where nothing stands before it that makes a word of both; looked at last, since few places come so far.
  const words = new RegExp(
    `(?:${[...pairs, '(?!)'].join('|')})(?<![a-z\\d]'*..)[a-z\\d']*|(?:${[...singles, '(?!)'].join('|')})(?<![a-z\\d]'*.)(?![a-z\\d'])`,
    'gi',
  );
  const made = { beginnings, words };
  KNOWN.set(terms, made);
  return made;
}

/** At a word, where one ends near enough. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const short = text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '');
  const space = short.lastIndexOf(' ');
  return `${(space > most * 0.6 ? short.slice(0, space) : short).trimEnd()}…`;
}
