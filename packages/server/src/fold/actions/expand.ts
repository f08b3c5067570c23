import { foldApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { type Answer, tellPage } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import type { Journal } from '../../journal/journal.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { cutToFit, pageSize, roomFor } from '../../kernel/pages.ts';
import { branchNotFound } from '../errors.ts';
import { branchById, isOpenTo, isOwn, isOwnBranch } from '../queries.ts';
import {
  branchTrajectory,
  operationIn,
  operationPages,
  type Page,
  parseOperationHandle,
} from '../trajectory/pages.ts';

/** A page of what a handle stands for, or undefined when the handle is not this resolver's or not the caller's. */
export type HandleResolver = (
  handle: string,
  page: number,
  perPage: number,
  context: CallContext,
) => Resolved | Promise<Resolved>;

type Resolved = (Page & { kind: string }) | undefined;

const DEFAULT_PER_PAGE = 20;
const MOST_PER_PAGE = 100;

/** Handles of other doors (collapsed results, say) are resolved by what the composition root hands in. */
declare module '../../call/parts.ts' {
  interface Parts {
    handles: readonly HandleResolver[];
    /** Told of every handle that was expanded. */
    expanded?: (handle: string, context: CallContext) => Promise<void>;
  }
}

export const expand = defineAction(foldApi.contextExpand, { run: expandHandle });

async function expandHandle(
  input: { handle: string; page?: number | undefined; per_page?: number | undefined },
  context: CallContext,
): Promise<Answer<Page & { handle: string; kind: string }>> {
  const page = input.page ?? 1;
  if (page < 1) throw new InfoldError('invalid_arguments', `page must be 1 or more; it was ${page}`);
  const wanted = input.per_page ?? DEFAULT_PER_PAGE;
  const perPage = Math.min(MOST_PER_PAGE, Math.max(1, wanted));
  if (perPage !== wanted) context.notices.push(`per_page was set to ${perPage} (1 to ${MOST_PER_PAGE})`);
  for (const resolve of [resolveBranch, resolveOperation, ...context.parts.handles]) {
    const first = await resolve(input.handle, 1, perPage, context);
    if (!first) continue;
    const { items: _, ...besides } = first;
    const room = roomFor(context.config.limits.pageCharacters, besides);
    const size = pageSize(first.items, perPage, room);
    const found =
      page === 1 && size === perPage ? first : (await resolve(input.handle, page, size, context))!;
    if (page > found.total_pages) context.notices.push(`There are ${found.total_pages} pages`);
    const { items, cut } = cutToFit(found.items as object[], room);
    tellPage(context, { wanted: perPage, size, cut });
    await context.parts.expanded?.(input.handle, context);
    return { structured: { handle: input.handle, ...found, items: [...items] } };
  }
  if (input.handle.startsWith('br_')) throw branchNotFound(input.handle, context.session?.id ?? null);
  throw new InfoldError('not_found', `Handle not found: ${input.handle} (unknown, expired, or not yours)`);
}

const resolveBranch: HandleResolver = (handle, page, perPage, context) => {
  const branch = branchById(context.database, handle);
  if (!branch || !isOwnBranch(context, branch)) return undefined;
  return { kind: 'branch', ...branchTrajectory(context.journal, branch, page, perPage) };
};

const resolveOperation: HandleResolver = (handle, page, perPage, context) => {
  const pointer = parseOperationHandle(handle);
  if (!pointer) return undefined;
  const operation = operationIn(context.journal.entryAt(pointer.seq)?.events[pointer.place]);
  if (!operation || !isOwn(context, operation.session_id)) return undefined;
  const branch = operation.branch_id === null ? undefined : branchById(context.database, operation.branch_id);
  if (branch && !isOpenTo(context.caller, branch)) return undefined;
  return { kind: 'operation', ...operationPages(operation, page, perPage) };
};

/** The session of a branch or of an operation. */
export function sessionOfHandle(journal: Journal, handle: string): string | undefined {
  const pointer = parseOperationHandle(handle);
  if (!pointer) return branchById(journal.database, handle)?.session_id;
  return operationIn(journal.entryAt(pointer.seq)?.events[pointer.place])?.session_id;
}
