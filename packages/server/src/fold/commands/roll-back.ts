import { branchNotActive } from '../errors.ts';
import type { RolledBackBranch } from '../events.ts';
import type { Branch, FoldState } from '../queries.ts';
import { after } from '../transitions.ts';
import type { FoldDecision, OpenState } from './limits.ts';
import { openWithin } from './return.ts';

/** An open branch goes with its open children, and nothing else does: what was folded in it stays folded. */
export function abandonBranch(
  { state, path }: OpenState,
  branch: Branch,
): FoldDecision<{ discarded: string[]; recovered: number }> {
  if (branch.status !== 'active') throw branchNotActive('abandon', branch.id, branch.status);
  const discarded = openWithin(path, branch).map((open) => undone(open, new Set()));
  const data = {
    session_id: state.session_id,
    target: branch.parent_id,
    depth: branch.depth - 1,
    discarded,
    reopened: [],
    operations_after: null,
    operations_tokens: 0,
    operations_count: 0,
  };
  const answer = {
    discarded: discarded.map(({ branch_id }) => branch_id),
    recovered: branch.agent === null ? discarded.reduce((sum, { tokens }) => sum + tokens, 0) : 0,
  };
  return { events: [{ type: 'branch.rolled_back', data }], answer };
}

export interface RollbackState {
  state: FoldState;
  /** Undefined for the main thread. */
  target: Branch | undefined;
  /** The target's ancestors, outermost first. */
  ancestors: Branch[];
  /** Branches made after the target that are not discarded yet, oldest first. */
  later: Branch[];
  /** Parents of those that were abandoned: their summaries went with them. */
  abandoned: ReadonlySet<string>;
  /** The target's own operations since the first of those branches was made; undefined to keep them. */
  operations: { tokens: number; count: number } | undefined;
}

export function decideRollBack(
  rollback: RollbackState,
): FoldDecision<{ discarded: string[]; recovered: number }> {
  const { state, target, ancestors, later, abandoned, operations } = rollback;
  // What was folded in a branch that was abandoned has nowhere to be opened again.
  const closed = [...(target ? [target] : []), ...ancestors].find(
    ({ status }) => status !== 'active' && after(status, 'reopen') === undefined,
  );
  if (target && closed) throw branchNotActive('roll back to', target.id, closed.status);
  const leaving = new Set([...abandoned, ...later.map((branch) => branch.id)]);
  const discarded = later.map((branch) => undone(branch, leaving));
  const reopened = [...ancestors, ...(target ? [target] : [])]
    .filter((branch) => branch.status === 'folded')
    .map((branch) => undone(branch, leaving));
  // What subagents hold stands in windows of their own.
  const openTokens = later.reduce(
    (sum, { status, agent, tokens }) => sum + (status === 'active' && agent === null ? tokens : 0),
    0,
  );
  const summaries = discarded.reduce((sum, branch) => sum + branch.summary_tokens, 0);
  const answer = {
    discarded: discarded.map((branch) => branch.branch_id),
    recovered: openTokens + summaries + (operations?.tokens ?? 0),
  };
  if (discarded.length === 0 && reopened.length === 0) return { events: [], answer };
  const data = {
    session_id: state.session_id,
    target: target?.id ?? null,
    depth: target?.depth ?? 0,
    discarded,
    reopened,
    operations_after: operations && later[0] ? later[0].created_seq : null,
    operations_tokens: operations?.tokens ?? 0,
    operations_count: operations?.count ?? 0,
  };
  return { events: [{ type: 'branch.rolled_back', data }], answer };
}

function undone(branch: Branch, leaving: Set<string>): RolledBackBranch {
  const parentLeaves = branch.parent_id !== null && leaving.has(branch.parent_id);
  return {
    branch_id: branch.id,
    parent_id: branch.parent_id,
    was: branch.status === 'active' ? 'active' : 'folded',
    tokens: branch.tokens,
    summary_tokens: branch.status === 'folded' && !parentLeaves ? branch.summary_tokens : 0,
  };
}
