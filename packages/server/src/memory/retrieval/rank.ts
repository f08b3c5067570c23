import { type GiveWay, goOn, inPieces } from '../../kernel/give-way.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { PARTITION_SIZE } from '../projection/tables.ts';
import { type Partition, relationsOf, rowsWithRelations } from '../queries.ts';
import { dayOf } from '../text/calendar.ts';
import { FLAG, SPOKEN } from '../text/flags.ts';
import { domainTerm } from '../text/terms.ts';
import { type Candidate, findCandidates, highest, type Pool, passagesAt } from './candidates.ts';
import { type Expansion, expand, expansionScore } from './expansion.ts';
import { type Goal, queryOf, readGoal } from './goal.ts';
import { addByMeaning, type FindByMeaning, type MeaningAbsent, type MeaningFound } from './meaning-lane.ts';
import { TextLane, type TextScore } from './text-lane.ts';
import { bestOfItems, type Giver, spreadToNeighbours, threadScores, threadsWith } from './threads.ts';
import { type TimeMatch, timeScores } from './time-lane.ts';
import { newestFirst } from './updates.ts';
import { REACH, type Reach, WEIGHTS, type Weights } from './weights.ts';
import { type WishScore, wishesFor } from './wishes.ts';

export const LANES = [
  'text',
  'meaning',
  'neighbours',
  'thread',
  'author',
  'participant',
  'time',
  'shape',
  'identifier',
  'expansion',
  'wish',
  'relation',
  'recency',
  'use',
] as const;
export type Lane = (typeof LANES)[number];

/** An item with the best of its passages, and what each lane gave it. */
export interface Ranked {
  /** Row of the item. */
  item: number;
  passage: Candidate;
  score: number;
  lanes: Partial<Record<Lane, number>>;
  /** Words of the goal that it holds, and the share of the goal's rarity that they are. */
  words: string[];
  coverage: number;
  time?: TimeMatch;
  /** What it wants always has to do with the goal so. */
  wish?: WishScore['how'];
  /** The item that it was reached from, where a relation led here. */
  via?: number;
  /** After how many packs it was used, of those that showed it. */
  use?: { used: number; shown: number };
}

export interface Question {
  goal: string;
  domain: string | null;
  now: number;
  layer: keyof typeof REACH;
  /** How many items are wanted; more are returned, since later steps drop some. */
  count: number;
  weights?: Weights;
  giveWay?: GiveWay | undefined;
  /** Where a model of embeddings is configured. */
  findByMeaning?: FindByMeaning | undefined;
}

export interface Ranking {
  goal: Goal;
  /** What was really searched for. */
  query: string;
  ranked: Ranked[];
  /** The goal's words that were looked for, and how rare each is in what the caller may read. */
  concepts: readonly { word: string; rarity: number }[];
  /** Passages that were read and scored, of all that the caller may read. */
  looked: number;
  passages: number;
  /** How many of them were compared by meaning, or why none; undefined where nobody asked for it. */
  meaning?: Pick<MeaningFound, 'compared'> | MeaningAbsent | undefined;
}

const RECENT_DAYS = 365;
/** Items among which those of one thread make room for others. */
const SPREAD = 100;
const CROWD = 8;
/** Characters of the terms of a turn that only asks; a longer one tells something first. */
const BRIEF = 100;
/** Passages that are scored, and scores that are summed, before others may come first. */
const PIECE = 64;
const FUSED = 256;
/** Wishes of a pack that the goal says nothing about. */
const MOST_ASIDE = 6;
/** Places among which the best by words alone stand. */
const GUARDED = 8;

/**
 * The one pipeline of `context`, `search` and `synthesis_plan`: the partitions are what the caller may read, and
 * nothing outside of them is looked at.
 */
