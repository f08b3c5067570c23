import type { Database } from '../../kernel/sqlite.ts';
import { PARTITION_SIZE } from '../projection/tables.ts';
import type { Partition } from '../queries.ts';

/** Where a term occurs. */
export interface Postings {
  rows: number[];
  /** How many passages hold it; estimated where it is common. */
  documents: number;
  /** It is common: `rows` are only the newest of its places. */
  cut: boolean;
}

/**
 * The rows of the readable partitions that a full-text expression matches, the newest first. PACK-06: the range of rows
 * is part of the query, so nothing that is not readable is ever counted, ranked or expanded from.
 */
export function findPostings(
  database: Database,
  partitions: readonly Partition[],
  expression: string,
  most: number,
): Postings {
  const rows: number[] = [];
  let documents = 0;
  let cut = false;
  for (const { number, passages } of partitions) {
    if (passages === 0) continue;
    const base = number * PARTITION_SIZE;
    const { list } = database.get<{ list: string }>(
      `SELECT json_group_array(place) AS list FROM (
         SELECT rowid - ?2 AS place FROM memory_text WHERE memory_text MATCH ?1 AND rowid BETWEEN ?2 AND ?3
         ORDER BY rowid DESC LIMIT ?4)`,
      expression,
      base,
      base + PARTITION_SIZE - 1,
      most,
    )!;
    const places = JSON.parse(list) as number[];
    for (const place of places) rows.push(base + place);
    if (places.length < most) {
      documents += places.length;
      continue;
    }
    cut = true;
    const newest = places[0]!;
    const oldest = places.at(-1)!;
    documents += Math.min(passages, Math.round((places.length * newest) / Math.max(1, newest - oldest)));
  }
  return { rows, documents, cut };
}

/** Terms hold letters, digits and underscores only, so quoting them is enough. */
export function anyOf(terms: readonly string[], domain: string | null): string {
  const any = terms.map((term) => `"${term}"`).join(' OR ');
  return domain === null ? any : `(${any}) AND "${domain}"`;
}

/** One of each group. */
export function allOf(groups: readonly (readonly string[])[], domain: string | null): string {
  const all = groups.map((terms) => `(${anyOf(terms, null)})`);
  return [...all, ...(domain === null ? [] : [`"${domain}"`])].join(' AND ');
}
