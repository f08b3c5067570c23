import type { CallContext } from '../../call/context.ts';
import type { Config } from '../../kernel/config.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { type Approver, type ReviewStep, STEPS } from '../commands/review.ts';
import { draftNotFound, invalid } from '../errors.ts';
import { type Draft, draftById, findDraft } from '../queries/drafts.ts';

/** By id, or by its path in a project. An id needs no project. */
export function draftOfCall(
  context: CallContext,
  { id, project }: { id: string; project?: string | undefined },
  step?: ReviewStep,
): Draft {
  const { database, caller } = context;
  const isId = project === undefined && draftById(database, id) !== undefined;
  const workspaceId = isId ? undefined : context.project(project).workspace_id;
  const draft = findDraft(database, caller, workspaceId, id, step && STEPS[step]);
  if (!draft) throw draftNotFound(id);
  return draft;
}

export function requireDrafter({ principal, scopes }: Caller, draft: Draft): void {
  if (draft.principal === principal || scopes.includes('admin')) return;
  throw new InfoldError('forbidden', 'Only the author of a draft can do this');
}

export function approverIn({ library }: Config, { principal }: Caller): Approver {
  return { principal, selfApproval: library.selfApproval !== false };
}

/** Drafts that one entry is about. */
export function workspaceOf([first, ...others]: readonly Draft[]): string {
  if (others.some(({ workspace_id }) => workspace_id !== first!.workspace_id)) {
    throw invalid('Drafts that are handled together must belong to one project');
  }
  return first!.workspace_id;
}
