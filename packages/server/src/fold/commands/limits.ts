import type { Limits } from '@infold/protocol';
import type { Decision } from '../../journal/journal.ts';
import { branchLimit, budgetExceeded, contextLimitExceeded, depthLimit } from '../errors.ts';
import type { FoldEvent } from '../events.ts';
import type { Branch, FoldState } from '../queries.ts';

export type FoldDecision<Answer> = Decision<Answer> & { events: FoldEvent[] };

/** Decisions see figures, not databases: the tools read them and hand them in. */
export interface OpenState {
  state: FoldState;
  /** From the outermost open branch to the active one. */
  path: Branch[];
}

export interface ContextLimits {
  contextLimit: number;
  hardLimit: boolean;
  limits: Pick<Limits, 'branchDepth' | 'activeBranches'>;
}

/** A branch may be nested so deep, and so many may be open. */
export function refuseTooManyBranches(
  path: readonly Branch[],
  depth: number,
  { branchDepth, activeBranches }: ContextLimits['limits'],
): void {
  if (depth > branchDepth) throw depthLimit(depth, branchDepth);
  if (path.length >= activeBranches) throw branchLimit(path.length, activeBranches);
}

/** Before a branch begins, or another door's tool runs: may this session take more? Folding is always allowed. */
export function refuseWhenFull(
  { state, path }: OpenState,
  incoming: number,
  { contextLimit, hardLimit }: ContextLimits,
): void {
  refuseOverBudget(path);
  if (hardLimit) refuseOverLimit(state, incoming, contextLimit);
}

function refuseOverLimit(state: FoldState, incoming: number, limit: number): void {
  if (state.total + incoming > limit) throw contextLimitExceeded(state, incoming, limit);
}

function refuseOverBudget(path: readonly Branch[]): void {
  const over = path.find((branch) => branch.budget !== null && branch.tokens > branch.budget);
  if (over) throw budgetExceeded(over.id, over.tokens, over.budget!);
}

/** At 80% of its budget a branch's agent is told, once it can still act on it. */
export function budgetNotices(path: readonly Branch[]): string[] {
  return path
    .filter((branch) => branch.budget !== null && branch.tokens >= branch.budget * 0.8)
    .map((branch) => {
      const share = Math.round((branch.tokens / branch.budget!) * 100);
      return `Branch ${branch.id} has used ${share}% of its budget of ${branch.budget} tokens; fold it soon`;
    });
}
