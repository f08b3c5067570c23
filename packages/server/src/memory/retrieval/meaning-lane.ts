import type { GiveWay } from '../../kernel/give-way.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { Partition } from '../queries.ts';
import { type Pool, readPassages } from './candidates.ts';

export interface MeaningQuestion {
  text: string;
  /** The words of it that say what it is about. */
  words: string;
  partitions: readonly Partition[];
  /** How many of the nearest are wanted. */
  most: number;
  /** Only some of what is found will do: more has to be looked at. */
  isFiltered: boolean;
  giveWay: GiveWay;
}

export interface MeaningFound {
  /** Rows of passages that are near to the text, the nearest first, and how near: 0 to 1. */
  near: ReadonlyMap<number, number>;
  /** How many passages could be compared. */
  compared: number;
}

/** Why nothing could be compared, in words that anybody may read. */
export interface MeaningAbsent {
  absent: string;
}

/** Finds what is near in meaning; never fails, and never keeps a caller waiting for long. */
export type FindByMeaning = (question: MeaningQuestion) => Promise<MeaningFound | MeaningAbsent>;

/** Passages that are near join the candidates, whether or not they share a word with the goal. */
export async function addByMeaning(
  database: Database,
  pool: Pool,
  { near }: MeaningFound,
  domain: string | null,
  most: number,
  giveWay: GiveWay,
): Promise<ReadonlyMap<number, number>> {
  const inDomain = domain === null ? undefined : rowsInDomain(database, [...near.keys()], domain);
  const rows = [...near.keys()].filter((row) => inDomain?.has(row) ?? true).slice(0, most);
  const missing = rows.filter((row) => !pool.candidates.has(row));
  for (const [row, candidate] of await readPassages(database, missing, giveWay))
    pool.candidates.set(row, candidate);
  return new Map(rows.map((row) => [row, near.get(row)!]));
}

function rowsInDomain(database: Database, rows: readonly number[], domain: string): Set<number> {
  const found = database.all<{ row: number }>(
    'SELECT row FROM memory_passage WHERE row IN (SELECT value FROM json_each(?)) AND domain = ?',
    JSON.stringify(rows),
    domain,
  );
  return new Set(found.map(({ row }) => row));
}
