import type { Database } from '../../kernel/sqlite.ts';
import { PARTITION_SIZE } from '../projection/tables.ts';
import type { ItemRow, Partition } from '../queries.ts';

/** What telling doubles apart needs to know of an item. */
export type DoubleRow = Pick<ItemRow, 'row' | 'kind' | 'title' | 'content' | 'domain' | 'thread'>;

const numbersOf = (partitions: readonly Partition[]) =>
  JSON.stringify(partitions.map(({ number }) => number));

export function countStanding(database: Database, partitions: readonly Partition[]): number {
  return partitions.reduce((sum, { number }) => {
    const { items } = database.get<{ items: number }>(
      'SELECT count(*) AS items FROM memory_item WHERE row >= ?1 AND row < ?2 AND superseded_by IS NULL',
      number * PARTITION_SIZE,
      (number + 1) * PARTITION_SIZE,
    )!;
    return sum + items;
  }, 0);
}

/** A page of what stands in a partition. */
export function standingAfter(
  database: Database,
  partition: number,
  row: number,
  limit: number,
): DoubleRow[] {
  return database.all<DoubleRow>(
    `SELECT row, kind, title, content, domain, thread FROM memory_item
     WHERE row > ?1 AND row >= ?2 AND row < ?3 AND superseded_by IS NULL ORDER BY row LIMIT ?4`,
    row,
    partition * PARTITION_SIZE,
    (partition + 1) * PARTITION_SIZE,
    limit,
  );
}

/** Relations between two items of which the first stands; of the second `superseded` says whether it was superseded. */
export function relationsBetween(
  database: Database,
  partitions: readonly Partition[],
  types: readonly string[],
  superseded: boolean,
): { source: number; type: string; target: number }[] {
  return database.all(
    `SELECT relation.source, relation.type, relation.target FROM memory_relation AS relation
       JOIN memory_item AS one ON one.row = relation.source
       JOIN memory_item AS other ON other.row = relation.target
     WHERE relation.type IN (SELECT value FROM json_each(?1)) AND one.superseded_by IS NULL
       AND (other.superseded_by IS NOT NULL) = ?2
       AND one.partition IN (SELECT value FROM json_each(?3)) AND other.partition IN (SELECT value FROM json_each(?3))
     ORDER BY relation.source DESC, relation.target`,
    JSON.stringify(types),
    superseded ? 1 : 0,
    numbersOf(partitions),
  );
}

/** Items of these kinds that share their name with another in the same place, name by name, the newest first. */
export function namesakes(
  database: Database,
  partitions: readonly Partition[],
  kinds: readonly string[],
): { name: string; rows: number[] }[] {
  return database
    .all<{ name: string; rows: string }>(
      `SELECT name, json_group_array(row) AS rows FROM (
         SELECT row, partition, kind, lower(title) AS name FROM memory_item
         WHERE partition IN (SELECT value FROM json_each(?1)) AND title IS NOT NULL AND superseded_by IS NULL
           AND kind IN (SELECT value FROM json_each(?2)) ORDER BY row DESC)
       GROUP BY partition, kind, name HAVING count(*) > 1 ORDER BY max(row) DESC`,
      numbersOf(partitions),
      JSON.stringify(kinds),
    )
    .map(({ name, rows }) => ({ name, rows: JSON.parse(rows) as number[] }));
}

/** What was said to hold at a moment before this one, the oldest first. */
export function validBefore(database: Database, partitions: readonly Partition[], before: number): number[] {
  return database
    .all<{ row: number }>(
      `SELECT row FROM memory_item WHERE partition IN (SELECT value FROM json_each(?1))
         AND superseded_by IS NULL AND valid_at IS NOT NULL AND valid_at < ?2 ORDER BY valid_at, row`,
      numbersOf(partitions),
      before,
    )
    .map(({ row }) => row);
}

/** Tasks in one of these states that were written down before a moment, the oldest first. */
export function tasksSince(
  database: Database,
  partitions: readonly Partition[],
  statuses: readonly string[],
  before: number,
): number[] {
  return database
    .all<{ row: number }>(
      `SELECT row FROM memory_item WHERE partition IN (SELECT value FROM json_each(?1))
         AND superseded_by IS NULL AND status IN (SELECT value FROM json_each(?2)) AND updated_at < ?3
       ORDER BY updated_at, row`,
      numbersOf(partitions),
      JSON.stringify(statuses),
      before,
    )
    .map(({ row }) => row);
}

/** Items that packs showed to this many sessions or more and that none of them used, the most often shown first. */
export function neverUsed(
  database: Database,
  partitions: readonly Partition[],
  sessions: number,
): { row: number; sessions: number }[] {
  return database.all(
    `SELECT item.row, shown.sessions FROM (
       SELECT item AS id, count(DISTINCT session) AS sessions FROM memory_shown AS each GROUP BY item
       HAVING count(DISTINCT session) >= ?2 AND NOT EXISTS (
         SELECT 1 FROM memory_used WHERE memory_used.item = each.item
           AND memory_used.session IN (SELECT session FROM memory_shown WHERE memory_shown.item = each.item))) AS shown
     JOIN memory_item AS item ON item.id = shown.id
     WHERE item.superseded_by IS NULL AND item.partition IN (SELECT value FROM json_each(?1))
     ORDER BY shown.sessions DESC, item.row`,
    numbersOf(partitions),
    sessions,
  );
}
