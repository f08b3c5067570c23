import type { ContextFacet, ContextItem, ContextRelatedItem } from '@infold/protocol';
import { isoTime } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { type ItemRow, itemsByRow, type Partition, relationsOf } from '../queries.ts';
import { sentenceStart } from '../text/sentences.ts';
import { cut } from './markdown.ts';

const NAME_CHARACTERS = 80;
/** Longer content is given by its best passage; the whole of it is one call away. */
const WHOLE_CONTENT = 6000;
const AROUND = 400;

export function nameOf(item: Pick<ItemRow, 'title' | 'content'>): string {
  return item.title ?? cut(item.content.trim().split('\n')[0]!.trim(), NAME_CHARACTERS);
}

export function timeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : isoTime(milliseconds);
}

export interface ItemView {
  item: ItemRow;
  partition: Partition;
  /** The passage that matched, where the item has several. */
  passage: number | undefined;
  facet: ContextFacet;
  score: number;
  reason: string;
  related: ContextRelatedItem[];
  contradictedBy: string[];
}

/** An item as the protocol shows it. What was written comes back unchanged. */
export function contextItemOf(database: Database, view: ItemView): ContextItem {
  const { item, partition, facet, score, reason, related, contradictedBy } = view;
  const excerpt = excerptOf(database, item, view.passage);
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
      ...metadataOf(item),
      ...(excerpt
        ? { excerpt: { begin: excerpt.begin, end: excerpt.end, length: item.content.length } }
        : {}),
      ...(contradictedBy.length > 0 ? { contradicted_by: contradictedBy } : {}),
    },
    related,
  };
}

export function metadataOf(item: ItemRow): Record<string, unknown> {
  return item.metadata === null ? {} : (JSON.parse(item.metadata) as Record<string, unknown>);
}

/** Fields of the item that the protocol has no place for. */
export function factsOf(item: ItemRow, partition: Partition): Record<string, unknown> {
  return {
    scope: partition.scope,
    ...(item.domain === null ? {} : { domain: item.domain }),
    ...(item.tags === null ? {} : { tags: JSON.parse(item.tags) as string[] }),
    ...(item.author === null ? {} : { author: item.author }),
    ...(item.thread === null ? {} : { thread: item.thread }),
    ...(item.ordinal === null ? {} : { ordinal: item.ordinal }),
    ...(item.at === null ? {} : { at: isoTime(item.at) }),
    ...(partition.agent_id === '' ? {} : { agent_id: partition.agent_id }),
  };
}

function excerptOf(database: Database, item: ItemRow, passage: number | undefined) {
  if (item.content.length <= WHOLE_CONTENT) return undefined;
  const found = database.get<{ begins: number; ends: number }>(
    'SELECT begins, ends FROM memory_passage WHERE row = ?',
    passage ?? item.row,
  );
  const begin = sentenceStart(item.content, Math.max(0, (found?.begins ?? 0) - AROUND));
  const end = Math.min(item.content.length, (found?.ends ?? WHOLE_CONTENT) + AROUND);
  return { begin, end, text: item.content.slice(begin, end) };
}

/** PACK-05: one hop, readable ones only; superseded items stay out of packs in every role. */
export function relatedItems(
  database: Database,
  readable: ReadonlySet<number>,
  row: number,
  limit: number,
): ContextRelatedItem[] {
  if (limit === 0) return [];
  const relations = relationsOf(database, row);
  if (relations.length === 0) return [];
  const items = new Map(
    itemsByRow(
      database,
      relations.map(({ other }) => other),
    ).map((item) => [item.row, item]),
  );
  const related: ContextRelatedItem[] = [];
  for (const { type, other, direction } of relations) {
    const item = items.get(other);
    if (!item || item.superseded_by !== null || !readable.has(item.partition)) continue;
    related.push({
      id: item.id,
      type: item.kind,
      name: nameOf(item),
      relationship: type,
      direction,
      distance: 1,
    });
    if (related.length >= limit) break;
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
