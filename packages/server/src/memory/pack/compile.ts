import type { ContextFacet, ContextInput, ContextIntent, ContextLayer } from '@infold/protocol';
import { type GiveWay, goOn } from '../../kernel/give-way.ts';
import type { Database } from '../../kernel/sqlite.ts';
import {
  briefsByRow,
  type ItemBrief,
  itemsByRow,
  type Partition,
  type Reader,
  readablePartitions,
  rowsWithRelations,
  tasksWithStatus,
} from '../queries.ts';
import { shownTo } from '../redact-origin.ts';
import type { Goal } from '../retrieval/goal.ts';
import { type Ranked, type Ranking, rank } from '../retrieval/rank.ts';
import { REACH, WEIGHTS, type Weights } from '../retrieval/weights.ts';
import { ACTIVE, ARCHIVED, emphasis, emphasised, facetOf } from './facets.ts';
import { contradictionsOf, type PackItem, packItemOf, relatedItems } from './items.ts';
import { reasonFor } from './reasons.ts';

const MOST_PINNED = 5;
/** Tasks that are looked through for those of one domain. */
const MOST_ACTIVE = 100;
const PINNING = new Set(['build', 'plan', 'debug', 'general']);
/** A session start is helped by what clearly fits, not by everything that might. */
const WAKE_SHARE = 0.3;
/** A facet that the intent asks for is shown when its best item has this share of the best score. */
const FACET_SHARE = 0.35;
const FAVOUR = 1.15;

export interface PackRequest
  extends Omit<ContextInput, 'project' | 'agent_id' | 'include_related' | 'token_budget' | 'format'> {
  include_related?: boolean | undefined;
  reader: Reader;
  now: number;
  /** The project that the caller works in, where the call itself names none. */
  favouredProject?: string | undefined;
  weights?: Weights;
  giveWay?: GiveWay | undefined;
}

/** The working set for a goal, before it is laid out for somebody to read. */
export interface Selection {
  goal: string;
  intent: ContextIntent;
  layer: ContextLayer;
  domain: string | null;
  project: string | null;
  /** What was really searched for. */
  query: string;
  /** How wide the search was, in words. */
  width: string;
  /** In the order in which they matter. */
  items: PackItem[];
  partitions: Partition[];
  limit: number;
  relatedLimit: number;
  includeRelated: boolean;
}

interface Chosen {
  ranked: Ranked;
  item: ItemBrief;
  facet: ContextFacet;
  score: number;
  contradictedBy: string[];
  pinned: boolean;
}

export function clampLimit(limit: number, least: number, most: number): number {
  return Number.isFinite(limit) ? Math.min(most, Math.max(least, Math.round(limit))) : most;
}

/**
 * PACK-01 to PACK-06: the working set for a goal, from what the caller may read. It is read in several pieces: what is
 * removed between two of them is left out.
 */
export async function selectItems(database: Database, request: PackRequest): Promise<Selection> {
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
    ...(request.weights ? { weights: request.weights } : {}),
  });
  await giveWay();
  const candidates = judge(database, request, ranking.ranked, byNumber);
  const chosen = choose(candidates, request, limit);
  const selected = pinTasks(database, request, partitions, chosen, limit);
  await giveWay();
  const rows = selected.map(({ item }) => item.row);
  const linked = includeRelated ? rowsWithRelations(database, rows) : new Set<number>();
  const chosenBy = new Map(selected.map((each) => [each.item.row, each]));
  const terms = new Set(ranking.goal.concepts.flatMap(({ term, synonyms }) => [term, ...synonyms]));
  const { steps } = REACH[layer];
  const items: PackItem[] = [];
  for (const item of itemsByRow(database, rows)) {
    await giveWay();
    const each = chosenBy.get(item.row)!;
    const related = linked.has(item.row)
      ? relatedItems(database, readable, item.row, relatedLimit, steps)
      : [];
    const view = {
      ...each,
      item: shownTo(database, reader.caller, item, byNumber.get(item.partition)!),
      partition: byNumber.get(item.partition)!,
      passage: each.ranked.passage.row,
      reason: each.pinned ? pinnedReason(item) : reasonOf(each, ranking.goal, candidates),
      related,
    };
    items.push(packItemOf(database, view, terms));
  }
  return {
    goal: text,
    intent,
    layer,
    domain,
    project: reader.projectId,
    query: ranking.query,
    width: widthOf(ranking, includeRelated ? steps : 0),
    items,
    partitions,
    limit,
    relatedLimit,
    includeRelated,
  };
}

function widthOf({ looked, passages }: Ranking, steps: number): string {
  const searched = `looked at ${looked} of ${passages} passages`;
  if (steps === 0) return searched;
  return `${searched}, followed relations ${steps === 1 ? 'one step' : `${steps} steps`}`;
}

