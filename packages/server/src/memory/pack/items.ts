import type { ContextFacet, ContextItem, ContextOtherValue, ContextRelatedItem } from '@infold/protocol';
import { isoTime } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { type ItemRow, itemsByRow, type Partition, relationsOf } from '../queries.ts';
import { withoutCode } from '../text/headings.ts';
import type { LanguageCode } from '../text/languages/language.ts';
import { sentenceEnd, sentenceStart } from '../text/sentences.ts';
import { Body, cut } from './body.ts';
import type { OtherValue } from './compare/conflicts.ts';

const NAME_CHARACTERS = 80;
const SAID_CHARACTERS = 160;
/** Longer content is given by its best passage; the whole of it is one call away. */
const WHOLE_CONTENT = 6000;
const AROUND = 400;

export function nameOf(item: Pick<ItemRow, 'title' | 'content'>): string {
  return item.title ?? cut(firstLineOf(item.content), NAME_CHARACTERS);
}

/** Code at the beginning: what follows it may be far away. */
const FENCE = /^(?:`{3}|~{3})/;

/** Of what people wrote, not of code; without the marks of a heading or a list. */
function firstLineOf(content: string): string {
  const whole = content.trimStart();
  const told = (FENCE.test(whole) ? withoutCode(content).trim() : whole) || content.trim();
  return told
    .split('\n')[0]!
    .replace(/^(?:#{1,6}|[-*+>]|\d+[.)])[ \t]+/, '')
    .trim();
}

export function timeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : isoTime(milliseconds);
}

/** An item on its way into a pack. */
export interface PackItem {
  row: number;
  /** Where it stands by what it says alone. Of two items that do not both fit, the one behind is left out. */
  place: number;
  view: ContextItem;
  body: Body;
  /** Whether it has a name besides what it says. */
  titled: boolean;
  /** It is what somebody wants always: that is read first. */
  isWish: boolean;
  /** When it was said, or stored; and where in its thread. */
  at: number;
  ordinal: number | null;
  /** The name of its project, where that is not the pack's. */
  project: string | undefined;
}

/** Something that says nearly the same. */
export interface Repetition {
  id: string;
  at: number;
}

export interface ItemView {
  item: ItemRow;
  partition: Partition;
  /** The passage that matched, where the item has several, and what it is written in. */
  passage: number | undefined;
  language?: LanguageCode | undefined;
  facet: ContextFacet;
  score: number;
  reason: string;
  related: ContextRelatedItem[];
  contradictedBy: string[];
  isWish?: boolean;
  /** What other items of the pack say with another value. */
  otherValues?: readonly OtherValue[];
  also?: readonly Repetition[];
  project?: string | undefined;
  place?: number;
}

/** An item with what is needed to shorten it: where it matched, and by which terms. */
export function packItemOf(database: Database, view: ItemView, terms: ReadonlySet<string>): PackItem {
  const passage = passageOf(database, view);
  const excerpt = excerptOf(view.item, passage);
  const focus = {
    begin: passage.begins - (excerpt?.begin ?? 0),
    end: passage.ends - (excerpt?.begin ?? 0),
    terms,
    language: view.language,
  };
  const item = contextItemOf(view, excerpt);
  const body = new Body(item.content, focus);
  const { place = 0, isWish = false, project } = view;
  const { row, title, at, created_at, ordinal } = view.item;
  const when = { at: at ?? created_at, ordinal };
  return { row, place, view: item, body, titled: title !== null, isWish, ...when, project };
}

/** An item as the protocol shows it. What was written comes back unchanged. */
export function contextItemOf(view: ItemView, excerpt: Excerpt | undefined): ContextItem {
  const { item, partition, facet, score, reason, related, contradictedBy, project } = view;
  const { otherValues = [], also = [] } = view;
  return {
    id: item.id,
    type: item.kind,
    name: nameOf(item),
    content: excerpt?.text ?? item.content,
    score: Math.round(score * 10_000) / 10_000,
    facet,
    reason,
    source: item.source,
    quality: {
      origin: item.origin,
      source: item.source,
      url: item.url,
      created_at: timeOrNull(item.at ?? item.created_at),
      updated_at: timeOrNull(item.updated_at),
      valid_at: timeOrNull(item.valid_at),
      project_id: partition.project_id === '' ? null : partition.project_id,
    },
    metadata: {
      ...factsOf(item, partition),
      ...(project === undefined ? {} : { project }),
      ...metadataOf(item),
      ...(excerpt
        ? { excerpt: { begin: excerpt.begin, end: excerpt.end, length: item.content.length } }
        : {}),
      ...(contradictedBy.length > 0 ? { contradicted_by: contradictedBy } : {}),
      ...(otherValues.length > 0 ? { other_values: otherValues.map(otherValue) } : {}),
      ...(also.length > 0 ? { also: also.map(({ id, at }) => ({ id, at: isoTime(at) })) } : {}),
    },
    related,
  };
}

function otherValue({ id, at, says, values, change }: OtherValue): ContextOtherValue {
  return {
    ...{ id, at: isoTime(at), says: cut(says, SAID_CHARACTERS) },
    ...(values ? { values: [...values] } : {}),
    ...(change ? { change } : {}),
  };
}

export function metadataOf(item: ItemRow): Record<string, unknown> {
  return item.metadata === null ? {} : (JSON.parse(item.metadata) as Record<string, unknown>);
}

/** Fields of the item that the protocol has no place for. */
export function factsOf(item: ItemRow, partition: Partition) {
  return {
    scope: partition.scope,
    ...(item.domain === null ? {} : { domain: item.domain }),
    ...(item.tags === null ? {} : { tags: JSON.parse(item.tags) as string[] }),
    ...(item.author === null ? {} : { author: item.author }),
    ...(item.role === null ? {} : { role: item.role }),
    ...(item.thread === null ? {} : { thread: item.thread }),
    ...(item.ordinal === null ? {} : { ordinal: item.ordinal }),
    ...(item.at === null ? {} : { at: isoTime(item.at) }),
    ...(partition.agent_id === '' ? {} : { agent_id: partition.agent_id }),
  };
}

interface Excerpt {
  begin: number;
  end: number;
  text: string;
}

export interface PassageBounds {
  begins: number;
  ends: number;
}

export function passageOf(
  database: Database,
  { item, passage }: Pick<ItemView, 'item' | 'passage'>,
): PassageBounds {
  const found =
    item.passages === 1
      ? undefined
      : database.get<PassageBounds>(
          'SELECT begins, ends FROM memory_passage WHERE row = ?',
          passage ?? item.row,
        );
  return found ?? { begins: 0, ends: Math.min(item.content.length, WHOLE_CONTENT) };
}

function excerptOf({ content }: ItemRow, { begins, ends }: PassageBounds): Excerpt | undefined {
  if (content.length <= WHOLE_CONTENT) return undefined;
  const begin = sentenceStart(content, Math.max(0, begins - AROUND));
  const end = sentenceEnd(content, Math.min(content.length, ends + AROUND));
  return { begin, end, text: content.slice(begin, end) };
}

/**
 * PACK-05: the nearest first, readable ones only; superseded items stay out of packs in every role. The relationship of
 * an item that is further away is that to the one which leads to it.
 */
export function relatedItems(
  database: Database,
  readable: ReadonlySet<number>,
  row: number,
  limit: number,
  steps = 1,
): ContextRelatedItem[] {
  const related: ContextRelatedItem[] = [];
  const nearer = new Set([row]);
  let frontier = [row];
  for (let distance = 1; distance <= steps && related.length < limit; distance++) {
    const relations = frontier
      .flatMap((from) => relationsOf(database, from))
      .filter(({ other }) => !nearer.has(other));
    const rows = [...new Set(relations.map(({ other }) => other))];
    const items = new Map(
      itemsByRow(database, rows)
        .filter((item) => item.superseded_by === null && readable.has(item.partition))
        .map((item) => [item.row, item]),
    );
    for (const { type, other, direction } of relations) {
      const item = items.get(other);
      if (!item || related.length >= limit) continue;
      const { id, kind } = item;
      related.push({ id, type: kind, name: nameOf(item), relationship: type, direction, distance });
    }
    frontier = [...items.keys()];
    for (const each of frontier) nearer.add(each);
  }
  return related;
}

/** Ids of readable items that say this one is wrong and that still stand. */
export function contradictionsOf(database: Database, readable: ReadonlySet<number>, row: number): string[] {
  const rows = relationsOf(database, row)
    .filter(({ type, direction }) => type === 'contradicts' && direction === 'incoming')
    .map(({ other }) => other);
  if (rows.length === 0) return [];
  return itemsByRow(database, rows)
    .filter((item) => item.superseded_by === null && readable.has(item.partition))
    .map(({ id }) => id);
}
