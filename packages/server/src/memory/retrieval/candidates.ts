import { type GiveWay, inPieces } from '../../kernel/give-way.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { Partition } from '../queries.ts';
import type { LanguageCode } from '../text/languages/language.ts';
import { languageTerm } from '../text/terms.ts';
import type { Concept } from './concepts.ts';
import type { Goal } from './goal.ts';
import { allOf, anyOf, findPostings, type Postings } from './postings.ts';
import { StoredTerms } from './stored-terms.ts';
import type { Reach, Weights } from './weights.ts';

/** A passage while it is ranked. */
export interface Candidate {
  row: number;
  item: number;
  thread: number | null;
  position: number | null;
  author: number | null;
  day: number | null;
  flags: number;
  terms: StoredTerms;
  heading: string;
  /** Absent for English. */
  language?: LanguageCode;
}

type PassageRow = [
  row: number,
  item: number,
  thread: number | null,
  position: number | null,
  author: number | null,
  day: number | null,
  flags: number,
  heading: string,
  language: LanguageCode | null,
  bytes: number,
];

/** A concept with what the store knows of it. */
export interface WeighedConcept extends Concept {
  /** Rarity of the word itself, of its synonyms together, and of what it covers. */
  rarity: number;
  synonymRarity: number;
  memberRarity: number;
  /** Of each of `parts`. */
  partRarities: number[];
}

export interface Pool {
  concepts: WeighedConcept[];
  candidates: Map<number, Candidate>;
  /** Rows that hold one of the goal's exact names, and how many of them. */
  exact: Map<number, number>;
  averageWords: number;
  passages: number;
  /** What it is worth to be in the language of the goal; nothing where that is usual. */
  language: { code: LanguageCode; rarity: number } | undefined;
}

/** Goals name at most this many things that are worth asking the index for; the rarest are kept. */
const MOST_CONCEPTS = 24;
const CONJUNCTIONS = 3;
const JOINED = 1000;

export function rarityOf(passages: number, documents: number): number {
  return Math.log(1 + (passages - documents + 0.5) / (documents + 0.5));
}

/** Asks the index for the goal's words, and reads the passages that hold the most of its rarity. */
export async function findCandidates(
  database: Database,
  partitions: readonly Partition[],
  goal: Goal,
  domain: string | null,
  reach: Reach,
  weights: Weights,
  giveWay: GiveWay,
): Promise<Pool> {
  const passages = partitions.reduce((sum, partition) => sum + partition.passages, 0);
  const words = partitions.reduce((sum, partition) => sum + partition.words, 0);
  const sums = new Map<number, number>();
  const add = (rows: readonly number[], amount: number) => {
    for (const row of rows) sums.set(row, (sums.get(row) ?? 0) + amount);
  };

  const looked: { concept: Concept; own: Postings; rarity: number }[] = [];
  for (const concept of goal.concepts) {
    await giveWay();
    const own = findPostings(database, partitions, anyOf(concept.forms, domain), reach.postings);
    looked.push({ concept, own, rarity: rarityOf(passages, own.documents) ** weights.rarityPower });
  }
  const kept = looked.sort((one, other) => other.rarity - one.rarity).slice(0, MOST_CONCEPTS);
  const concepts: WeighedConcept[] = [];
  const common: typeof looked = [];
  for (const found of kept) {
    await giveWay();
    const { concept, own, rarity } = found;
    const standIns = (expression: string, weight: number): number => {
      if (weight === 0) return 0;
      const others = findPostings(database, partitions, expression, reach.postings);
      const shared = rarityOf(passages, others.documents) ** weights.rarityPower;
      // What stands in for a word is worth no more than the word; unless nobody uses the word at all.
      const worth = own.documents === 0 ? shared : Math.min(rarity, shared);
      if (!others.cut) add(others.rows, weight * worth);
      return worth;
    };
    const { synonyms, members, parts } = concept;
    const synonymRarity = synonyms.length === 0 ? 0 : standIns(anyOf(synonyms, domain), weights.synonym);
    const memberRarity = members.length === 0 ? 0 : standIns(anyOf(members, domain), weights.member);
    const partRarities = parts.map((terms) => standIns(anyOf(terms, domain), weights.synonym));
    concepts.push({ ...concept, rarity, synonymRarity, memberRarity, partRarities });
    // Words that are everywhere do not choose passages where rarer ones do; they still count when passages are scored.
    if (own.cut) common.push(found);
    else add(own.rows, rarity);
  }
  await giveWay();
  joinCommon(database, partitions, common, domain, sums, reach);

  const language = languageOfGoal(database, partitions, goal, domain, passages, reach, weights, add);
  const exact = new Map<number, number>();
  for (const { term } of goal.identifiers) {
    const { rows } = findPostings(database, partitions, anyOf([term], domain), reach.postings);
    for (const row of rows) exact.set(row, (exact.get(row) ?? 0) + 1);
  }
  const chosen = [...new Set([...highest(exact, reach.pool), ...highest(sums, reach.pool)])];
  return {
    concepts,
    candidates: await readPassages(database, chosen, giveWay),
    exact,
    averageWords: passages === 0 ? 1 : Math.max(1, words / passages),
    passages,
    language,
  };
}

