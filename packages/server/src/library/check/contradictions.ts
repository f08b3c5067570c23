import type { Place } from './finding.ts';
import { proseOf } from './wording.ts';

/** A constraint, and where it stands. */
export interface PlacedConstraint extends Place {
  id: string;
  text: string;
}

export interface OpposedConstraints {
  one: PlacedConstraint;
  other: PlacedConstraint;
  /** The other forbids what the one asks for; or both say the same with other numbers. */
  why: 'opposite' | 'numbers';
}

interface Read {
  statement: PlacedConstraint;
  words: Set<string>;
  forbids: boolean;
  /** It says by itself that something is to be done or left: "Use tabs", and not "Tabs". */
  asks: boolean;
  numbers: string;
}

const FORBIDS =
  /\b(?:never|avoid|don['’]?t|do not|must not|mustn['’]t|should not|shouldn['’]t|may not|cannot|not allowed|forbidden|no longer)\b|(?<!\p{L})(?:nie|niemals|nicht|kein\p{L}*|vermeide\p{L}*)(?!\p{L})/iu;
const ASKS = /\b(?:always|must|should|only|use)\b|(?<!\p{L})(?:immer|nur|muss|soll)(?!\p{L})/iu;
const NUMBER = /\d+(?:[.,]\d+)*/g;
const WORD = /\p{L}[\p{L}\p{N}_-]+/gu;
/** Words that say how binding something is, or nothing by themselves. */
const FILLERS = new Set(
  (
    'never avoid do don not must mustn should shouldn may cannot allowed forbidden longer always only every each all any the an and or of to in on at by for with from as is are be it its this that these those use you your we our than then when where which who what how if unless ' +
    'nie niemals nicht kein keine keinen vermeide vermeiden immer nur jede jeder jedes alle der die das ein eine einen und oder von zu im in auf bei mit für aus als ist sind sein wenn wo was wie'
  ).split(' '),
);
/** So much of their words two statements share that speak of the same thing. */
const SAME = 0.75;
const LEAST_SHARED = 2;
/** A longer text says several things, and sharing its words proves little. */
const LONGEST = 400;

/** Pairs of constraints that cannot both be followed, by the words they share. Nothing is guessed beyond that. */
export function contradictionsAmong(statements: readonly PlacedConstraint[]): OpposedConstraints[] {
  const read = statements.flatMap((statement) => readStatement(statement) ?? []);
  const byWord = new Map<string, number[]>();
  const found: OpposedConstraints[] = [];
  for (const [index, one] of read.entries()) {
    const shared = new Map<number, number>();
    for (const word of one.words) {
      for (const earlier of byWord.get(word) ?? []) shared.set(earlier, (shared.get(earlier) ?? 0) + 1);
    }
    for (const [earlier, count] of shared) {
      const other = read[earlier]!;
      const why = count >= LEAST_SHARED || isPlain(one, other) ? whyNotBoth(one, other, count) : undefined;
      if (why) found.push({ one: other.statement, other: one.statement, why });
    }
    for (const word of one.words) byWord.set(word, [...(byWord.get(word) ?? []), index]);
  }
  return found;
}

/** One word is enough where it is all that both speak of: "Always use tabs", "Never use tabs". */
function isPlain(one: Read, other: Read): boolean {
  return one.words.size === 1 && other.words.size === 1 && one.asks && other.asks;
}

function whyNotBoth(one: Read, other: Read, shared: number): OpposedConstraints['why'] | undefined {
  if (shared / Math.max(one.words.size, other.words.size) < SAME) return undefined;
  if (one.forbids !== other.forbids) return 'opposite';
  const isSame = one.numbers === other.numbers || one.numbers === '' || other.numbers === '';
  return isSame ? undefined : 'numbers';
}

function readStatement(statement: PlacedConstraint): Read | undefined {
  if (statement.text.length > LONGEST) return undefined;
  const prose = proseOf(statement.text.replaceAll(/[`*]/g, ''));
  const words = new Set(
    [...prose.toLowerCase().matchAll(WORD)]
      .map(([word]) => word)
      .filter((word) => !FILLERS.has(word))
      .map(stem),
  );
  if (words.size === 0) return undefined;
  const numbers = (prose.match(NUMBER) ?? []).join(' ');
  const forbids = FORBIDS.test(prose);
  return { statement, words, forbids, asks: forbids || ASKS.test(prose), numbers };
}

/** "names" and "named" are "name": enough to compare two sentences. */
function stem(word: string): string {
  const short = word.replace(/(?:ies|y)$/, 'i').replace(/(?:ing|ed|es|s|e)$/, '');
  return short.length >= 3 ? short : word;
}