export async function rank(
  database: Database,
  partitions: readonly Partition[],
  question: Question,
): Promise<Ranking> {
  const { giveWay = goOn, findByMeaning } = question;
  const weights = question.weights ?? WEIGHTS;
  const today = dayOf(question.now);
  const domain = question.domain === null ? null : domainTerm(question.domain);
  const goal = readGoal(database, partitions, question.goal, question.domain, today);
  const reach = reachFor(REACH[question.layer], goal);
  // An endpoint takes its time: what is near by words is looked for meanwhile.
  const most = Math.round(reach.hits * NEAREST);
  const isFiltered = domain !== null;
  const words = goal.concepts.map(({ word }) => word).join(' ');
  const asked = findByMeaning?.({ text: question.goal, words, partitions, most, isFiltered, giveWay });
  const pool = await findCandidates(database, partitions, goal, domain, reach, weights, giveWay);
  const meaning = await asked;
  const near =
    meaning && 'near' in meaning
      ? await addByMeaning(database, pool, meaning, domain, most, giveWay)
      : NOTHING_NEAR;
  const scorer = new Scorer(database, partitions, goal, pool, near, domain, reach, weights, today);
  const ranked = await scorer.items(question.count, giveWay);
  const query = queryOf(goal, pool.concepts);
  return {
    goal,
    query,
    ranked,
    concepts: pool.concepts,
    looked: pool.candidates.size,
    passages: pool.passages,
    meaning,
  };
}

/** Of those whose neighbours are looked at, as many are taken because they are near in meaning. */
const NEAREST = 0.5;
const NOTHING_NEAR: ReadonlyMap<number, number> = new Map();

const LEAST_POOL = 240;
const LEAST_HITS = 60;
const USUAL_CONCEPTS = 4;

/** Passages that hold the one word of a short goal hardly differ: fewer of them need to be looked at. */
function reachFor(reach: Reach, { concepts, identifiers, times }: Goal): Reach {
  const things = concepts.length + identifiers.length + times.length;
  const share = Math.min(1, things / USUAL_CONCEPTS);
  return {
    ...reach,
    pool: Math.max(Math.min(LEAST_POOL, reach.pool), Math.round(reach.pool * share)),
    hits: Math.max(Math.min(LEAST_HITS, reach.hits), Math.round(reach.hits * share)),
  };
}

/** What the lanes give a passage by itself. */
type Given = Record<Exclude<Lane, 'relation' | 'use'>, number>;

/** By name: this runs for every passage that is looked at. */
function sumOf(given: Given): number {
  const { text, meaning, neighbours, thread, author, participant, time, shape, identifier } = given;
  const { expansion, wish, recency } = given;
  const words = text + neighbours + thread + author + participant + time + shape + identifier;
  return words + expansion + wish + recency + meaning;
}

const byScore = (one: Ranked, other: Ranked) => other.score - one.score || other.item - one.item;

class Scorer {
  readonly #database: Database;
  readonly #partitions: readonly Partition[];
  readonly #goal: Goal;
  readonly #pool: Pool;
  readonly #near: ReadonlyMap<number, number>;
  readonly #domain: string | null;
  readonly #reach: Reach;
  readonly #weights: Weights;
  readonly #today: number;
  readonly #authors: Set<number>;
  readonly #totalRarity: number;
  #texts = new Map<number, TextScore>();
  #threads = new Map<number, number>();
  /** By item. */
  #given = new Map<number, number>();
  #times = new Map<number, TimeMatch>();
  #wishes = new Map<number, WishScore>();
  #participating = new Set<number>();
  #topText = 1;
  #topThread = 1;
  /** Days between which what was found lies. */
  #span = { first: 0, last: 0 };

  constructor(
    database: Database,
    partitions: readonly Partition[],
    goal: Goal,
    pool: Pool,
    near: ReadonlyMap<number, number>,
    domain: string | null,
    reach: Reach,
    weights: Weights,
    today: number,
  ) {
    this.#database = database;
    this.#partitions = partitions;
    this.#goal = goal;
    this.#pool = pool;
    this.#near = near;
    this.#domain = domain;
    this.#reach = reach;
    this.#weights = weights;
    this.#today = today;
    this.#authors = new Set(goal.authors.map(({ row }) => row));
    this.#totalRarity = pool.concepts.reduce((sum, { rarity }) => sum + rarity, 0) || 1;
  }

