import { isoTime } from '../kernel/clock.ts';
import type { GiveWay } from '../kernel/give-way.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { Caller } from '../trust/identity/caller.ts';
import { projectById } from '../trust/identity/queries.ts';
import { itemNotFound } from './errors.ts';
import { facetOf } from './pack/facets.ts';
import { contradictionsOf, factsOf, metadataOf, nameOf, relatedItems, timeOrNull } from './pack/items.ts';
import { reasonFor } from './pack/reasons.ts';
import {
  type ItemRow,
  itemById,
  itemsByRow,
  type Partition,
  type Reader,
  readablePartitions,
  relationsOf,
} from './queries.ts';
import { shownTo } from './redact-origin.ts';
import type { FindByMeaning } from './retrieval/meaning-lane.ts';
import { rank } from './retrieval/rank.ts';
import { splitPassages } from './text/passages.ts';

const MOST_RELATED = 200;

/** An item as REST and the command line show it: everything that was written. */
export function itemView(database: Database, caller: Caller, row: ItemRow, partition: Partition) {
  const item = shownTo(database, caller, row, partition);
  return {
    id: item.id,
    kind: item.kind,
    title: item.title,
    name: nameOf(item),
    content: item.content,
    source: item.source,
    url: item.url,
    origin: item.origin,
    project_id: partition.project_id === '' ? null : partition.project_id,
    ...factsOf(item, partition),
    metadata: metadataOf(item),
    valid_at: timeOrNull(item.valid_at),
    created_at: isoTime(item.created_at),
    updated_at: isoTime(item.updated_at),
    superseded_by: item.superseded_by,
  };
}

export interface SearchRequest {
  query: string;
  domain: string | null;
  limit: number;
  now: number;
  reader: Reader;
  giveWay?: GiveWay;
  findByMeaning?: FindByMeaning | undefined;
}

/** The pipeline of packs, without facets: what fits best, in order. */
export async function searchItems(
  database: Database,
  { query, domain, limit, now, reader, giveWay, findByMeaning }: SearchRequest,
) {
  const partitions = readablePartitions(database, reader);
  const byNumber = new Map(partitions.map((partition) => [partition.number, partition]));
  const { goal, ranked } = await rank(database, partitions, {
    goal: query,
    domain,
    now,
    layer: 'recall',
    count: limit,
    giveWay,
    findByMeaning,
  });
  const items = new Map(
    itemsByRow(
      database,
      ranked.map(({ item }) => item),
    ).map((item) => [item.row, item]),
  );
  const nameOfProject = (id: string | null) =>
    id === null ? null : (projectById(database, reader.caller.org, id)?.name ?? null);
  return ranked.flatMap((each) => {
    const item = items.get(each.item);
    if (!item) return [];
    const reason = reasonFor(each, goal, facetOf(item, 'general'), undefined);
    const score = Math.round(each.score * 10_000) / 10_000;
    const view = itemView(database, reader.caller, item, byNumber.get(item.partition)!);
    return [{ ...view, project: nameOfProject(view.project_id), score, reason }];
  });
}

/** An item that the caller may read; superseded ones too, since somebody asked for it by name. */
export function findItem(database: Database, reader: Reader, id: string) {
  const partitions = readablePartitions(database, reader);
  const item = itemById(database, partitions, id);
  if (!item) throw itemNotFound(id);
  const partition = partitions.find(({ number }) => number === item.partition)!;
  return { item, partition, partitions };
}

export function showItem(database: Database, reader: Reader, id: string) {
  const { item, partition, partitions } = findItem(database, reader, id);
  const readable = new Set(partitions.map(({ number }) => number));
  return {
    ...itemView(database, reader.caller, item, partition),
    contradicted_by: contradictionsOf(database, readable, item.row),
    related: relatedItems(database, readable, item.row, MOST_RELATED),
    passages: splitPassages(item.content, item.passages),
  };
}

/** What an item is related to; also what was superseded, for who asks how things came about. */
export function relatedTo(database: Database, reader: Reader, id: string, superseded: boolean) {
  const { item, partitions } = findItem(database, reader, id);
  const readable = new Set(partitions.map(({ number }) => number));
  const relations = relationsOf(database, item.row);
  const others = new Map(
    itemsByRow(
      database,
      relations.map(({ other }) => other),
    )
      .filter((other) => readable.has(other.partition) && (superseded || other.superseded_by === null))
      .map((other) => [other.row, other]),
  );
  return relations
    .flatMap(({ type, other, direction }) => {
      const found = others.get(other);
      if (!found) return [];
      const { id: otherId, kind, superseded_by } = found;
      const name = nameOf(found);
      return [{ id: otherId, type: kind, name, relationship: type, direction, distance: 1, superseded_by }];
    })
    .slice(0, MOST_RELATED);
}
