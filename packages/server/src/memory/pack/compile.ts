import type { ContextIntent, ContextLayer } from '@infold/protocol';
import { goOn } from '../../kernel/give-way.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { projectById } from '../../trust/identity/queries.ts';
import {
  contentOf,
  type ItemBrief,
  type ItemRow,
  itemsByRow,
  type Partition,
  readablePartitions,
  rowsWithRelations,
} from '../queries.ts';
import { shownTo } from '../redact-origin.ts';
import type { Goal } from '../retrieval/goal.ts';
import { type Ranking, rank } from '../retrieval/rank.ts';
import { REACH } from '../retrieval/weights.ts';
import { purposeOf } from '../text/intent/purpose.ts';
import { orderByUse } from '../use/order.ts';
import { type Chosen, choose, isArchived, isAside, judge, pinTasks } from './choose.ts';
import { conflictsAmong, type OtherValue } from './compare/conflicts.ts';
import { mergeRepeated } from './compare/repeats.ts';
import { wishChanges } from './compare/wish-changes.ts';
import { type Elsewhere, foundElsewhere } from './elsewhere.ts';
import type { Change } from './in-time.ts';
import { type PackItem, packItemOf, type Repetition, relatedItems } from './items.ts';
import { reasonFor } from './reasons.ts';
import { isRelevant } from './relevance.ts';
import { clampLimit, type PackRequest } from './request.ts';

/** The working set for a goal, before it is laid out for somebody to read. */
export interface Selection {
  goal: string;
  intent: ContextIntent;
  layer: ContextLayer;
  domain: string | null;
  project: string | null;
  /** Its name. */
  projectName: string | null;
  /** What was really searched for. */
  query: string;
  /** How wide the search was, in words. */
  width: string;
  /** In the order in which they matter. */
  items: PackItem[];
  /** Whether any of them is about the goal: wishes hold for every goal. */
  isKnown: boolean;
  /** The order in which they are shown, where the goal asks for one. */
  change: Change;
  /** Other projects that have something, where this one has little. */
  elsewhere: readonly Elsewhere[];
  partitions: Partition[];
  limit: number;
  relatedLimit: number;
  includeRelated: boolean;
}

/** The same with how it came about. */
export interface Compiled extends Selection {
  considered: Considered;
}

/** What was weighed, and what came of it. */
export interface Considered {
  ranking: Ranking;
  /** All that was found, the best first; what is archived too. */
  judged: readonly Chosen[];
  /** What the pack is made of, in the order in which it matters. */
  selected: readonly Chosen[];
  /** By row, what says nearly the same as something better, and what that is. */
  repeated: ReadonlyMap<number, Chosen>;
}

/**
 * PACK-01 to PACK-06: the working set for a goal, from what the caller may read. It is read in several pieces: what is
 * removed between two of them is left out.
 */
export async function selectItems(database: Database, request: PackRequest): Promise<Compiled> {
  const { goal: text, intent, layer, reader, now, giveWay = goOn } = request;
  const domain = request.domain ?? null;
  const limit = clampLimit(request.limit, 1, 50);
  const relatedLimit = clampLimit(request.related_limit, 0, 10);
  const includeRelated = (request.include_related ?? layer !== 'wake') && relatedLimit > 0;
  const partitions = readablePartitions(database, reader);
  const byNumber = new Map(partitions.map((partition) => [partition.number, partition]));
  const readable = new Set(byNumber.keys());
  const ranking = await rank(database, partitions, {
    goal: text,
    domain,
    now,
    layer,
    count: limit * 2 + 20,
    giveWay,
    findByMeaning: request.findByMeaning,
    ...(request.weights ? { weights: request.weights } : {}),
  });
  await giveWay();
  const judged = judge(database, request, ranking.ranked, byNumber);
  const candidates = judged.filter(({ item }) => !isArchived(item));
  const standing = candidates.filter(isRelevant(candidates, ranking.passages));
  // Where something is to be done, wishes are to the point by themselves.
  const isPointless = purposeOf(text) !== 'act' && standing.every(isAside);
  const relevant = isPointless ? [] : standing;
  const { change } = ranking.goal;
  const distinct = mergeRepeated(relevant, (each) => statementOf(database, each, change));
  await giveWay();
  const chosen = choose([...distinct.keys()], request, limit);
  const best = pinTasks(database, request, partitions, chosen, limit);
  const places = new Map(best.map(({ item }, place) => [item.row, place]));
  const selected = orderByUse(database, best, request);
  await giveWay();
  const rows = selected.map(({ item }) => item.row);
  const linked = includeRelated ? rowsWithRelations(database, rows) : new Set<number>();
  const chosenBy = new Map(selected.map((each) => [each.item.row, each]));
  const terms = new Set(ranking.goal.concepts.flatMap(({ forms, synonyms }) => [...forms, ...synonyms]));
  const { steps } = REACH[layer];
  const items: PackItem[] = [];
  const read = itemsByRow(database, rows);
  await giveWay();
  const others = otherValuesOf(database, read, terms);
  const repetitions = repetitionsOf(database, distinct);
  const called = projectNames(database, reader.caller.org);
  for (const item of read) {
    await giveWay();
    const each = chosenBy.get(item.row)!;
    const partition = byNumber.get(item.partition)!;
    const related = linked.has(item.row)
      ? relatedItems(database, readable, item.row, relatedLimit, steps)
      : [];
    const view = {
      ...each,
      item: shownTo(database, reader.caller, item, partition),
      partition,
      passage: each.ranked.passage.row,
      language: each.pinned ? undefined : (each.ranked.passage.language ?? 'en'),
      place: places.get(item.row)!,
      reason: reasonIn({ ranking, judged }, each),
      // What was stored as a rule stands where the intent has rules.
      isWish: each.ranked.wish === 'met' || each.ranked.wish === 'aside',
      otherValues: others.get(item.id) ?? [],
      also: repetitions.get(item.row) ?? [],
      // What is of the pack's own project needs no name.
      project: partition.project_id === (reader.projectId ?? '') ? undefined : called(partition.project_id),
      related,
    };
    items.push(packItemOf(database, view, terms));
  }
  const known = selected.filter((each) => !isAside(each)).length;
  const isLittle = reader.projectId !== null && known < (request.enough ?? 0);
  return {
    goal: text,
    intent,
    layer,
    domain,
    project: reader.projectId,
    projectName: reader.projectId === null ? null : (called(reader.projectId) ?? null),
    query: ranking.query,
    width: widthOf(ranking, includeRelated ? steps : 0),
    items,
    isKnown: known > 0,
    change,
    elsewhere: isLittle ? await foundElsewhere(database, request) : [],
    partitions,
    limit,
    relatedLimit,
    includeRelated,
    considered: { ranking, judged, selected, repeated: repeatedIn(distinct) },
  };
}

