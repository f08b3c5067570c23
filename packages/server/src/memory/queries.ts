import { createHash } from 'node:crypto';
import type { MemoryScope } from '@infold/protocol';
import type { Database } from '../kernel/sqlite.ts';
import type { Caller } from '../trust/identity/caller.ts';
import type { MemoryPlace, StoredItem } from './events.ts';
import { PARTITION_SIZE } from './projection/tables.ts';
import type { LanguageCode } from './text/languages/language.ts';

export interface Partition extends MemoryPlace {
  number: number;
  org: string;
  passages: number;
  words: number;
  threads: number;
  /** The newest day that anything in it was said on. */
  last_day: number | null;
}

export interface ItemRow {
  row: number;
  id: string;
  partition: number;
  kind: string;
  title: string | null;
  content: string;
  domain: string | null;
  tags: string | null;
  metadata: string | null;
  status: string | null;
  source: string | null;
  url: string | null;
  origin: string;
  author: string | null;
  role: string | null;
  thread: string | null;
  ordinal: number | null;
  at: number | null;
  valid_at: number | null;
  created_at: number;
  updated_at: number;
  superseded_by: string | null;
  passages: number;
}

const ITEM = `row, id, partition, kind, title, content, domain, tags, metadata, status, source, url, origin, author, role,
  thread, ordinal, at, valid_at, created_at, updated_at, superseded_by, passages`;
const PARTITION = 'number, org, scope, project_id, principal, agent_id, passages, words, threads, last_day';

/** Who asks: the caller, for one project or for all that are open to them, with one agent's diary or without. */
export interface Reader {
  caller: Caller;
  projectId: string | null;
  agentId: string | null;
}

/** PACK-06: the one rule of who reads what. Everything that is searched, related or shown passes through it. */
export function readablePartitions(database: Database, { caller, projectId, agentId }: Reader): Partition[] {
  const candidates = database.all<Partition>(
    `SELECT ${PARTITION} FROM memory_partition WHERE org = ?1 AND (scope IN ('organisation', 'project')
       OR (scope = 'private' AND principal = ?2) OR (scope = 'diary' AND principal = ?2 AND agent_id = ?3))`,
    caller.org,
    caller.principal,
    agentId ?? '',
  );
  return candidates.filter(({ project_id, scope, agent_id }) => {
    if (scope === 'diary' && (agentId === null || agent_id !== agentId)) return false;
    return isOpenTo({ caller, projectId }, project_id);
  });
}

function isOpenTo({ caller, projectId }: Pick<Reader, 'caller' | 'projectId'>, id: string): boolean {
  return id === '' || (projectId === null ? isProjectOpen(caller, id) : id === projectId);
}

export interface Diary {
  agent_id: string;
  items: number;
  last_at: number;
}

/** What agents keep for the caller, the one that was written in last first. */
export function diariesFor(database: Database, reader: Pick<Reader, 'caller' | 'projectId'>): Diary[] {
  const { org, principal } = reader.caller;
  const parts = database.all<Diary & { project_id: string }>(
    `SELECT agent_id, project_id, count(row) AS items, max(created_at) AS last_at
     FROM memory_partition JOIN memory_item ON row >= number * ?1 AND row < (number + 1) * ?1
     WHERE org = ?2 AND scope = 'diary' AND principal = ?3 GROUP BY number`,
    ...[PARTITION_SIZE, org, principal],
  );
  const diaries = new Map<string, Diary>();
  for (const { project_id, agent_id, items, last_at } of parts) {
    if (!isOpenTo(reader, project_id)) continue;
    const known = diaries.get(agent_id);
    diaries.set(agent_id, {
      agent_id,
      items: items + (known?.items ?? 0),
      last_at: Math.max(last_at, known?.last_at ?? 0),
    });
  }
  return [...diaries.values()].sort(
    (one, other) => other.last_at - one.last_at || one.agent_id.localeCompare(other.agent_id),
  );
}

