import { sentenceStart, sentenceStarts } from '../text/sentences.ts';
import { languageOf, termOf } from '../text/terms.ts';

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’]*/gu;
const ENDING = /[.!?…。！？]["'”’)\]]*(?=\s)|\n/g;

/** An excerpt ends with a sentence, so that its last part may not be shown. */
const SURELY_SHOWN = 0.6;

/** Where to look for what made an item match: a stretch of its content, and the terms that were searched for. */
export interface Focus {
  begin: number;
  end: number;
  terms: ReadonlySet<string>;
}

/** What an item says, in as many characters as there is room for. */
export class Body {
  readonly #content: string;
  readonly #focus: Focus;
  #hits: { place: number; term: string }[] | undefined;
  #last: { most: number; text: string } | undefined;

  constructor(content: string, focus: Focus) {
    this.#content = content.trimEnd();
    this.#focus = focus;
  }

  isWhole(most: number): boolean {
    return this.#content.trimStart().length <= most;
  }

  /** All of it, or an excerpt that begins at the sentence from which the most of what was searched for follows. */
  text(most: number): string {
    if (this.isWhole(most)) return this.#content.trimStart();
    if (this.#last?.most !== most) this.#last = { most, text: this.#excerpt(most) };
    return this.#last.text;
  }

  #excerpt(most: number): string {
    const content = this.#content;
    const begin = this.#bestStart(most);
    const before = content.slice(0, begin).trim() === '' ? '' : '… ';
    if (content.length - begin + before.length <= most) return before + content.slice(begin).trimStart();
    return before + cutAtSentence(content.slice(begin).trimStart(), most - before.length);
  }

  /** The beginning where that says as much as any other place; else as close as can be to what was searched for. */
  #bestStart(most: number): number {
    const { begin, end } = this.#focus;
    const room = most * SURELY_SHOWN;
    const starts = sentenceStarts(this.#content, sentenceStart(this.#content, begin), end);
    const counted = starts.map((start) => ({ start, count: this.#termsWithin(start, room) }));
    const highest = Math.max(...counted.map(({ count }) => count));
    if (this.#termsWithin(0, room) >= highest) return 0;
    return counted.findLast(({ count }) => count === highest)!.start;
  }

  #termsWithin(start: number, most: number): number {
    this.#hits ??= hitsIn(this.#content, this.#focus.terms);
    const within = this.#hits.filter(({ place }) => place >= start && place < start + most);
    return new Set(within.map(({ term }) => term)).size;
  }
}

function hitsIn(content: string, terms: ReadonlySet<string>): { place: number; term: string }[] {
  if (terms.size === 0) return [];
  const language = languageOf(content);
  return [...content.matchAll(WORD)].flatMap(({ index, 0: word }) => {
    const term = termOf(word.replaceAll('’', "'").toLowerCase(), language);
    return term !== undefined && terms.has(term) ? [{ place: index, term }] : [];
  });
}

function cutAtSentence(text: string, most: number): string {
  const short = text.slice(0, most - 2);
  const ends = [...short.matchAll(ENDING)].map(({ index, 0: end }) => index + end.length);
  const end = ends.at(-1) ?? 0;
  return end > most / 2 ? `${short.slice(0, end).trimEnd()} …` : cut(text, most);
}

/** At a word, where one ends near enough. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const short = text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '');
  const space = short.lastIndexOf(' ');
  return `${(space > most * 0.6 ? short.slice(0, space) : short).trimEnd()}…`;
}
