import type { GiveWay } from '../../kernel/give-way.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { Partition } from '../queries.ts';
import { namesIn } from '../text/names.ts';
import { languageOf, termOf } from '../text/terms.ts';
import { type Candidate, highest, type Pool, rarityOf, readPassages } from './candidates.ts';
import type { Goal } from './goal.ts';
import { anyOf, findPostings } from './postings.ts';
import type { Reach, Weights } from './weights.ts';

/** Names that the best hits bring: how much each counts, and where it stands. */
export type Expansion = ReadonlyMap<string, { value: number; rows: ReadonlySet<number> }>;

/**
 * The second round, for goals whose answer is two steps away ("the person with whom she opens a shop"): whom and what
 * the best hits name, and the goal does not, is asked for too.
 */
export async function expand(
  database: Database,
  partitions: readonly Partition[],
  goal: Goal,
  pool: Pool,
  best: readonly { passage: Candidate; score: number }[],
  domain: string | null,
  reach: Reach,
  weights: Weights,
  giveWay: GiveWay,
): Promise<Expansion> {
  const known = new Set(
    pool.concepts.flatMap(({ forms, synonyms, members }) => [...forms, ...synonyms, ...members]),
  );
  const people = new Set(goal.authors.flatMap(({ words }) => words));
  const sums = new Map<string, number>();
  for (const { passage, score } of best) {
    const { text, author } = saidIn(database, passage);
    const language = languageOf(text);
    for (const name of namesIn(text, language)) {
      const term = termOf(name, language);
      if (term === undefined || known.has(term) || people.has(name) || author?.toLowerCase() === name)
        continue;
      sums.set(term, (sums.get(term) ?? 0) + score);
    }
  }
  const found = [];
  for (const [term, weight] of sums) {
    await giveWay();
    const postings = findPostings(database, partitions, anyOf([term], domain), reach.postings);
    found.push({ term, postings, value: weight * rarityOf(pool.passages, postings.documents) });
  }
  const chosen = found
    .filter(({ postings }) => !postings.cut && postings.documents > 1)
    .sort((one, other) => other.value - one.value)
    .slice(0, weights.expansionTerms);
  const terms = new Map<string, { value: number; rows: ReadonlySet<number> }>();
  const rows = new Map<number, number>();
  for (const { term, postings, value } of chosen) {
    terms.set(term, { value: value / chosen[0]!.value, rows: new Set(postings.rows) });
    for (const row of postings.rows) rows.set(row, (rows.get(row) ?? 0) + value);
  }
  const missing = highest(rows, reach.hits).filter((row) => !pool.candidates.has(row));
  for (const [row, candidate] of await readPassages(database, missing, giveWay))
    pool.candidates.set(row, candidate);
  return terms;
}

/** What the passage says, not all of its item: an item may be as long as a book. */
function saidIn(database: Database, { row, item }: Candidate): { text: string; author: string | null } {
  const { content, author, begins, ends } = database.get<{
    content: string;
    author: string | null;
    begins: number;
    ends: number;
  }>(
    `SELECT content, memory_item.author, begins, ends FROM memory_item JOIN memory_passage ON memory_passage.row = ?
     WHERE memory_item.row = ?`,
    row,
    item,
  )!;
  return { text: content.slice(begins, ends), author };
}

/** The index also knows titles, which are no names that a passage brings. */
export function expansionScore(expansion: Expansion, { row, terms }: Candidate): number {
  let best = 0;
  for (const [term, { value, rows }] of expansion)
    if (value > best && rows.has(row) && terms.all.includes(term)) best = value;
  return best;
}
