import type { FoldState } from '../queries.ts';
import {
  type ContextLimits,
  type FoldDecision,
  type OpenState,
  refuseTooManyBranches,
  refuseWhenFull,
} from './limits.ts';

export interface NewBranch {
  id: string;
  projectId: string;
  description: string;
  prompt: string;
  tokens: number;
  budget: number | null;
  secrets: number;
}

export function createBranch(
  open: OpenState,
  branch: NewBranch,
  limits: ContextLimits,
): FoldDecision<{ depth: number; parentId: string | null; state: FoldState }> {
  const { state, path } = open;
  const parent = path.at(-1);
  const depth = (parent?.depth ?? 0) + 1;
  refuseTooManyBranches(path, depth, limits.limits);
  refuseWhenFull(open, branch.tokens, limits);
  const parentId = parent?.id ?? null;
  const data = {
    session_id: state.session_id,
    branch_id: branch.id,
    parent_id: parentId,
    project_id: branch.projectId,
    depth,
    description: branch.description,
    prompt: branch.prompt,
    tokens: branch.tokens,
    budget: branch.budget,
    secrets: branch.secrets,
  };
  const next = {
    ...state,
    active_branch_id: branch.id,
    active_tokens: branch.tokens,
    depth,
    total: state.total + branch.tokens,
  };
  return { events: [{ type: 'branch.created', data }], answer: { depth, parentId, state: next } };
}
