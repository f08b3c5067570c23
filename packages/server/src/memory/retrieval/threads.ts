import { type GiveWay, inPieces } from '../../kernel/give-way.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { Partition } from '../queries.ts';
import { FLAG, SPOKEN } from '../text/flags.ts';
import { type Candidate, type Pool, readPassages } from './candidates.ts';
import type { TextScore } from './text-lane.ts';
import type { Weights } from './weights.ts';

/** BM25 with whole threads as documents, made from the passages that were found: no second index to keep. */
export function threadScores(
  pool: Pool,
  texts: ReadonlyMap<number, TextScore>,
  partitions: readonly Partition[],
): Map<number, number> {
  const counts = new Map<number, Map<number, number>>();
  const documents = new Map<number, number>();
  for (const [row, { matched }] of texts) {
    const thread = pool.candidates.get(row)!.thread;
    if (thread === null) continue;
    const words = counts.get(thread) ?? new Map<number, number>();
    counts.set(thread, words);
    for (const concept of matched) {
      if (!words.has(concept)) documents.set(concept, (documents.get(concept) ?? 0) + 1);
      words.set(concept, (words.get(concept) ?? 0) + 1);
    }
  }
  const threads = Math.max(
    counts.size,
    partitions.reduce((sum, partition) => sum + partition.threads, 0),
  );
  const scores = new Map<number, number>();
  for (const [thread, words] of counts) {
    let score = 0;
    for (const [concept, count] of words) {
      const rarity = Math.log(
        1 + (threads - documents.get(concept)! + 0.5) / (documents.get(concept)! + 0.5),
      );
      score += rarity * ((count * 2) / (count + 1));
    }
    scores.set(thread, score);
  }
  return scores;
}

const MOST_THREADS = 300;

/** Threads, of those of the given hits, in which one of the authors speaks. */
export function threadsWith(
  database: Database,
  candidates: Iterable<Candidate>,
  authors: ReadonlySet<number>,
): Set<number> {
  if (authors.size === 0) return new Set();
  const threads = new Set<number>();
  for (const { thread } of candidates)
    if (thread !== null && threads.size < MOST_THREADS) threads.add(thread);
  const found = database.all<{ thread: number }>(
    `SELECT DISTINCT thread FROM memory_passage WHERE thread IN (SELECT value FROM json_each(?))
       AND thread IS NOT NULL AND place = 0 AND author IN (SELECT value FROM json_each(?))`,
    JSON.stringify([...threads]),
    JSON.stringify([...authors]),
  );
  return new Set(found.map(({ thread }) => thread));
}

/** An item whose best passage gives to the turns around it. */
export interface Giver {
  candidate: Candidate;
  text: TextScore;
}

/** The best passage of each item gives for it: a long answer is one turn. */
export function bestOfItems(pool: Pool, texts: ReadonlyMap<number, TextScore>): Map<number, Giver> {
  const best = new Map<number, Giver>();
  for (const [row, text] of texts) {
    if (text.score <= 0) continue;
    const candidate = pool.candidates.get(row)!;
    if (text.score > (best.get(candidate.item)?.text.score ?? 0))
      best.set(candidate.item, { candidate, text });
  }
  return best;
}

/**
 * What items get from the turns around them. Neighbours that no word of the goal is in become candidates: "Yes, last
 * Friday!" answers the question before it. A word counts once for a turn, from the neighbour that has most of it.
 */
export async function spreadToNeighbours(
  database: Database,
  pool: Pool,
  best: ReadonlyMap<number, Giver>,
  givers: readonly Giver[],
  top: number,
  weights: Weights,
  giveWay: GiveWay,
): Promise<Map<number, number>> {
  const whole = new Map<number, number>();
  const byWord = new Map<number, Float64Array>();
  const give = (item: number | null | undefined, { score, given }: TextScore, share: number) => {
    if (item === null || item === undefined || share <= 0) return;
    whole.set(item, (whole.get(item) ?? 0) + share * score);
    const words = byWord.get(item) ?? new Float64Array(given.length);
    for (let index = 0; index < given.length; index++) {
      words[index] = Math.max(words[index]!, share * given[index]!);
    }
    byWord.set(item, words);
  };
  const around = await turnsAround(database, givers, giveWay);
  for (const { candidate, text } of givers) {
    const [after, after2, before, before2] = around.get(candidate.item) ?? [];
    // An assistant answers whatever is said to it.
    const isAsked = (candidate.flags & FLAG.question) !== 0 && (candidate.flags & SPOKEN) === 0;
    const asked = isAsked ? weights.asked : 0;
    give(after, text, weights.previous + asked);
    give(after2, text, weights.previous2);
    give(before, text, weights.next);
    give(before2, text, weights.next2);
  }
  const read = new Set([...pool.candidates.values()].map(({ item }) => item));
  // An item that no word was found in is known by its first passage, whose row is its own.
  const missing = [...whole.keys()].filter((item) => !read.has(item));
  for (const [row, candidate] of await readPassages(database, missing, giveWay))
    pool.candidates.set(row, candidate);
  const scores = new Map<number, number>();
  for (const [item, sum] of whole) {
    const own = best.get(item)?.text.given;
    let added = 0;
    byWord.get(item)!.forEach((amount, index) => {
      added += Math.max(0, amount - (own?.[index] ?? 0));
    });
    scores.set(item, (weights.complement * added + (1 - weights.complement) * sum) / top);
  }
  return scores;
}

/** Items whose neighbours are looked up before others may come first. */
const PIECE = 30;

/** The two items after each one and the two before it, nearest first, by its row. */
async function turnsAround(
  database: Database,
  givers: readonly Giver[],
  giveWay: GiveWay,
): Promise<Map<number, (number | null)[]>> {
  const hits = givers
    .filter(({ candidate }) => candidate.thread !== null)
    .map(({ candidate }) => candidate.item);
  const around = new Map<number, (number | null)[]>();
  for await (const piece of inPieces(hits, PIECE, giveWay)) {
    const { list } = database.get<{ list: string }>(AROUND, JSON.stringify(piece))!;
    const found = JSON.parse(list) as [hit: number, ...rows: (number | null)[]][];
    for (const [hit, ...rows] of found) around.set(hit, rows);
  }
  return around;
}

/**
 * By the first passage of each item, whose row is the item's. Turns at one position stand in the order in which they came. Two
 * ranges, since one would begin with all of those.
 */
const sideOf = (than: '<' | '>', order: 'ASC' | 'DESC') => `SELECT row FROM (
  SELECT row, position FROM memory_passage
  WHERE thread = hit.thread AND thread IS NOT NULL AND position = hit.position AND row ${than} hit.row AND place = 0
  UNION ALL
  SELECT row, position FROM memory_passage
  WHERE thread = hit.thread AND thread IS NOT NULL AND position ${than} hit.position AND place = 0
  ORDER BY position ${order}, row ${order}) LIMIT 1`;
const AFTER = sideOf('>', 'ASC');
const BEFORE = sideOf('<', 'DESC');
const AROUND = `SELECT json_group_array(json_array(hit.row,
    (${AFTER}), (${AFTER} OFFSET 1), (${BEFORE}), (${BEFORE} OFFSET 1))) AS list
  FROM json_each(?) CROSS JOIN memory_passage AS hit ON hit.row = value`;