export function isProjectOpen(caller: Caller, projectId: string): boolean {
  return caller.projects === null || caller.projects.includes(projectId);
}

/** Whether an agent of this name keeps a diary, and for whom. */
export function diaryOwners(database: Database, org: string, agentId: string): string[] {
  return database
    .all<{ principal: string }>(
      `SELECT DISTINCT principal FROM memory_partition WHERE org = ? AND scope = 'diary' AND agent_id = ?`,
      org,
      agentId,
    )
    .map((row) => row.principal);
}

export function partitionAt(database: Database, org: string, place: MemoryPlace): Partition | undefined {
  return database.get<Partition>(
    `SELECT ${PARTITION} FROM memory_partition
     WHERE org = ? AND scope = ? AND project_id = ? AND principal = ? AND agent_id = ?`,
    org,
    place.scope,
    place.project_id,
    place.principal,
    place.agent_id,
  );
}

/** The languages of what stands in partitions besides English, the most frequent first, each with its passages. */
export function languagesIn(
  database: Database,
  partitions: readonly Partition[],
): { language: LanguageCode; passages: number }[] {
  return database.all(
    `SELECT language, sum(passages) AS passages FROM memory_language
     WHERE partition IN (SELECT value FROM json_each(?)) GROUP BY language ORDER BY 2 DESC, 1`,
    JSON.stringify(partitions.map(({ number }) => number)),
  );
}

export function partitionsMade(database: Database): number {
  return database.get<{ made: number | null }>('SELECT max(number) AS made FROM memory_partition')!.made ?? 0;
}

/** An id may occur in several projects, as exports of other programs have it; the first partition given wins. */
export function itemById(
  database: Database,
  partitions: readonly Partition[],
  id: string,
): ItemRow | undefined {
  const order = new Map(partitions.map(({ number }, index) => [number, index]));
  return database
    .all<ItemRow>(`SELECT ${ITEM} FROM memory_item WHERE id = ?`, id)
    .filter((item) => order.has(item.partition))
    .sort((one, other) => order.get(one.partition)! - order.get(other.partition)!)[0];
}

export function itemInPartition(database: Database, partition: number, id: string): ItemRow | undefined {
  return database.get<ItemRow>(
    `SELECT ${ITEM} FROM memory_item WHERE id = ? AND partition = ?`,
    id,
    partition,
  );
}

export function itemsByRow(database: Database, rows: readonly number[]): ItemRow[] {
  if (rows.length === 0) return [];
  const found = database.all<ItemRow>(
    `SELECT ${ITEM} FROM memory_item WHERE row IN (SELECT value FROM json_each(?))`,
    JSON.stringify(rows),
  );
  return inOrder(found, rows);
}

/** What choosing among items needs to know of them. Of what they say no more than how many bytes it has. */
export interface ItemBrief
  extends Pick<ItemRow, 'row' | 'id' | 'partition' | 'kind' | 'title' | 'status' | 'author' | 'thread'> {
  bytes: number;
}

/**
 * One value for all of them: taking every column of every row from the driver costs more than finding them. How many bytes a text has
 * stands before it, so that what an item costs does not follow its length.
 */
export function briefsByRow(database: Database, rows: readonly number[]): ItemBrief[] {
  const { list } = database.get<{ list: string }>(
    `SELECT json_group_array(json_array(row, id, partition, kind, title, octet_length(content), status, author, thread)) AS list
     FROM memory_item WHERE row IN (SELECT value FROM json_each(?))`,
    JSON.stringify(rows),
  )!;
  const found = (JSON.parse(list) as BriefRow[]).map(
    ([row, id, partition, kind, title, bytes, status, author, thread]) => {
      return { row, id, partition, kind, title, bytes, status, author, thread };
    },
  );
  return inOrder(found, rows);
}

type BriefRow = [
  row: number,
  id: string,
  partition: number,
  kind: string,
  title: string | null,
  bytes: number,
  status: string | null,
  author: string | null,
  thread: string | null,
];

