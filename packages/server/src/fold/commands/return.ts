import { branchNotActive } from '../errors.ts';
import type { BranchFolded, BranchReturnedLate, FoldEvent } from '../events.ts';
import type { Branch } from '../queries.ts';
import { after } from '../transitions.ts';
import type { FoldDecision, OpenState } from './limits.ts';

export interface Fold {
  summary: string;
  summaryTokens: number;
  secrets: number;
  redacted: boolean;
  /** Handles of results that it used up; undefined where none was named. */
  consumes?: string[] | undefined;
}

/** An open branch and the open ones in it, outermost first. A subagent's stands beside them all. */
export function openWithin(path: readonly Branch[], branch: Branch): Branch[] {
  return branch.agent === null ? path.filter(({ depth }) => depth >= branch.depth) : [branch];
}

/** FOLD-15: open children go first, innermost out, with an empty summary; all in one entry. */
export function foldBranch(
  { state, path }: OpenState,
  target: Branch | undefined,
  fold: Fold,
): FoldDecision<BranchFolded & { operations: number }> {
  const branch = target ?? path.at(-1);
  if (!branch) throw branchNotActive('fold', null, 'none');
  if (after(branch.status, 'fold') === undefined) throw branchNotActive('fold', branch.id, branch.status);
  const children = openWithin(path, branch).slice(1).reverse();
  let carried = 0;
  const events: FoldEvent[] = children.map((child) => {
    carried += child.tokens;
    return folded(state.session_id, child, {
      summary: '',
      summary_tokens: 0,
      tokens_folded: carried,
      secrets: child.secrets,
      summary_redacted: false,
      folded_by: branch.id,
    });
  });
  const own = folded(state.session_id, branch, {
    summary: fold.summary,
    summary_tokens: fold.summaryTokens,
    tokens_folded: branch.tokens + carried,
    secrets: branch.secrets + fold.secrets,
    summary_redacted: fold.redacted,
    folded_by: null,
    ...(fold.consumes && { consumes: fold.consumes }),
  });
  events.push(own);
  const operations = children.reduce((sum, child) => sum + child.operations, branch.operations);
  return { events, answer: { ...own.data, operations } };
}

export function folded(
  sessionId: string,
  branch: Pick<Branch, 'id' | 'parent_id' | 'tokens'>,
  fold: Omit<BranchFolded, 'session_id' | 'branch_id' | 'parent_id' | 'tokens_own'>,
): { type: 'branch.folded'; data: BranchFolded } {
  const place = { session_id: sessionId, branch_id: branch.id, parent_id: branch.parent_id };
  return { type: 'branch.folded', data: { ...place, tokens_own: branch.tokens, ...fold } };
}

/** FOLD-12: of a branch that expired, its agent may still say what it came to, once. */
export function returnLate(branch: Branch, fold: Fold): FoldDecision<BranchReturnedLate> {
  if (branch.summary !== null) throw branchNotActive('fold', branch.id, 'expired');
  const data = {
    session_id: branch.session_id,
    branch_id: branch.id,
    summary: fold.summary,
    summary_tokens: fold.summaryTokens,
    secrets: branch.secrets + fold.secrets,
    summary_redacted: fold.redacted,
  };
  return { events: [{ type: 'branch.returned_late', data }], answer: data };
}
