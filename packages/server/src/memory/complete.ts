import type { Database } from '../kernel/sqlite.ts';
import { type ItemRow, itemsByRow, itemsOfPassages, type Partition } from './queries.ts';
import { findPostings } from './retrieval/postings.ts';
import { termOf, wordsOf } from './text/terms.ts';

/** Shorter beginnings are of too many words to mean one. */
const SHORTEST = 3;
/** Words are kept by their stems, so that “rotatio” begins no word although “rotation” is there. */
const LONGEST_ENDING = 3;
const SHORTEST_STEM = 4;

export interface Completed {
  item: ItemRow;
  /** The row of the passage. */
  passage: number;
  begins: string;
}

/** Whether the last word of what is typed is one already, and what holds a word that it begins, the newest first. */
export interface Completion {
  isWord: boolean;
  found: Completed[];
}

/**
 * What somebody may be about to ask for: passages with all words of the question but the last, and one that the last begins.
 * Undefined where the question ends with a space, or with too little.
 */
export function completionsOf(
  database: Database,
  partitions: readonly Partition[],
  question: string,
  limit: number,
): Completion | undefined {
  if (/\s$/u.test(question)) return undefined;
  const words = wordsOf(question);
  const last = words.at(-1);
  if (last === undefined || last.length < SHORTEST || !/^[\p{L}\p{N}]+$/u.test(last)) return undefined;
  const term = termOf(last);
  const isWord = term !== undefined && findPostings(database, partitions, `"${term}"`, 1).rows.length > 0;
  const others = words.slice(0, -1).flatMap((word) => termOf(word) ?? []);
  const expression = [...others.map((other) => `"${other}"`), `(${beginningWith(last)})`].join(' AND ');
  const { rows } = findPostings(database, partitions, expression, limit);
  const passageOf = new Map<number, number>();
  for (const { passage, item } of itemsOfPassages(database, rows)) {
    if (!passageOf.has(item) && passageOf.size < limit) passageOf.set(item, passage);
  }
  const found = itemsByRow(database, [...passageOf.keys()]).map((item) => ({
    item,
    passage: passageOf.get(item.row)!,
    begins: last,
  }));
  return { isWord, found };
}

function beginningWith(word: string): string {
  const stems = Array.from({ length: LONGEST_ENDING }, (_, cut) => word.slice(0, -1 - cut));
  const terms = stems.filter((stem) => stem.length >= SHORTEST_STEM).map((stem) => `"${stem}"`);
  return [`"${word}" *`, ...terms].join(' OR ');
}