export function contentOf(database: Database, row: number): string | undefined {
  return database.get<{ content: string }>('SELECT content FROM memory_item WHERE row = ?', row)?.content;
}

function inOrder<Item extends { row: number }>(found: readonly Item[], rows: readonly number[]): Item[] {
  const byRow = new Map(found.map((item) => [item.row, item]));
  return rows.flatMap((row) => byRow.get(row) ?? []);
}

export function itemWithDigest(
  database: Database,
  partition: number,
  digest: Uint8Array,
): { id: string } | undefined {
  return database.get<{ id: string }>(
    'SELECT id FROM memory_item WHERE digest = ? AND partition = ? ORDER BY row LIMIT 1',
    digest,
    partition,
  );
}

/** Items of the same name that still stand. */
export function itemsTitled(
  database: Database,
  partition: number,
  title: string,
  limit: number,
): Pick<ItemRow, 'id' | 'kind' | 'title' | 'row'>[] {
  return database.all(
    `SELECT row, id, kind, title FROM memory_item
     WHERE partition = ? AND lower(title) = lower(?) AND title IS NOT NULL AND superseded_by IS NULL
     ORDER BY row DESC LIMIT ?`,
    partition,
    title,
    limit,
  );
}

/** The version of an imported file that stands now. */
export function itemOfFile(database: Database, partition: number, source: string): ItemRow | undefined {
  return database.get<ItemRow>(
    `SELECT ${ITEM} FROM memory_item
     WHERE partition = ? AND source = ? AND origin = 'markdown' AND superseded_by IS NULL ORDER BY row DESC LIMIT 1`,
    partition,
    source,
  );
}

/** Tasks with one of these states, in the order of the states and of the partitions, then the newest first. */
export function tasksWithStatus(
  database: Database,
  partitions: readonly Partition[],
  statuses: readonly string[],
  limit: number,
): ItemRow[] {
  // Most places have no tasks at all, which one look at the index tells.
  const places = partitions.map(({ number }) => number).filter((number) => hasTasks(database, number));
  if (places.length === 0) return [];
  const found = database.all<{ row: number }>(
    `SELECT row FROM json_each(?1) AS wanted CROSS JOIN json_each(?2) AS place CROSS JOIN memory_item
     WHERE partition = place.value AND status = wanted.value AND status IS NOT NULL
       AND superseded_by IS NULL AND kind IN ('task', 'epic')
     ORDER BY wanted.key, place.key, row DESC LIMIT ?3`,
    JSON.stringify(statuses),
    JSON.stringify(places),
    limit,
  );
  return itemsByRow(
    database,
    found.map(({ row }) => row),
  );
}

/** What was decided and still stands, the newest first. */
export function newestDecisions(
  database: Database,
  partitions: readonly Partition[],
  limit: number,
): ItemRow[] {
  return partitions
    .flatMap(({ number }) =>
      database.all<ItemRow>(
        `SELECT ${ITEM} FROM memory_item
         WHERE partition = ? AND kind = 'decision' AND superseded_by IS NULL ORDER BY row DESC LIMIT ?`,
        number,
        limit,
      ),
    )
    .sort((one, other) => other.created_at - one.created_at || other.row - one.row)
    .slice(0, limit);
}

function hasTasks(database: Database, partition: number): boolean {
  const found = database.get(
    'SELECT 1 FROM memory_item WHERE partition = ? AND status IS NOT NULL AND superseded_by IS NULL LIMIT 1',
    partition,
  );
  return found !== undefined;
}

/** A page of a partition's items in the order in which they came. */
export function itemsAfter(database: Database, partition: number, row: number, limit: number): ItemRow[] {
  return database.all<ItemRow>(
    `SELECT ${ITEM} FROM memory_item WHERE partition = ? AND row > ? ORDER BY row LIMIT ?`,
    partition,
    row,
    limit,
  );
}

export interface ListedItems {
  /** Positions are row numbers within a partition: the order in which things were stored, across all of them. */
  before: number;
  kind: string | undefined;
  author: string | undefined;
  /** Milliseconds since 1970. */
  until: number | undefined;
  superseded: boolean;
  limit: number;
}

