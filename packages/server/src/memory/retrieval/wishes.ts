import type { Database } from '../../kernel/sqlite.ts';
import { PARTITION_SIZE } from '../projection/tables.ts';
import type { Partition } from '../queries.ts';
import { purposeOf } from '../text/intent/purpose.ts';
import type { Pool, WeighedConcept } from './candidates.ts';
import type { Goal } from './goal.ts';
import type { Weights } from './weights.ts';

interface WishRow {
  at: number;
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

/** What a wish has to say for a goal. */
export interface WishScore {
  score: number;
  /**
   * `met`: the goal meets its condition, or is about its matter; `shared`: it has something to do with the goal, as others have;
   * `aside`: it holds whatever the goal is.
   */
  how: 'met' | 'shared' | 'aside';
}

/** The newest of a place. Older ones are read where a word of the goal found their item. */
const MOST = 200;
/** Shared by so large a part of the words of one, and of the other, two wishes are about one matter. */
const SAME = 0.6;
const SAME_OF_LONGER = 1 / 3;
/** Stored as a rule or a preference. */
const KEPT = 'kept';
/** As much of a goal, or of a condition, makes a wish one that the goal meets. */
const MET = 0.5;
/** What wishes are worth by what the goal is for: one that is not about it, one about how to answer, one that shares a word with it. */
const WORTH = {
  act: { unmet: 1, general: 1, shared: 1 },
  unknown: { unmet: 0, general: 0.3, shared: 1 },
  // Who asks what was, does not ask how it should be.
  recall: { unmet: 0, general: 0, shared: 0.3 },
};

/** Standing wishes, by passage: how much each has to say for this goal. Of two about one matter, the newer alone. */
export function wishesFor(
  database: Database,
  partitions: readonly Partition[],
  goal: Goal,
  pool: Pool,
  weights: Weights,
): Map<number, WishScore> {
  const scores = new Map<number, WishScore>();
  if (weights.wish === 0) return scores;
  const wanted = new Wanted(pool.concepts, weights);
  const worth = WORTH[purposeOf(goal.text) ?? 'unknown'];
  const found = new Set([...pool.candidates.values()].map(({ item }) => item));
  for (const { number, passages } of partitions) {
    if (passages === 0) continue;
    for (const wish of latest(wishesIn(database, number, found))) {
      const { score, how } = meets(wish, wanted, weights, worth);
      if (score > 0 && weights.wish * score > (scores.get(wish.passage)?.score ?? 0))
        scores.set(wish.passage, { score: weights.wish * score, how });
    }
  }
  return scores;
}

const WISH = 'at, item, begins, ends, passage, kind, condition, terms, general';

/** The newest of a place and those of the given items, the newest first: by when it was said, else by when it was stored. */
function wishesIn(database: Database, partition: number, items: Iterable<number>): WishRow[] {
  const first = partition * PARTITION_SIZE;
  const own = [...items].filter((item) => item >= first && item < first + PARTITION_SIZE);
  return database.all<WishRow>(
    `SELECT ${WISH} FROM (SELECT ${WISH} FROM memory_wish WHERE partition = ?1 ORDER BY at DESC LIMIT ${MOST})
     UNION SELECT ${WISH} FROM memory_wish WHERE item IN (SELECT value FROM json_each(?2))
     ORDER BY at DESC, item DESC, begins DESC`,
    partition,
    JSON.stringify(own),
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
    const matters = new Matters();
    const pairs: (readonly [newer: PlacedWish, older: PlacedWish])[] = [];
    for (const older of wishesIn(database, place, asked).map(matterOf)) {
      for (const newer of matters.like(older)) {
        const isAsked = asked.has(older.row.item) || asked.has(newer.row.item);
        if (isAsked && older.row.item !== newer.row.item) pairs.push([newer.row, older.row]);
      }
      matters.add(older);
    }
    return pairs;
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

/** Matters by their words, so that only those are compared that share one. */
class Matters {
  readonly #byWord = new Map<string, Matter[]>();

  add(matter: Matter): void {
    for (const word of matter.words) {
      const known = this.#byWord.get(word);
      if (known) known.push(matter);
      else this.#byWord.set(word, [matter]);
    }
  }

  /** Those on the same matter; two rules that somebody stored are never that. */
  *like(matter: Matter): Generator<Matter> {
    const shared = new Map<Matter, number>();
    for (const word of matter.words) {
      for (const other of this.#byWord.get(word) ?? []) shared.set(other, (shared.get(other) ?? 0) + 1);
    }
    for (const [other, count] of shared) {
      const areKept = matter.row.kind === KEPT && other.row.kind === KEPT;
      if (!areKept && isOneMatter(matter, other, count)) yield other;
    }
  }
}

/** Newest first: one that repeats or takes back an older one stands for both. */
function latest(rows: readonly WishRow[]): WishRow[] {
  const matters = new Matters();
  const kept: WishRow[] = [];
  for (const matter of rows.map(matterOf)) {
    if (matter.words.size === 0 || !matters.like(matter).next().done) continue;
    matters.add(matter);
    kept.push(matter.row);
  }
  return kept;
}

/** Two that hold on different occasions do not stand for each other. */
function isOneMatter(one: Matter, other: Matter, shared: number): boolean {
  const [fewer, more] = [one.words.size, other.words.size].sort((here, there) => here - there);
  if (shared < SAME * fewer! || shared < SAME_OF_LONGER * more!) return false;
  const isBound = one.condition.size > 0 && other.condition.size > 0;
  return !isBound || overlap(one.condition, other.condition) >= SAME;
}

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const term of one) if (other.has(term)) shared++;
  return shared / Math.min(one.size, other.size);
}

/** The words of a goal, and how much of what it is about each of them is. */
class Wanted {
  readonly #shares = new Map<string, number>();

  constructor(concepts: readonly WeighedConcept[], weights: Weights) {
    const rarest = Math.max(...concepts.map(({ rarity }) => rarity), Number.MIN_VALUE);
    const note = (terms: readonly string[], share: number) => {
      for (const term of terms) this.#shares.set(term, Math.max(share, this.#shares.get(term) ?? 0));
    };
    for (const { forms, synonyms, members, ...concept } of concepts) {
      note(forms, concept.rarity / rarest);
      note(synonyms, (weights.synonym * concept.synonymRarity) / rarest);
      note(members, (weights.member * concept.memberRarity) / rarest);
    }
  }

  /** How much of the goal these terms hold: 1 where its rarest word is among them. */
  sharedBy(terms: readonly string[]): number {
    return Math.max(0, ...terms.map((term) => this.#shares.get(term) ?? 0));
  }

  /** Which part of these terms the goal has. */
  partOf(terms: readonly string[]): number {
    return terms.filter((term) => this.#shares.has(term)).length / Math.max(1, terms.length);
  }
}

function meets(
  { kind, condition, terms, general }: WishRow,
  wanted: Wanted,
  weights: Weights,
  worth: (typeof WORTH)[keyof typeof WORTH],
): WishScore {
  const matter = condition === '' ? terms.split(' ') : condition.split(' ');
  const shared = wanted.sharedBy(matter);
  if (kind === KEPT) return { score: worth.shared * shared, how: 'shared' };
  // Who gives an occasion means it: a goal that has its words meets it, however common they are.
  const met = condition === '' || shared === 0 ? shared : Math.max(shared, wanted.partOf(matter));
  const about = condition === '' ? worth.shared * met : met;
  const aside =
    condition === '' && general === 1 ? worth.general * weights.wishGeneral : worth.unmet * weights.wishUnmet;
  if (about >= aside && met > 0) return { score: about, how: met >= MET ? 'met' : 'shared' };
  return { score: aside, how: met >= MET ? 'met' : 'aside' };
}
