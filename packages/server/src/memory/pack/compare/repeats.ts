import { tokensOf } from '../../text/terms.ts';
import { isDenied } from './opposites.ts';

/** What is compared of an item. */
export interface ComparedText {
  title: string | null;
  /** What it says. It is read where the terms are alike, or where two have as many bytes. */
  readonly content: string;
  bytes: number;
  author: string | null;
  thread: string | null;
  /** Where the day makes another statement of it. */
  day: number | null;
  /** Terms of the passage that speaks for it, in order, apart by spaces. */
  readonly terms: string;
}

/** Of their terms, two statements may differ in this share: one of them says more; or both say something else, in a long text. */
const MORE = 0.15;
const ELSE = 0.1;
const LONG = 20;
/** Of the pairs of terms that follow each other, they share this much: order makes sense. */
const PAIRS_SHARED = 0.7;
/** Of those of the words of a text of more characters, this much. */
const LONG_CONTENT = 1000;
const WORDS_SHARED = 0.85;
/** A turn with fewer terms answers what was said before it, whatever else it is like: "Yes, let's do that." */
const LEAST_OF_TURN = 6;
/** Characters of a long text that are compared. */
const MOST_COMPARED = 20_000;
/** Numbers, versions, days, names with digits, and what stands in code. */
const VALUE = /`[^`\n]+`|[\p{L}\p{N}_./:%+-]*\d[\p{L}\p{N}_./:%+-]*/gu;
const NAME = /(?<=[\p{Ll}\p{N},] )\p{Lu}[\p{L}\p{N}]+/gu;

/** What is read of a statement, once it is needed. */
class Reading {
  readonly statement: ComparedText;
  readonly #made = new Map<string, ReadonlySet<string>>();
  #content: string | undefined;
  #denied: boolean | undefined;

  constructor(statement: ComparedText) {
    this.statement = statement;
  }

  get content(): string {
    this.#content ??= this.statement.content;
    return this.#content;
  }

  get distinct() {
    return this.#once('distinct', () => this.#terms);
  }

  get pairs() {
    return this.#once('pairs', () => pairsOf(this.#terms));
  }

  get values() {
    return this.#once('values', () =>
      (this.#text.match(VALUE) ?? []).map((each) => each.replace(/[.:,-]+$/, '')),
    );
  }

  get names() {
    return this.#once('names', () => this.#text.match(NAME) ?? []);
  }

  get wordPairs() {
    return this.#once('wordPairs', () => pairsOf(tokensOf(this.#text)));
  }

  get isDenied(): boolean {
    this.#denied ??= isDenied(this.#text);
    return this.#denied;
  }

  get #terms() {
    return this.statement.terms.split(' ').filter((term) => term !== '');
  }

  get #text() {
    return this.content.slice(0, MOST_COMPARED);
  }

  #once(name: string, make: () => Iterable<string>): ReadonlySet<string> {
    const known = this.#made.get(name) ?? new Set(make());
    this.#made.set(name, known);
    return known;
  }
}

/**
 * Puts together what says nearly the same: the first of them, the best, stands for the others. All that is given is in what comes
 * back, once.
 */
export function mergeRepeated<Each>(
  candidates: readonly Each[],
  statementOf: (each: Each) => ComparedText,
): Map<Each, Each[]> {
  const merged = new Map<Each, Each[]>();
  const first: { each: Each; reading: Reading }[] = [];
  for (const each of candidates) {
    const reading = new Reading(statementOf(each));
    const same = first.find((other) => isSame(other.reading, reading));
    if (same) merged.get(same.each)!.push(each);
    else {
      merged.set(each, []);
      first.push({ each, reading });
    }
  }
  return merged;
}

/** Whether two statements say nearly the same. Another number, name or "not" makes another statement. */
export function saysTheSame(one: ComparedText, other: ComparedText): boolean {
  return isSame(new Reading(one), new Reading(other));
}

function isSame(one: Reading, other: Reading): boolean {
  const [here, there] = [one.statement, other.statement];
  if (here.author !== there.author || here.day !== there.day || !isCalledAlike(here.title, there.title))
    return false;
  const isTurn = here.thread !== null || there.thread !== null;
  if (isTurn && Math.min(one.distinct.size, other.distinct.size) < LEAST_OF_TURN) return false;
  if (here.bytes === there.bytes && one.content === other.content) return true;
  if (!isAlike(one, other) || likeness(one.pairs, other.pairs) < PAIRS_SHARED) return false;
  if (!isEqual(one.values, other.values) || !isEqual(one.names, other.names)) return false;
  if (one.isDenied !== other.isDenied) return false;
  const [shortest, longest] = [one.content.length, other.content.length].sort((few, many) => few - many);
  // The passage may be a small part of what an item says.
  return (
    shortest! >= 0.8 * longest! &&
    likeness(one.wordPairs, other.wordPairs) >= (longest! > LONG_CONTENT ? WORDS_SHARED : 0)
  );
}

function isCalledAlike(one: string | null, other: string | null): boolean {
  return one === null || other === null || one.trim().toLowerCase() === other.trim().toLowerCase();
}

/** By the terms, whatever their order; stops as soon as too many differ. */
function isAlike(one: Reading, other: Reading): boolean {
  const [small, large] =
    one.distinct.size <= other.distinct.size
      ? [one.distinct, other.distinct]
      : [other.distinct, one.distinct];
  if (small.size === 0 || small.size < (1 - MORE) * large.size) return false;
  const most = large.size * MORE;
  let onlySmall = 0;
  for (const term of small) if (!large.has(term) && ++onlySmall > most) return false;
  const onlyLarge = large.size - (small.size - onlySmall);
  const all = large.size + onlySmall;
  if (onlySmall === 0) return onlyLarge <= MORE * all;
  return all >= LONG && onlySmall + onlyLarge <= ELSE * all;
}

function pairsOf(terms: readonly string[]): string[] {
  return terms.length < 2 ? [...terms] : terms.slice(1).map((term, index) => `${terms[index]} ${term}`);
}

/** The share of what is in either of them that is in both. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const each of one) if (other.has(each)) shared++;
  const all = one.size + other.size - shared;
  return all === 0 ? 1 : shared / all;
}

function isEqual(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((each) => other.has(each));
}