/** Where steps are asked for, the same said on another day is another step. */
function statementOf(database: Database, { item, ranked: { passage } }: Chosen, change: Change) {
  const { title, bytes, author, thread } = item;
  return {
    title,
    bytes,
    // Of most items nobody asks for it: their terms are unlike.
    get content() {
      return contentOf(database, item.row) ?? '';
    },
    author,
    thread,
    get terms() {
      return passage.terms.text;
    },
    day: change === 'sequence' ? passage.day : null,
  };
}

function repeatedIn(distinct: ReadonlyMap<Chosen, readonly Chosen[]>): Map<number, Chosen> {
  return new Map(
    [...distinct].flatMap(([best, others]) => others.map(({ item }) => [item.row, best] as const)),
  );
}

/** By row of what stands for them, the newest first. */
function repetitionsOf(
  database: Database,
  distinct: ReadonlyMap<Chosen, readonly Chosen[]>,
): Map<number, Repetition[]> {
  const groups = [...distinct].filter(([, others]) => others.length > 0);
  const rows = groups.flatMap(([, others]) => others.map(({ item }) => item.row));
  const dated = new Map(
    itemsByRow(database, rows).map(({ row, id, at, created_at }) => [row, { id, at: at ?? created_at }]),
  );
  return new Map(
    groups.map(([best, others]) => [
      best.item.row,
      others.flatMap(({ item }) => dated.get(item.row) ?? []).sort((one, other) => other.at - one.at),
    ]),
  );
}

/** What items of the pack say with different values, and what their authors wanted otherwise at another time. */
function otherValuesOf(
  database: Database,
  items: readonly ItemRow[],
  terms: ReadonlySet<string>,
): Map<string, OtherValue[]> {
  const dated = items.map(({ id, content, at, created_at }) => ({ id, content, at: at ?? created_at }));
  const found = conflictsAmong(dated, terms);
  const changes = wishChanges(
    database,
    items.map(({ row }) => row),
  );
  for (const [id, others] of changes) {
    const told = new Set(others.map((other) => other.id));
    found.set(id, [...others, ...(found.get(id) ?? []).filter((other) => !told.has(other.id))]);
  }
  return found;
}

function projectNames(database: Database, org: string): (id: string) => string | undefined {
  const names = new Map<string, string>();
  return (id) => {
    if (id === '') return undefined;
    const name = names.get(id) ?? projectById(database, org, id)?.name ?? id;
    names.set(id, name);
    return name;
  };
}

function widthOf({ looked, passages, meaning }: Ranking, steps: number): string {
  const searched = `looked at ${looked} of ${passages} passages${lanesOf(meaning, passages)}`;
  if (steps === 0) return searched;
  return `${searched}, followed relations ${steps === 1 ? 'one step' : `${steps} steps`}`;
}

/** PACK-15: whether the lane of meaning took part; nothing where it is not configured. */
function lanesOf(meaning: Ranking['meaning'], passages: number): string {
  if (!meaning) return '';
  if ('absent' in meaning) return ` by words, not by meaning: ${meaning.absent}`;
  const { compared } = meaning;
  return compared < passages ? ` by words, and at ${compared} by meaning` : ' by words and by meaning';
}

/** Why an item is where it is, in words. */
export function reasonIn({ ranking, judged }: Pick<Considered, 'ranking' | 'judged'>, each: Chosen): string {
  return each.pinned ? pinnedReason(each.item) : reasonOf(each, ranking.goal, judged);
}

function pinnedReason(item: ItemBrief): string {
  return `task of this project is ${(item.status ?? 'active').replaceAll('_', ' ')}`;
}

function reasonOf({ ranked, facet }: Chosen, goal: Goal, candidates: readonly Chosen[]): string {
  const via = ranked.via === undefined ? undefined : candidates.find(({ item }) => item.row === ranked.via);
  // Named by its title or its id: what it says stands in its own place.
  return reasonFor(ranked, goal, facet, via && (via.item.title ?? via.item.id));
}
