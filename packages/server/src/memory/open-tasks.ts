import type { Database } from '../kernel/sqlite.ts';
import { ACTIVE } from './pack/facets.ts';
import { contradictionsOf, nameOf } from './pack/items.ts';
import {
  type ItemRow,
  newestDecisions,
  type Reader,
  readablePartitions,
  tasksWithStatus,
} from './queries.ts';

/** What stands in a project whatever somebody asks for: what is to be done, and what was decided. */
export interface StandingItem {
  id: string;
  name: string;
  content: string;
  status: string | null;
  /** When it was said, or written down. */
  at: number;
}

/** Those that somebody works on, then those that wait for somebody. */
const OPEN = [...ACTIVE, 'next', 'ready', 'open', 'todo', 'to_do', 'pending', 'new', 'planned'];

export function openTasks(database: Database, reader: Reader, limit: number): StandingItem[] {
  const own = readablePartitions(database, reader).filter(
    ({ project_id }) => project_id === reader.projectId,
  );
  return tasksWithStatus(database, own, OPEN, limit).map(standing);
}

/** Of the project and of the organisation; what somebody contradicts is no decision to go by. */
export function standingDecisions(database: Database, reader: Reader, limit: number): StandingItem[] {
  const partitions = readablePartitions(database, reader);
  const readable = new Set(partitions.map(({ number }) => number));
  return newestDecisions(database, partitions, limit)
    .filter(({ row }) => contradictionsOf(database, readable, row).length === 0)
    .map(standing);
}

function standing(item: ItemRow): StandingItem {
  const { id, content, status, at, created_at } = item;
  return { id, name: nameOf(item), content, status, at: at ?? created_at };
}
