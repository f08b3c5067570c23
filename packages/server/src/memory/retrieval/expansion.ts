import type { Database } from '../../kernel/sqlite.ts';
import type { Partition } from '../queries.ts';
import { type Candidate, highest, type Pool, rarityOf, readPassages } from './candidates.ts';
import { anyOf, findPostings } from './postings.ts';
import type { Reach, Weights } from './weights.ts';

const SHORTEST = 3;

export interface Expansion {
  terms: Map<string, number>;
}

/**
 * The second round, for goals whose answer is two steps away: words that the best hits share and the goal does not
 * have are asked for too.
 */
export function expand(
  database: Database,
  partitions: readonly Partition[],
  pool: Pool,
  best: readonly { candidate: Candidate; score: number }[],
  domain: string | null,
  reach: Reach,
  weights: Weights,
): Expansion {
  const known = new Set(pool.concepts.flatMap(({ term, synonyms, members }) => [term, ...synonyms, ...members]));
  const sums = new Map<string, { weight: number; hits: number }>();
  for (const { candidate, score } of best) {
    for (const term of new Set(candidate.terms)) {
      if (known.has(term) || term.length < SHORTEST || /^\d+$/.test(term)) continue;
      const sum = sums.get(term) ?? { weight: 0, hits: 0 };
      sum.weight += score;
      sum.hits += 1;
      sums.set(term, sum);
    }
  }
  const shared = [...sums]
    .filter(([, { hits }]) => hits >= 2)
    .sort(([, one], [, other]) => other.weight - one.weight)
    .slice(0, weights.expansionTerms * 4);
  const found = shared.map(([term, { weight }]) => {
    const postings = findPostings(database, partitions, anyOf([term], domain), reach.postings);
    return { term, postings, value: weight * rarityOf(pool.passages, postings.documents) };
  });
  const terms = new Map<string, number>();
  const rows = new Map<number, number>();
  const chosen = found
    .filter(({ postings }) => !postings.cut)
    .sort((one, other) => other.value - one.value)
    .slice(0, weights.expansionTerms);
  const top = chosen[0]?.value ?? 1;
  for (const { term, postings, value } of chosen) {
    terms.set(term, value / top);
    for (const row of postings.rows) rows.set(row, (rows.get(row) ?? 0) + value);
  }
  const missing = highest(rows, reach.hits).filter((row) => !pool.candidates.has(row));
  for (const [row, candidate] of readPassages(database, missing)) pool.candidates.set(row, candidate);
  return { terms };
}

export function expansionScore({ terms }: Expansion, candidate: Candidate): number {
  let sum = 0;
  if (terms.size > 0) for (const term of new Set(candidate.terms)) sum += terms.get(term) ?? 0;
  return sum;
}
