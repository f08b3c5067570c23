import type { CallContext } from '../call/context.ts';
import { itemById, readablePartitions } from './queries.ts';
import { splitPassages } from './text/passages.ts';

/** What `context_expand` shows of an item: all that it says, in passages. */
export function expandItem(
  handle: string,
  page: number,
  perPage: number,
  { database, caller }: CallContext,
): { kind: string; page: number; total_pages: number; items: unknown[] } | undefined {
  const partitions = readablePartitions(database, { caller, projectId: null, agentId: null });
  const item = itemById(database, partitions, handle);
  if (!item) return undefined;
  const passages = splitPassages(item.content);
  const items = passages
    .slice((page - 1) * perPage, page * perPage)
    .map(({ begin, end }) => ({ type: item.kind, text: item.content.slice(begin, end) }));
  return { kind: 'item', page, total_pages: Math.max(1, Math.ceil(passages.length / perPage)), items };
}
