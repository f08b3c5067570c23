import type { ContextFacet, ContextLayer } from '@infold/protocol';
import type { Database } from '../../kernel/sqlite.ts';
import {
  briefsByRow,
  type ItemBrief,
  type Partition,
  rowsWithRelations,
  tasksWithStatus,
} from '../queries.ts';
import type { Ranked } from '../retrieval/rank.ts';
import { StoredTerms } from '../retrieval/stored-terms.ts';
import { WEIGHTS } from '../retrieval/weights.ts';
import { isToGoOn } from '../text/intent/purpose.ts';
import { ACTIVE, ARCHIVED, emphasis, emphasised, facetOf, knowledge } from './facets.ts';
import { contradictionsOf } from './items.ts';
import type { PackRequest } from './request.ts';

const MOST_PINNED = 5;
/** Tasks that are looked through for those of one domain. */
const MOST_ACTIVE = 100;
const PINNING = new Set(['build', 'plan', 'debug', 'general']);
/** A session start is helped by what clearly fits, not by everything that might. */
const WAKE_SHARE = 0.3;
/** A facet that the intent asks for is shown when its best item has this share of the best score. */
const FACET_SHARE = 0.35;
const FAVOUR = 1.15;

export interface Chosen {
  ranked: Ranked;
  item: ItemBrief;
  facet: ContextFacet;
  score: number;
  /** What the ranked score was multiplied by. */
  factors: { intent: number; kind: number; project: number; contradicted: number };
  contradictedBy: string[];
  pinned: boolean;
}

/** A wish that holds whatever the goal is: it says nothing about what the goal is about. */
export function isAside({ ranked: { lanes, words } }: Pick<Chosen, 'ranked'>): boolean {
  const { wish = 0, identifier = 0, meaning = 0, time = 0, relation = 0 } = lanes;
  return wish > 0 && words.length === 0 && identifier + meaning + time + relation === 0;
}

export function isArchived({ status }: Pick<ItemBrief, 'status'>): boolean {
  return status !== null && ARCHIVED.has(status);
}

/** Reads the items, and weighs them by intent, kind, project and contradiction. */
export function judge(
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
    if (!item) return [];
    // What somebody wants always is a constraint, wherever it was said.
    const facet = (each.lanes.wish ?? 0) > 0 ? 'constraints' : facetOf(item, intent);
    const contradictedBy = linked.has(item.row) ? contradictionsOf(database, readable, item.row) : [];
    const factors = {
      intent: emphasis(intent, facet),
      kind: knowledge(intent, item.kind, facet),
      project: partitions.get(item.partition)!.project_id === favouredProject ? FAVOUR : 1,
      contradicted: contradictedBy.length > 0 ? weights.contradicted : 1,
    };
    const score = Object.values(factors).reduce((product, factor) => product * factor, each.score);
    return [{ ranked: each, item, facet, score, factors, contradictedBy, pinned: false }];
  });
  return judged.sort((one, other) => other.score - one.score);
}

/** The best, with a place for each facet that the intent asks for and that has something to say. */
export function choose(
  candidates: readonly Chosen[],
  { intent, layer }: PackRequest,
  limit: number,
): Chosen[] {
  const top = candidates[0]?.score ?? 0;
  const enough = candidates.filter(({ score }) => score >= floorOf(layer, top));
  const chosen = enough.slice(0, limit);
  for (const facet of emphasised(intent)) {
    if (chosen.some((each) => each.facet === facet)) continue;
    const best = enough.find((each) => each.facet === facet && each.score >= top * FACET_SHARE);
    const place = best ? chosen.findLastIndex((each) => isOneOfSeveral(chosen, each.facet)) : -1;
    if (best && place >= 0 && chosen.length >= limit) chosen.splice(place, 1, best);
  }
  return chosen.sort((one, other) => other.score - one.score);
}

/** The least that an item must have beside the best. */
export function floorOf(layer: ContextLayer, top: number): number {
  return layer === 'wake' ? top * WAKE_SHARE : Number.NEGATIVE_INFINITY;
}

function isOneOfSeveral(chosen: readonly Chosen[], facet: ContextFacet): boolean {
  return chosen.filter((each) => each.facet === facet).length > 2;
}

/** Who goes on with their work sees what they work on now, whether or not it matches the goal. */
export function pinTasks(
  database: Database,
  { goal, intent, layer, reader, favouredProject, domain, pins = true }: PackRequest,
  partitions: readonly Partition[],
  chosen: Chosen[],
  limit: number,
): Chosen[] {
  const projectId = reader.projectId ?? favouredProject;
  if (!pins || !PINNING.has(intent) || projectId === undefined || projectId === null) return chosen;
  if (layer !== 'wake' && !isToGoOn(goal)) return chosen;
  const own = partitions.filter((partition) => partition.project_id === projectId);
  const most = Math.min(MOST_PINNED, Math.floor(limit / 2));
  const tasks = tasksWithStatus(database, own, ACTIVE, domain === undefined ? most : MOST_ACTIVE)
    .filter((task) => domain === undefined || task.domain?.toLowerCase() === domain.toLowerCase())
    .slice(0, most);
  const readable = new Set(partitions.map(({ number }) => number));
  const pinned = tasks.map((task): Chosen => {
    const item = { ...task, bytes: Buffer.byteLength(task.content) };
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
      terms: StoredTerms.of(''),
      heading: '',
    };
    const found = { item: item.row, passage, score: 0, lanes: {}, words: [], coverage: 0 };
    const contradictedBy = contradictionsOf(database, readable, item.row);
    const factors = { intent: 1, kind: 1, project: 1, contradicted: 1 };
    return {
      ...{ ranked: found, item, facet: facetOf(item, intent), score: 0, factors },
      ...{ contradictedBy, pinned: true },
    };
  });
  const rows = new Set(pinned.map(({ item }) => item.row));
  return [...pinned, ...chosen.filter(({ item }) => !rows.has(item.row))].slice(0, limit);
}
