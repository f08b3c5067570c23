import type { MemoryBrief } from '@infold/protocol';
import { isoTime } from '../kernel/clock.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { Caller } from '../trust/identity/caller.ts';
import { projectById } from '../trust/identity/queries.ts';
import { nameOf, timeOrNull } from './pack/items.ts';
import type { ItemRow, Partition } from './queries.ts';
import { shownTo } from './redact-origin.ts';

const EXCERPT = 240;

/** Items as lists show them: enough to tell them apart, without all that they say. */
export function briefsOf(
  database: Database,
  caller: Caller,
  rows: readonly ItemRow[],
  partitions: readonly Partition[],
): MemoryBrief[] {
  const places = new Map(partitions.map((partition) => [partition.number, partition]));
  const names = new Map<string, string | null>();
  const nameOfProject = (id: string) => {
    if (!names.has(id)) names.set(id, projectById(database, caller.org, id)?.name ?? null);
    return names.get(id)!;
  };
  return rows.map((row) => {
    const partition = places.get(row.partition)!;
    const item = shownTo(database, caller, row, partition);
    const projectId = partition.project_id === '' ? null : partition.project_id;
    return {
      id: item.id,
      kind: item.kind,
      title: item.title,
      name: nameOf(item),
      excerpt: item.content.slice(0, EXCERPT),
      length: item.content.length,
      author: item.author,
      scope: partition.scope,
      ...(partition.agent_id !== '' && { agent_id: partition.agent_id }),
      project_id: projectId,
      project: projectId === null ? null : nameOfProject(projectId),
      origin: item.origin,
      source: item.source,
      at: timeOrNull(item.at),
      valid_at: timeOrNull(item.valid_at),
      created_at: isoTime(item.created_at),
      superseded_by: item.superseded_by,
    };
  });
}
