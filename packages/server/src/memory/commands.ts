import type { RelationType, RememberAnswer } from '@infold/protocol';
import type { Decision } from '../journal/journal.ts';
import { nothingStandsAgain, relationToMissing, supersessionCycle, tooNarrow } from './errors.ts';
import type { MemoryEvent, MemoryPlace, StoredItem, StoredRelation } from './events.ts';
import { type ItemRow, placeOf, WIDTH } from './queries.ts';

type MemoryDecision<Answer> = Decision<Answer> & { events: MemoryEvent[] };

/** The other end of a relation, as the caller can see it. */
export interface RelationTarget {
  type: RelationType;
  id: string;
  item: (ItemRow & { place: MemoryPlace }) | undefined;
  /** The id that was named, where that item has been superseded and its current version stands in for it. */
  insteadOf?: string;
}

export interface WriteState {
  org: string;
  place: MemoryPlace;
  /** An item with this id, or with all the same content, that is there already. */
  existing: { id: string } | undefined;
  targets: RelationTarget[];
  /** Items of the same name in the same place that still stand. */
  namesakes: { id: string; kind: string; title: string | null }[];
}

/** Kinds of which two with one name cannot both hold. */
export const BINDING: ReadonlySet<string> = new Set([
  'decision',
  'rule',
  'claim',
  'plan',
  'procedure',
  'preference',
  'guide',
]);

export type NewItem = Omit<StoredItem, 'relations'>;

/** One item. The same content at the same place twice is one item. */
export function remember(state: WriteState, item: NewItem): MemoryDecision<RememberAnswer> {
  const relations = checkedRelations(state, item.id);
  const conflicts = conflictsOf(state, item);
  if (state.existing) {
    return { events: [], answer: { id: state.existing.id, created: false, conflicts: [] } };
  }
  const stored: StoredItem = relations.length === 0 ? item : { ...item, relations };
  return {
    events: [{ type: 'memory.remembered', data: { org: state.org, place: state.place, items: [stored] } }],
    answer: { id: item.id, created: true, conflicts },
  };
}

/** What an import line becomes; undefined where it is there already. */
export function importItem(state: WriteState, item: NewItem): StoredItem | undefined {
  if (state.existing) return undefined;
  const relations = checkedRelations(state, item.id);
  return relations.length === 0 ? item : { ...item, relations };
}

export function importItems(
  org: string,
  place: MemoryPlace,
  items: StoredItem[],
): MemoryDecision<{ imported: number }> {
  if (items.length === 0) return { events: [], answer: { imported: 0 } };
  return {
    events: [{ type: 'memory.imported', data: { org, place, items } }],
    answer: { imported: items.length },
  };
}

export interface RelateState {
  org: string;
  place: MemoryPlace;
  item: ItemRow;
  target: RelationTarget;
  /** Whether the relation is there already. */
  known: boolean;
  /** From the target: what it supersedes, what that supersedes, and so on. */
  supersededByTarget: string[];
}

/** A relation between items that are there. */
export function relateItems(state: RelateState): MemoryDecision<{ related: boolean }> {
  const { org, place, item, target, known, supersededByTarget } = state;
  if (known) return { events: [], answer: { related: false } };
  if (target.type === 'supersedes' && (item.id === target.id || supersededByTarget.includes(item.id))) {
    const between = supersededByTarget.slice(0, supersededByTarget.indexOf(item.id) + 1);
    throw supersessionCycle([item.id, target.id, ...(item.id === target.id ? [] : between)]);
  }
  const relation = checkedRelation(place, target);
  return {
    events: [{ type: 'memory.related', data: { org, place, id: item.id, relation } }],
    answer: { related: true },
  };
}

export interface UnrelateState {
  org: string;
  place: MemoryPlace;
  item: ItemRow;
  type: RelationType;
  /** What the item is related to so, as far as it was asked for. */
  targets: (ItemRow & { place: MemoryPlace })[];
  /** Whether the item shall be superseded by what stands again. */
  withdraw: boolean;
}

/**
 * Takes relations back, in one entry. An item that is withdrawn is superseded by the first of what stands again that all of
 * its readers can read.
 */