/** What was stored, the newest first. */
export function itemsNewestFirst(
  database: Database,
  partitions: readonly Partition[],
  { before, kind, author, until, superseded, limit }: ListedItems,
): ItemRow[] {
  return partitions
    .flatMap(({ number }) =>
      database.all<ItemRow>(
        `SELECT ${ITEM} FROM memory_item
         WHERE row >= ?1 AND row < ?2 AND (?3 IS NULL OR kind = ?3) AND (?4 IS NULL OR author = ?4)
           AND (?5 IS NULL OR created_at < ?5) AND (?6 OR superseded_by IS NULL)
         ORDER BY row DESC LIMIT ?7`,
        number * PARTITION_SIZE,
        number * PARTITION_SIZE + Math.min(before, PARTITION_SIZE),
        kind ?? null,
        author ?? null,
        until ?? null,
        superseded ? 1 : 0,
        limit,
      ),
    )
    .sort((one, other) => positionOf(other) - positionOf(one))
    .slice(0, limit);
}

/** Where an item stands among all that was stored. */
export function positionOf({ row }: Pick<ItemRow, 'row'>): number {
  return row % PARTITION_SIZE;
}

/** Every place that holds an item of this id, readable or not. */
export function partitionsHolding(database: Database, org: string, id: string): number[] {
  return database
    .all<{ number: number }>(
      'SELECT number FROM memory_item JOIN memory_partition ON number = partition WHERE id = ? AND org = ?',
      id,
      org,
    )
    .map(({ number }) => number);
}

/** The items that passages are of, in the order of the passages. */
export function itemsOfPassages(
  database: Database,
  passages: readonly number[],
): { passage: number; item: number }[] {
  const found = database.all<{ row: number; item: number }>(
    'SELECT row, item FROM memory_passage WHERE row IN (SELECT value FROM json_each(?))',
    JSON.stringify(passages),
  );
  return inOrder(found, passages).map(({ row, item }) => ({ passage: row, item }));
}

export interface RelationRow {
  type: string;
  /** The row of the item at the other end. */
  other: number;
  direction: 'outgoing' | 'incoming';
}

export function relationsOf(database: Database, row: number): RelationRow[] {
  return database.all<RelationRow>(
    `SELECT type, target AS other, 'outgoing' AS direction FROM memory_relation WHERE source = ?1
     UNION ALL
     SELECT type, source AS other, 'incoming' AS direction FROM memory_relation WHERE target = ?1
     ORDER BY 3 DESC, 1, 2`,
    row,
  );
}

/** Which of these items have relations at all: most have none, and need no further look. */
export function rowsWithRelations(database: Database, rows: readonly number[]): Set<number> {
  const found = database.all<{ row: number }>(
    `SELECT value AS row FROM json_each(?) WHERE EXISTS (SELECT 1 FROM memory_relation WHERE source = value)
       OR EXISTS (SELECT 1 FROM memory_relation WHERE target = value)`,
    JSON.stringify(rows),
  );
  return new Set(found.map(({ row }) => row));
}

/** The same text by the same author at the same place of the same thread is the same item. */
export function digestOf(item: Omit<StoredItem, 'id' | 'origin'>): Uint8Array {
  const hash = createHash('sha256').update(
    JSON.stringify([
      item.content,
      item.kind,
      item.title ?? null,
      item.domain ?? null,
      item.source ?? null,
      item.author ?? null,
      item.thread ?? null,
      item.ordinal ?? null,
      item.at ?? null,
    ]),
  );
  return new Uint8Array(hash.digest().subarray(0, 16));
}

export function placeOf({ scope, project_id, principal, agent_id }: MemoryPlace): MemoryPlace {
  return { scope, project_id, principal, agent_id };
}

/** Wider scopes can be read by everyone who can read narrower ones. */
export const WIDTH: Record<MemoryScope, number> = { diary: 0, private: 1, project: 2, organisation: 3 };
