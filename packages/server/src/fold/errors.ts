import { type BranchStatus, RPC_CODES } from '@infold/protocol';
import { InfoldError } from '../kernel/errors.ts';
import type { FoldState } from './queries.ts';

/**
 * The seed's three JSON-RPC errors (FOLD-08). Each message begins with the seed's, and says by itself what the data say
 * too: most hosts show their model the message alone.
 */

export function branchNotFound(branchId: string, sessionId: string | null): InfoldError {
  const where = sessionId === null ? 'there is no session here yet' : `not in session ${sessionId}`;
  const hint = `${where}; pass session_id if it is a branch of another session`;
  return new InfoldError('branch_not_found', `Branch not found: ${branchId} (${hint})`, {
    rpc: { code: RPC_CODES.invalidParams, data: { branch_id: branchId, session_id: sessionId } },
  });
}

/** Hosts show the message alone, so it says by itself what would help. */
export function contextLimitExceeded(state: FoldState, incoming: number, limit: number): InfoldError {
  const { active_branch_id, active_tokens: foldable, collapsible } = state;
  const current = state.total + incoming;
  const suggestion =
    active_branch_id === null
      ? 'Collapse what was consumed, or go on in a new session'
      : 'Fold current branch before continuing';
  const ways = [
    ...(foldable > 0 ? [`folding the current branch would free up to ${foldable} tokens`] : []),
    ...(collapsible > 0 ? [`collapsing what was consumed ${collapsible} tokens`] : []),
  ];
  const help = ways.length > 0 ? `${suggestion}: ${ways.join(', ')}` : suggestion;
  return new InfoldError(
    'context_limit_exceeded',
    `Context limit exceeded: ${current}/${limit} tokens. ${help}`,
    {
      rpc: {
        code: RPC_CODES.contextLimitExceeded,
        data: { current_tokens: current, context_limit: limit, suggestion, foldable, collapsible },
      },
    },
  );
}

export function branchNotActive(
  action: 'fold' | 'abandon' | 'roll back to' | 'record an operation in',
  branchId: string | null,
  status: BranchStatus | 'none',
): InfoldError {
  const state = action === 'fold' ? 'not active' : status;
  const known = action === 'fold' ? `${branchId} is ${status}` : branchId;
  const which = branchId === null ? 'no branch is open' : known;
  return new InfoldError('invalid_branch_state', `Cannot ${action} branch: branch is ${state} (${which})`, {
    rpc: { code: RPC_CODES.invalidBranchState, data: { branch_id: branchId, current_status: status } },
  });
}

export function depthLimit(depth: number, most: number): InfoldError {
  return new InfoldError(
    'depth_limit',
    `Branches may be nested ${most} deep; this one would be at ${depth}. Fold a branch first`,
    { details: { depth, limit: most } },
  );
}

export function branchLimit(count: number, most: number): InfoldError {
  return new InfoldError(
    'branch_limit',
    `A session may have ${most} open branches; this one has ${count}. Fold a branch first`,
    {
      details: { open: count, limit: most },
    },
  );
}

export function budgetExceeded(branchId: string, tokens: number, budget: number): InfoldError {
  return new InfoldError(
    'budget_exceeded',
    `Branch ${branchId} has used ${tokens} of its budget of ${budget} tokens. Fold it with context_return`,
    { details: { branch_id: branchId, tokens, budget, suggestion: 'Fold current branch before continuing' } },
  );
}