export function unrelateItems(
  state: UnrelateState,
): MemoryDecision<{ unrelated: string[]; withdrawn: boolean }> {
  const { org, place, item, type, targets } = state;
  const events: MemoryEvent[] = targets.map((target) => ({
    type: 'memory.unrelated',
    data: { org, place, id: item.id, relation: relationTo(place, type, target) },
  }));
  const withdrawn = state.withdraw && item.superseded_by === null;
  if (withdrawn) {
    const heirs = targets.filter(({ superseded_by }) => superseded_by === item.id);
    const heir = heirs.find((target) => reachesReadersOf(target.place, place)) ?? heirs[0];
    if (!heir) throw nothingStandsAgain(item.id);
    const relation = checkedRelation(heir.place, {
      ...{ type: 'supersedes', id: item.id },
      item: { ...item, place },
    });
    events.push({ type: 'memory.related', data: { org, place: heir.place, id: heir.id, relation } });
  }
  return { events, answer: { unrelated: targets.map(({ id }) => id), withdrawn } };
}

/** All or none: one relation that cannot be made refuses the item. */
function checkedRelations(state: WriteState, id: string): StoredRelation[] {
  return distinct(state.targets).map((target) => {
    if (target.id === id && target.type === 'supersedes') throw supersessionCycle([id, id]);
    return checkedRelation(state.place, target);
  });
}

/** Several versions of one item lead to the same current one. */
function distinct(targets: readonly RelationTarget[]): RelationTarget[] {
  const keyOf = ({ type, id }: RelationTarget) => `${type} ${id}`;
  return [...new Map(targets.map((target) => [keyOf(target), target])).values()];
}

function checkedRelation(place: MemoryPlace, { type, id, item }: RelationTarget): StoredRelation {
  if (!item) throw relationToMissing(type, id);
  if (type === 'supersedes' && !reachesReadersOf(place, item.place)) {
    throw tooNarrow(place.scope, item.place.scope, id);
  }
  return relationTo(place, type, { id, place: item.place });
}

function relationTo(
  from: MemoryPlace,
  type: RelationType,
  { id, place }: { id: string; place: MemoryPlace },
): StoredRelation {
  const same = JSON.stringify(placeOf(from)) === JSON.stringify(placeOf(place));
  return same ? { type, id } : { type, id, place: placeOf(place) };
}

/** Whoever can read the old item must be able to read the new one. */
function reachesReadersOf(place: MemoryPlace, target: MemoryPlace): boolean {
  if (place.scope === target.scope) {
    return (
      (place.project_id === target.project_id || place.project_id === '') &&
      place.agent_id === target.agent_id
    );
  }
  return (
    WIDTH[place.scope] > WIDTH[target.scope] &&
    (place.project_id === '' || place.project_id === target.project_id)
  );
}

function conflictsOf(state: WriteState, item: NewItem): RememberAnswer['conflicts'] {
  const settled = new Set(state.targets.filter(({ type }) => type === 'supersedes').map(({ id }) => id));
  const contradicted = state.targets
    .filter(({ type, item: target }) => type === 'contradicts' && target)
    .map(({ id, item: target }) => ({
      id,
      title: target!.title ?? id,
      reason: 'the new item says that it contradicts this one; both stand until one supersedes the other',
    }));
  const named = new Set(state.targets.map(({ id, insteadOf }) => insteadOf ?? id));
  const newer = distinct(state.targets)
    .filter(({ id, insteadOf }) => insteadOf !== undefined && !named.has(id))
    .map(({ id, item: target, insteadOf }) => ({
      id,
      title: target!.title ?? id,
      reason: `${insteadOf} was superseded by this one already; the new item supersedes this one instead`,
    }));
  const namesakes = state.namesakes
    .filter(({ kind, id }) => kind === item.kind && BINDING.has(kind) && !settled.has(id))
    .filter(({ id }) => !contradicted.some((other) => other.id === id))
    .map(({ id, title, kind }) => ({
      id,
      title: title ?? id,
      reason: `there is already a ${kind} of this name; relate the new one with "supersedes" if it replaces it`,
    }));
  return [...contradicted, ...newer, ...namesakes];
}