/** Reads the items, drops what is archived, and weighs them by intent, project and contradiction. */
function judge(
  database: Database,
  { intent, weights = WEIGHTS, favouredProject }: PackRequest,
  ranked: readonly Ranked[],
  partitions: ReadonlyMap<number, Partition>,
): Chosen[] {
  const readable = new Set(partitions.keys());
  const linked = rowsWithRelations(
    database,
    ranked.map(({ item }) => item),
  );
  const items = new Map(
    briefsByRow(
      database,
      ranked.map(({ item }) => item),
    ).map((item) => [item.row, item]),
  );
  const judged = ranked.flatMap((each): Chosen[] => {
    const item = items.get(each.item);
    if (!item || (item.status !== null && ARCHIVED.has(item.status))) return [];
    const facet = facetOf(item, intent);
    const contradictedBy = linked.has(item.row) ? contradictionsOf(database, readable, item.row) : [];
    const favour = partitions.get(item.partition)!.project_id === favouredProject ? FAVOUR : 1;
    const held = contradictedBy.length > 0 ? weights.contradicted : 1;
    const score = each.score * emphasis(intent, facet) * favour * held;
    return [{ ranked: each, item, facet, score, contradictedBy, pinned: false }];
  });
  return judged.sort((one, other) => other.score - one.score);
}

/** The best, with a place for each facet that the intent asks for and that has something to say. */
function choose(candidates: readonly Chosen[], { intent, layer }: PackRequest, limit: number): Chosen[] {
  const top = candidates[0]?.score ?? 0;
  const distinct = withoutRepetitions(candidates);
  const enough = layer === 'wake' ? distinct.filter(({ score }) => score >= top * WAKE_SHARE) : distinct;
  const chosen = enough.slice(0, limit);
  for (const facet of emphasised(intent)) {
    if (chosen.some((each) => each.facet === facet)) continue;
    const best = enough.find((each) => each.facet === facet && each.score >= top * FACET_SHARE);
    const place = best ? chosen.findLastIndex((each) => isOneOfSeveral(chosen, each.facet)) : -1;
    if (best && place >= 0 && chosen.length >= limit) chosen.splice(place, 1, best);
  }
  return chosen.sort((one, other) => other.score - one.score);
}

function isOneOfSeveral(chosen: readonly Chosen[], facet: ContextFacet): boolean {
  return chosen.filter((each) => each.facet === facet).length > 2;
}

/** The same text from two sources is said once; turns of a dialogue are each their own. */
function withoutRepetitions(candidates: readonly Chosen[]): Chosen[] {
  const seen = new Set<string>();
  return candidates.filter(({ item }) => {
    if (item.thread !== null) return true;
    const key = `${item.kind}\n${item.title ?? ''}\n${item.content}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Tasks that somebody works on now are part of the picture, whether or not they match the goal. */
function pinTasks(
  database: Database,
  { intent, reader, favouredProject, domain }: PackRequest,
  partitions: readonly Partition[],
  chosen: Chosen[],
  limit: number,
): Chosen[] {
  const projectId = reader.projectId ?? favouredProject;
  if (!PINNING.has(intent) || projectId === undefined || projectId === null) return chosen;
  const own = partitions.filter((partition) => partition.project_id === projectId);
  const most = Math.min(MOST_PINNED, Math.floor(limit / 2));
  const tasks = tasksWithStatus(database, own, ACTIVE, domain === undefined ? most : MOST_ACTIVE)
    .filter((task) => domain === undefined || task.domain?.toLowerCase() === domain.toLowerCase())
    .slice(0, most);
  const readable = new Set(partitions.map(({ number }) => number));
  const pinned = tasks.map((item): Chosen => {
    const known = chosen.find((each) => each.item.row === item.row);
    if (known) return { ...known, pinned: true };
    const passage = {
      row: item.row,
      item: item.row,
      thread: null,
      position: null,
      author: null,
      day: null,
      flags: 0,
      terms: '',
      heading: '',
    };
    const found = { item: item.row, passage, score: 0, lanes: {}, words: [] };
    const contradictedBy = contradictionsOf(database, readable, item.row);
    return { ranked: found, item, facet: facetOf(item, intent), score: 0, contradictedBy, pinned: true };
  });
  const rows = new Set(pinned.map(({ item }) => item.row));
  return [...pinned, ...chosen.filter(({ item }) => !rows.has(item.row))].slice(0, limit);
}

function pinnedReason(item: ItemBrief): string {
  return `task of this project is ${(item.status ?? 'active').replaceAll('_', ' ')}`;
}

function reasonOf({ ranked, facet }: Chosen, goal: Goal, candidates: readonly Chosen[]): string {
  const via = ranked.via === undefined ? undefined : candidates.find(({ item }) => item.row === ranked.via);
  // Named by its title or its id: what it says stands in its own place.
  return reasonFor(ranked, goal, facet, via && (via.item.title ?? via.item.id));
}