  async items(count: number, giveWay: GiveWay): Promise<Ranked[]> {
    this.#wishes = wishesFor(this.#database, this.#partitions, this.#goal, this.#pool, this.#weights);
    const unread = [...this.#wishes.keys()].filter((row) => !this.#pool.candidates.has(row));
    for (const wish of passagesAt(this.#database, unread)) this.#pool.candidates.set(wish.row, wish);
    const lane = new TextLane(this.#pool, this.#weights, this.#goal.speaker);
    await this.#scoreTexts(lane, giveWay);
    const days = [...this.#pool.candidates.values()].flatMap(({ day }) => day ?? []);
    this.#span = { first: Math.min(...days), last: Math.max(...days) };
    this.#threads = threadScores(this.#pool, this.#texts, this.#partitions);
    this.#topThread = Math.max(...this.#threads.values(), Number.MIN_VALUE);
    await giveWay();
    const best = bestOfItems(this.#pool, this.#texts);
    const givers = this.#givers(best);
    const near = givers.map(({ candidate }) => candidate);
    this.#participating = threadsWith(this.#database, near, this.#authors);
    this.#given = await spreadToNeighbours(
      this.#database,
      this.#pool,
      best,
      givers,
      this.#topText,
      this.#weights,
      giveWay,
    );
    this.#times = await timeScores(
      this.#database,
      this.#partitions,
      this.#pool,
      this.#goal.times,
      this.#domain,
      this.#threads,
      giveWay,
    );
    let ranked = await this.#fuse(new Map(), giveWay);
    if (this.#weights.expansion > 0) {
      const expansion = await this.#expand(ranked.slice(0, this.#weights.expansionHits), giveWay);
      if (expansion.size > 0) {
        await this.#scoreTexts(lane, giveWay);
        ranked = await this.#fuse(expansion, giveWay);
      }
    }
    await giveWay();
    const related = this.#withRelated(ranked, count).slice(0, Math.max(count, SPREAD));
    const { change, isFirst, times } = this.#goal;
    const isUpdated = this.#weights.updates > 0 && times.length === 0 && change !== 'sequence' && !isFirst;
    if (isUpdated) newestFirst(related);
    return this.#guard(this.#spread(related)).slice(0, count);
  }

  #expand(best: readonly Ranked[], giveWay: GiveWay): Promise<Expansion> {
    return expand(
      this.#database,
      this.#partitions,
      this.#goal,
      this.#pool,
      best,
      this.#domain,
      this.#reach,
      this.#weights,
      giveWay,
    );
  }

  async #scoreTexts(lane: TextLane, giveWay: GiveWay): Promise<void> {
    const unscored = [...this.#pool.candidates.values()].filter(({ row }) => !this.#texts.has(row));
    for await (const piece of inPieces(unscored, PIECE, giveWay)) {
      for (const candidate of piece) {
        const text = lane.score(candidate);
        this.#texts.set(candidate.row, text);
        this.#topText = Math.max(this.#topText, text.score);
      }
    }
  }

  #givers(best: ReadonlyMap<number, Giver>): Giver[] {
    const scores = new Map([...best].map(([item, { text }]) => [item, text.score]));
    return highest(scores, this.#reach.hits).map((item) => best.get(item)!);
  }

  /** Sums the lanes of every passage, and lets the best passage of an item speak for it. */
  async #fuse(expansion: Expansion, giveWay: GiveWay): Promise<Ranked[]> {
    const items = new Map<number, Ranked>();
    for await (const piece of inPieces([...this.#pool.candidates.values()], FUSED, giveWay)) {
      for (const candidate of piece) {
        const expanded = expansion.size === 0 ? 0 : expansionScore(expansion, candidate);
        const lanes = this.#lanesOf(candidate, expanded);
        const score = sumOf(lanes);
        if (!this.#isRelevant(candidate, lanes)) continue;
        const known = items.get(candidate.item);
        if (known && known.score >= score) continue;
        items.set(candidate.item, this.#ranked(candidate, score, lanes));
      }
    }
    return this.#withFewAside([...items.values()].sort(byScore)).sort(byScore);
  }

  /** Wishes that hold whatever the goal is leave room for what it is about: those that fit best stay. */
  #withFewAside(ranked: readonly Ranked[]): Ranked[] {
    let aside = 0;
    return ranked.filter((each) => {
      if (each.wish !== 'aside' || ++aside <= MOST_ASIDE) return true;
      each.score -= each.lanes.wish ?? 0;
      each.lanes.wish = 0;
      delete each.wish;
      return this.#isRelevant(each.passage, each.lanes);
    });
  }

  /** Being new, or by someone, does not make an item relevant by itself. */
  #isRelevant({ row }: Candidate, given: Ranked['lanes']): boolean {
    const { meaning = 0, neighbours = 0, time = 0, identifier = 0, expansion = 0, wish = 0 } = given;
    const others = meaning > 0 || neighbours > 0 || time > 0 || identifier > 0 || expansion > 0 || wish > 0;
    return others || (this.#texts.get(row)?.score ?? 0) > 0;
  }

  #lanesOf(candidate: Candidate, expansion: number): Given {
    const weights = this.#weights;
    const text = (this.#texts.get(candidate.row)?.score ?? 0) / this.#topText;
    const thread =
      candidate.thread === null ? 0 : (this.#threads.get(candidate.thread) ?? 0) / this.#topThread;
    const { wanted } = this.#goal;
    const shape = wanted !== 0 && (candidate.flags & wanted) !== 0 ? weights.shape : 0;
    const asks =
      (candidate.flags & FLAG.question) !== 0 && candidate.terms.text.length < BRIEF ? -weights.question : 0;
    const exact = (this.#pool.exact.get(candidate.row) ?? 0) / Math.max(1, this.#goal.identifiers.length);
    return {
      text: weights.text * text,
      meaning: weights.meaning * (this.#near.get(candidate.row) ?? 0),
      neighbours: this.#given.get(candidate.item) ?? 0,
      thread: weights.thread * thread,
      author: this.#isBySpeaker(candidate) ? weights.author : 0,
      participant:
        candidate.thread !== null && this.#participating.has(candidate.thread) ? weights.participant : 0,
      time: weights.time * (this.#times.get(candidate.row)?.score ?? 0),
      shape: shape + asks + this.#changed(candidate),
      identifier: weights.identifier * exact,
      expansion: weights.expansion * expansion,
      wish: this.#wishes.get(candidate.row)?.score ?? 0,
      recency: this.#recency(candidate, text),
    };
  }

  #changed({ flags }: Candidate): number {
    if ((flags & FLAG.changed) === 0 || this.#goal.change === 'sequence' || this.#goal.isFirst) return 0;
    return this.#goal.change === 'latest' ? this.#weights.changed : this.#weights.changedUnasked;
  }

  #isBySpeaker({ author, flags }: Candidate): boolean {
    if (author !== null && this.#authors.has(author)) return true;
    const { speaker } = this.#goal;
    return speaker !== undefined && (flags & FLAG[speaker]) !== 0;
  }

  /** Later words on the matter count more than earlier ones: where the last state is asked for, and a little otherwise. */
  #recency({ day, thread, flags }: Candidate, text: number): number {
    const { recency, latest, later } = this.#weights;
    if (this.#goal.times.length > 0) return 0;
    const age = day === null ? RECENT_DAYS : Math.max(0, this.#today - day);
    const usual = recency / (1 + age / RECENT_DAYS);
    const { first, last } = this.#span;
    const { change, isFirst } = this.#goal;
    if (isFirst) return 0;
    if (day === null || last === first || change === 'sequence') return usual;
    // People who talk with each other do not keep what they said up to date.
    const isKept = thread === null || (flags & SPOKEN) !== 0;
    const weight = change === 'latest' ? latest : isKept ? later : 0;
    return usual + (weight * text * (day - first)) / (last - first);
  }

  #ranked(candidate: Candidate, score: number, lanes: Ranked['lanes']): Ranked {
    const { concepts } = this.#pool;
    const matched = this.#texts.get(candidate.row)?.matched ?? [];
    const covered = matched.reduce((sum, index) => sum + concepts[index]!.rarity, 0);
    const time = this.#times.get(candidate.row);
    return {
      item: candidate.item,
      passage: candidate,
      score,
      lanes,
      words: matched.map((index) => concepts[index]!.word),
      coverage: covered / this.#totalRarity,
      ...(time ? { time } : {}),
      ...((lanes.wish ?? 0) > 0 ? { wish: this.#wishes.get(candidate.row)!.how } : {}),
    };
  }

  /** Items that the best ones are related to come along, if the caller may read them. */
  #withRelated(ranked: Ranked[], count: number): Ranked[] {
    if (this.#weights.relation === 0) return ranked;
    const byItem = new Map(ranked.map((each) => [each.item, each]));
    let frontier = ranked.slice(0, Math.min(this.#reach.related, count));
    let changed = false;
    for (let step = 0; step < this.#reach.steps && frontier.length > 0; step++) {
      frontier = this.#followRelations(frontier, byItem);
      changed ||= frontier.length > 0;
    }
    if (!changed) return ranked;
    return [...byItem.values()].sort(byScore);
  }

  /** Gives what these items are related to a share of their score; answers what gained by it. */
  #followRelations(origins: readonly Ranked[], byItem: Map<number, Ranked>): Ranked[] {
    const linked = rowsWithRelations(
      this.#database,
      origins.map(({ item }) => item),
    );
    const readable = new Set(this.#partitions.map(({ number }) => number));
    const gained: Ranked[] = [];
    for (const origin of origins.filter(({ item }) => linked.has(item))) {
      for (const { other, type } of relationsOf(this.#database, origin.item)) {
        if (type === 'supersedes' || other === origin.via) continue;
        if (!readable.has(Math.floor(other / PARTITION_SIZE))) continue;
        const gain = this.#weights.relation * origin.score;
        const known = byItem.get(other);
        if (known && (known.lanes.relation ?? 0) < gain && known !== origin) {
          known.score += gain - (known.lanes.relation ?? 0);
          known.lanes.relation = gain;
          known.via = origin.item;
          gained.push(known);
        } else if (!known) {
          const passage = this.#firstPassage(other);
          if (!passage) continue;
          const added = { ...this.#ranked(passage, gain, { relation: gain }), via: origin.item };
          byItem.set(other, added);
          gained.push(added);
        }
      }
    }
    return gained;
  }

  /** Each further item of a thread steps back a little; the best of every thread stays where it is. */
  #spread(ranked: Ranked[]): Ranked[] {
    const { diversity, sequence } = this.#weights;
    if (diversity === 0) return ranked.sort(byScore);
    const isSequence = this.#goal.change === 'sequence';
    const seen = new Map<number, number>();
    for (const each of ranked) {
      const { thread, flags } = each.passage;
      if (thread === null) continue;
      const before = seen.get(thread) ?? 0;
      seen.set(thread, before + 1);
      // Each step of what is told to an assistant is in a conversation of its own.
      const loss = isSequence && (flags & SPOKEN) !== 0 ? sequence : diversity;
      each.score *= 1 - loss * Math.min(CROWD, before);
    }
    return ranked.sort(byScore);
  }

  /**
   * What the words alone put first is never far behind: however the other lanes are wrong about a goal, the answer that plain BM25
   * would have given is among those that are read.
   */
  #guard(ranked: Ranked[]): Ranked[] {
    const { guard } = this.#weights;
    if (guard === 0) return ranked;
    const plain = new Map<number, number>();
    for (const [row, text] of this.#texts) {
      const { item } = this.#pool.candidates.get(row)!;
      if (text.plain > (plain.get(item) ?? 0)) plain.set(item, text.plain);
    }
    const first = new Set(highest(plain, guard));
    const held = ranked.filter(({ item }, place) => place >= GUARDED && first.has(item));
    for (const [index, each] of held.entries()) {
      const above = ranked.filter((other) => !held.includes(other))[GUARDED - 1 - index]!;
      const gain = above.score * (1 + (index + 1) * 1e-6) - each.score;
      if (gain <= 0) continue;
      each.score += gain;
      each.lanes.text = (each.lanes.text ?? 0) + gain;
    }
    return held.length === 0 ? ranked : ranked.sort(byScore);
  }

  #firstPassage(row: number): Candidate | undefined {
    const passage = passagesAt(this.#database, [row])[0];
    if (!passage || this.#domain === null) return passage;
    const found = this.#database.get<{ domain: string | null }>(
      'SELECT domain FROM memory_passage WHERE row = ?',
      row,
    );
    return found?.domain === this.#domain ? passage : undefined;
  }
}