/** A store of several languages: who asks in one of them means what was said in it. */
function languageOfGoal(
  database: Database,
  partitions: readonly Partition[],
  goal: Goal,
  domain: string | null,
  passages: number,
  reach: Reach,
  weights: Weights,
  add: (rows: readonly number[], amount: number) => void,
): Pool['language'] {
  if (goal.language === 'en' || weights.language === 0) return undefined;
  const found = findPostings(
    database,
    partitions,
    anyOf([languageTerm(goal.language)], domain),
    reach.postings,
  );
  const rarity = weights.language * rarityOf(passages, found.documents) ** weights.rarityPower;
  if (!found.cut) add(found.rows, rarity);
  return { code: goal.language, rarity };
}

/** Common words choose passages together: two of them in one passage say more than either. */
function joinCommon(
  database: Database,
  partitions: readonly Partition[],
  common: readonly { concept: Concept; own: Postings; rarity: number }[],
  domain: string | null,
  sums: Map<number, number>,
  reach: Reach,
): void {
  const rarest = common.slice(0, CONJUNCTIONS);
  for (const [index, one] of rarest.entries()) {
    for (const other of rarest.slice(index + 1)) {
      const expression = allOf([one.concept.forms, other.concept.forms], domain);
      for (const row of findPostings(database, partitions, expression, JOINED).rows) {
        sums.set(row, (sums.get(row) ?? 0) + one.rarity + other.rarity);
      }
    }
  }
  if (sums.size >= reach.hits) return;
  for (const { own, rarity } of common) {
    for (const row of own.rows) sums.set(row, (sums.get(row) ?? 0) + rarity);
  }
}

/** The keys with the highest values; of equal ones the newer. */
export function highest(values: ReadonlyMap<number, number>, count: number): number[] {
  if (values.size <= count) return [...values.keys()];
  const sorted = Float64Array.from(values.values()).sort();
  const threshold = sorted[sorted.length - count]!;
  const above: number[] = [];
  const equal: number[] = [];
  for (const [key, value] of values) {
    if (value > threshold) above.push(key);
    else if (value === threshold) equal.push(key);
  }
  equal.sort((one, other) => other - one);
  return [...above, ...equal.slice(0, count - above.length)];
}

/** Passages that are read before others may come first. */
const PIECE = 200;

export async function readPassages(
  database: Database,
  rows: readonly number[],
  giveWay: GiveWay,
): Promise<Map<number, Candidate>> {
  const candidates = new Map<number, Candidate>();
  for await (const piece of inPieces(rows, PIECE, giveWay)) {
    for (const candidate of passagesAt(database, piece)) candidates.set(candidate.row, candidate);
  }
  return candidates;
}

/**
 * One value for all rows: making an object for each of hundreds of rows costs more than finding them. Their terms are another one, of
 * bytes: making texts of them would cost as much again.
 */
export function passagesAt(database: Database, rows: readonly number[]): Candidate[] {
  const { list, terms } = database.get<{ list: string; terms: Uint8Array | null }>(
    `SELECT json_group_array(
         json_array(row, item, thread, position, author, day, flags, heading, language, octet_length(terms))) AS list,
       CAST(group_concat(terms, '') AS BLOB) AS terms
     FROM memory_passage WHERE row IN (SELECT value FROM json_each(?))`,
    JSON.stringify(rows),
  )!;
  const all =
    terms === null ? Buffer.alloc(0) : Buffer.from(terms.buffer, terms.byteOffset, terms.byteLength);
  let end = 0;
  return (JSON.parse(list) as PassageRow[]).map(
    ([row, item, thread, position, author, day, flags, heading, language, bytes]) => {
      const begin = end;
      end += bytes;
      const own = new StoredTerms(all, begin, end);
      const found = { row, item, thread, position, author, day, flags, terms: own, heading };
      return language === null ? found : { ...found, language };
    },
  );
}
