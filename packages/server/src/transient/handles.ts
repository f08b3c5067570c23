import type { CallContext } from '../call/context.ts';
import type { Scratch } from './records/scratch.ts';

/** What `context_expand` shows of a result or a scratch: its records, in pages. */
export async function expandKept(
  scratch: Scratch,
  handle: string,
  page: number,
  perPage: number,
  context: CallContext,
): Promise<{ kind: string; page: number; total_pages: number; items: unknown[] } | undefined> {
  const table = await scratch.open(context.caller, handle);
  if (!table) return undefined;
  const { records, total = 0 } = await table.find({
    conditions: [],
    order: [],
    fields: table.shape.columns,
    offset: (page - 1) * perPage,
    limit: perPage,
    count: true,
  });
  const total_pages = Math.max(1, Math.ceil(total / perPage));
  return { kind: table.kept.kind === 'scratch' ? 'scratch' : 'records', page, total_pages, items: records };
}
