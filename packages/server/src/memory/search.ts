import type { RelationInput } from '@infold/protocol';
import type { Journal } from '../journal/journal.ts';
import { isoTime } from '../kernel/clock.ts';
import type { GiveWay } from '../kernel/give-way.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { Caller } from '../trust/caller.ts';
import { memoryStream } from '../trust/streams.ts';
import { relateItems } from './commands.ts';
import { itemNotFound } from './errors.ts';
import { facetOf } from './pack/facets.ts';
import { contradictionsOf, factsOf, metadataOf, nameOf, relatedItems, timeOrNull } from './pack/items.ts';
import { reasonFor } from './pack/reasons.ts';
import {
  type ItemRow,
  itemById,
  itemsByRow,
  type Partition,
  partitionAt,
  type Reader,
  readablePartitions,
  relationsOf,
} from './queries.ts';
import { rank } from './retrieval/rank.ts';
import { shownTo } from './shown.ts';
import { findTargets } from './write.ts';

const MOST_RELATED = 200;
const MOST_STEPS = 10_000;

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
}

/** The pipeline of packs, without facets: what fits best, in order. */
export async function searchItems(
  database: Database,
  { query, domain, limit, now, reader, giveWay }: SearchRequest,
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
  });
  const items = new Map(
    itemsByRow(
      database,
      ranked.map(({ item }) => item),
    ).map((item) => [item.row, item]),
  );
  return ranked.flatMap((each) => {
    const item = items.get(each.item);
    if (!item) return [];
    const reason = reasonFor(each, goal, facetOf(item, 'general'), undefined);
    const score = Math.round(each.score * 10_000) / 10_000;
    return [{ ...itemView(database, reader.caller, item, byNumber.get(item.partition)!), score, reason }];
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
  };
}

export function relatedTo(database: Database, reader: Reader, id: string) {
  const { item, partitions } = findItem(database, reader, id);
  const readable = new Set(partitions.map(({ number }) => number));
  return relatedItems(database, readable, item.row, MOST_RELATED);
}

/** Adds a relation between two items that are there. */
export async function addRelation(
  journal: Journal,
  caller: Caller,
  reader: Reader,
  id: string,
  relation: RelationInput,
): Promise<{ related: boolean }> {
  const { answer } = await journal.commit({
    stream: memoryStream(caller.org),
    actor: caller.actor,
    decide: (database) => {
      const { item, partition } = findItem(database, reader, id);
      const own = partitionAt(database, caller.org, partition);
      const target = findTargets(database, caller, partition, own, [relation])[0]!;
      // Whoever is the current version of what it is to supersede has done so before.
      const isHead = target.insteadOf !== undefined && target.item?.row === item.row;
      const related = relationsOf(database, item.row)
        .filter(({ type, direction }) => direction === 'outgoing' && type === relation.type)
        .map(({ other }) => other);
      const known =
        isHead || itemsByRow(database, related).some(({ id: to }) => to === relation.id || to === target.id);
      const place = {
        scope: partition.scope,
        project_id: partition.project_id,
        principal: partition.principal,
        agent_id: partition.agent_id,
      };
      const superseded = target.item ? supersededFrom(database, target.item.row) : [];
      return relateItems({ org: caller.org, place, item, target, known, supersededByTarget: superseded });
    },
  });
  return answer;
}

/** Ids of what an item supersedes, directly and through others. */
function supersededFrom(database: Database, row: number): string[] {
  const rows: number[] = [];
  const open = [row];
  const seen = new Set(open);
  for (let step = 0; step < MOST_STEPS && open.length > 0; step++) {
    for (const { type, other, direction } of relationsOf(database, open.shift()!)) {
      if (type !== 'supersedes' || direction !== 'outgoing' || seen.has(other)) continue;
      seen.add(other);
      rows.push(other);
      open.push(other);
    }
  }
  return itemsByRow(database, rows).map(({ id }) => id);
}
