import type { Database } from '../../kernel/sqlite.ts';
import { PARTITION_SIZE } from '../projection/tables.ts';
import type { Partition } from '../queries.ts';
import { purposeOf } from '../text/intent/purpose.ts';
import type { Goal } from './goal.ts';
import type { Weights } from './weights.ts';

interface WishRow {
  item: number;
  begins: number;
  ends: number;
  passage: number;
  kind: string;
  condition: string;
  terms: string;
  general: number;
}

/** What an item wants always, and where it says so. */
export type PlacedWish = Pick<WishRow, 'item' | 'begins' | 'ends'>;

/** The newest of a place: what a person wanted long ago and said again is among them. */
const MOST = 200;
/** Shared by so large a part of their words, two wishes are about one matter. */
const SAME = 0.6;
/** Stored as a rule or a preference. */
const KEPT = 'kept';
/** What wishes are worth by what the goal is for: one that is not about it, one about how to answer, one that shares a word with it. */
const WORTH = {
  act: { unmet: 1, general: 1, shared: 1 },
  unknown: { unmet: 0.15, general: 0.3, shared: 1 },
  // Who asks what was, does not ask how it should be.
  recall: { unmet: 0, general: 0, shared: 0.3 },
};

/** Standing wishes, by passage: how much each has to say for this goal. Of two about one matter, the newer alone. */
export function wishesFor(
  database: Database,
  partitions: readonly Partition[],
  goal: Goal,
  weights: Weights,
): Map<number, number> {
  const scores = new Map<number, number>();
  if (weights.wish === 0) return scores;
  const wanted = new Set(
    goal.concepts.flatMap(({ forms, synonyms, members }) => [...forms, ...synonyms, ...members]),
  );
  const worth = WORTH[purposeOf(goal.text) ?? 'unknown'];
  for (const { number, passages } of partitions) {
    if (passages === 0) continue;
    for (const wish of latest(wishesIn(database, number))) {
      const score = weights.wish * meets(wish, wanted, weights, worth);
      if (score > (scores.get(wish.passage) ?? 0)) scores.set(wish.passage, score);
    }
  }
  return scores;
}

function wishesIn(database: Database, partition: number): WishRow[] {
  return database.all<WishRow>(
    `SELECT item, begins, ends, passage, kind, condition, terms, general FROM memory_wish
     WHERE item >= ? AND item < ? ORDER BY item DESC LIMIT ${MOST}`,
    partition * PARTITION_SIZE,
    (partition + 1) * PARTITION_SIZE,
  );
}

/**
 * Pairs of wishes on one matter of which one of these items said the one or the other: the newer, then the older. Rules that somebody
 * stored stand beside each other until somebody supersedes one.
 */
export function wishesOnOneMatter(
  database: Database,
  items: readonly number[],
): (readonly [newer: PlacedWish, older: PlacedWish])[] {
  const asked = new Set(items);
  const places = new Set(items.map((item) => Math.floor(item / PARTITION_SIZE)));
  return [...places].flatMap((place) => {
    const wishes = wishesIn(database, place).map(matterOf);
    return wishes.flatMap((newer, index) =>
      wishes
        .slice(index + 1)
        .filter(
          ({ row }) => row.item !== newer.row.item && (asked.has(row.item) || asked.has(newer.row.item)),
        )
        .filter((older) => !(newer.row.kind === KEPT && older.row.kind === KEPT) && isOneMatter(newer, older))
        .map((older) => [newer.row, older.row] as const),
    );
  });
}

interface Matter {
  row: WishRow;
  words: ReadonlySet<string>;
  condition: ReadonlySet<string>;
}

const termsIn = (text: string) => new Set(text.split(' ').filter((term) => term !== ''));
const matterOf = (row: WishRow): Matter => ({
  row,
  words: termsIn(row.terms),
  condition: termsIn(row.condition),
});

/** Newest first: one that repeats or takes back an older one stands for both. */
function latest(rows: readonly WishRow[]): WishRow[] {
  const kept: Matter[] = [];
  for (const matter of rows.map(matterOf)) {
    if (matter.words.size > 0 && !kept.some((other) => isOneMatter(matter, other))) kept.push(matter);
  }
  return kept.map(({ row }) => row);
}

/** Two that hold on different occasions do not stand for each other. */
function isOneMatter(one: Matter, other: Matter): boolean {
  if (one.words.size === 0 || other.words.size === 0) return false;
  const isBound = one.condition.size > 0 && other.condition.size > 0;
  return (
    overlap(one.words, other.words) >= SAME && (!isBound || overlap(one.condition, other.condition) >= SAME)
  );
}

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const term of one) if (other.has(term)) shared++;
  return shared / Math.min(one.size, other.size);
}

function meets(
  { kind, condition, terms, general }: WishRow,
  wanted: ReadonlySet<string>,
  weights: Weights,
  worth: (typeof WORTH)[keyof typeof WORTH],
): number {
  if (kind === KEPT) return 0;
  if (condition !== '') return shares(condition, wanted) ? 1 : worth.unmet * weights.wishUnmet;
  if (general === 1) return worth.general * weights.wishGeneral;
  return shares(terms, wanted) ? worth.shared : worth.unmet * weights.wishUnmet;
}

function shares(terms: string, wanted: ReadonlySet<string>): boolean {
  return terms.split(' ').some((term) => wanted.has(term));
}
