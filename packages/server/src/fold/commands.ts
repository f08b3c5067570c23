import type { Limits } from '@infold/protocol';
import type { Decision } from '../journal/journal.ts';
import {
  branchLimit,
  branchNotActive,
  branchNotFound,
  budgetExceeded,
  contextLimitExceeded,
  depthLimit,
} from './errors.ts';
import {
  type BranchFolded,
  type BranchReturnedLate,
  type FoldEvent,
  OPERATION_SOURCES,
  type OperationCollapsed,
  type OperationCompleted,
  type OperationRecounted,
  type OperationSource,
  type RolledBackBranch,
} from './events.ts';
import type { Branch, CountedCall, CountedOperation, FoldState } from './queries.ts';
import { after } from './transitions.ts';

type FoldDecision<Answer> = Decision<Answer> & { events: FoldEvent[] };

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
  { state, path }: OpenState,
  branch: NewBranch,
  { contextLimit, hardLimit, limits }: ContextLimits,
): FoldDecision<{ depth: number; parentId: string | null; state: FoldState }> {
  const parent = path.at(-1);
  const depth = (parent?.depth ?? 0) + 1;
  if (depth > limits.branchDepth) throw depthLimit(depth, limits.branchDepth);
  if (path.length >= limits.activeBranches) throw branchLimit(path.length, limits.activeBranches);
  refuseOverBudget(path);
  if (hardLimit) refuseOverLimit(state, branch.tokens, contextLimit);
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

export function rollBack(rollback: RollbackState): FoldDecision<{ discarded: string[]; recovered: number }> {
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

export interface Operation {
  tool: string;
  /** Undefined for the active branch, null for the main thread. */
  branchId: string | null | undefined;
  callId: string | null;
  tokens: number;
  input?: unknown;
  output?: unknown;
  happenedAt?: number;
  secrets: number;
  source: OperationSource;
  /** What is known of its result alone, and which results it used up. */
  result?: Pick<
    OperationCompleted,
    'output_tokens' | 'shortened_tokens' | 'handle' | 'summary_tokens' | 'consumes'
  >;
  /** Its branch may have been folded before it was told of. */
  mayBeLate?: true;
  /** Its branch is known for certain: a call that was counted in another one moves. */
  moves?: boolean;
  /** Another reporter counts such calls: it only says better what is counted already. */
  onlyRecounts?: true;
}

export interface OperationState {
  state: FoldState;
  /** Statuses of the branches that operations name. */
  branch: (id: string) => Pick<Branch, 'status'> | undefined;
  /** A call that was counted before. */
  known: (callId: string) => CountedCall | undefined;
}

/** All or none: one report for a branch that is not open refuses the whole batch. Each call counts once. */
export function recordOperations(
  session: OperationState,
  operations: readonly Operation[],
): FoldDecision<{ accepted: number; duplicates: number }> {
  const { state, known } = session;
  const seen = new Set<string>();
  const events: FoldEvent[] = [];
  let duplicates = 0;
  for (const operation of operations) {
    const branchId = operation.branchId === undefined ? state.active_branch_id : operation.branchId;
    const isFolded = checkBranch(session, operation, branchId);
    const { callId } = operation;
    const counted = callId === null ? undefined : known(callId);
    const isSeen = callId !== null && seen.has(callId);
    if (callId !== null) seen.add(callId);
    if (counted || isSeen || operation.onlyRecounts) {
      duplicates++;
      if (counted && !isSeen && isRecounted(session, operation, counted)) {
        events.push({ type: 'operation.recounted', data: recounted(state.session_id, operation, counted) });
      }
      continue;
    }
    events.push({
      type: 'operation.completed',
      data: {
        session_id: state.session_id,
        branch_id: branchId,
        tool: operation.tool,
        call_id: callId,
        tokens: operation.tokens,
        ...(operation.input === undefined ? {} : { input: operation.input }),
        ...(operation.output === undefined ? {} : { output: operation.output }),
        ...(operation.happenedAt === undefined ? {} : { happened_at: operation.happenedAt }),
        secrets: operation.secrets,
        source: operation.source,
        ...operation.result,
        ...(isFolded && { after_fold: true as const }),
      },
    });
  }
  return { events, answer: { accepted: operations.length - duplicates, duplicates } };
}

/** Refuses a branch that takes no operations. Answers whether it is folded. */
function checkBranch(
  { state, branch }: OperationState,
  { mayBeLate }: Operation,
  branchId: string | null,
): boolean {
  if (branchId === null || branchId === state.active_branch_id) return false;
  const named = branch(branchId);
  if (!named) throw branchNotFound(branchId, state.session_id);
  if (mayBeLate && named.status === 'folded') return true;
  if (named.status !== 'active') throw branchNotActive('record an operation in', branchId, named.status);
  return false;
}

/** Who sees a call more exactly is believed, as long as what was counted is still what it was. */
function isRecounted({ branch }: OperationState, { source }: Operation, counted: CountedCall): boolean {
  if (OPERATION_SOURCES.indexOf(source) <= OPERATION_SOURCES.indexOf(counted.source)) return false;
  const status = counted.branch_id === null ? 'active' : branch(counted.branch_id)?.status;
  return !counted.collapsed && !counted.discarded && (status === 'active' || status === 'folded');
}

function recounted(
  sessionId: string,
  { branchId, callId, tokens, source, result, moves }: Operation,
  counted: CountedCall,
): OperationRecounted {
  const { branch_id, seq, place } = counted;
  return {
    session_id: sessionId,
    ...{ branch_id, seq, place, call_id: callId!, tokens, source },
    to: moves && branchId !== undefined ? branchId : branch_id,
    tokens_before: counted.tokens,
    output_tokens: result?.output_tokens ?? counted.output_tokens,
  };
}

/** A result that a client shows as its summary now. */
export interface Collapse {
  callId: string | null;
  handle: string | null;
  /** As the client counted it. */
  tokens: number | undefined;
  summary?: string;
  summaryTokens: number;
  secrets: number;
}

export interface CollapseState {
  state: FoldState;
  operation: (collapse: Collapse) => CountedOperation | undefined;
  branch: (id: string) => Branch | undefined;
}

export interface CollapseCounts {
  accepted: number;
  duplicates: number;
  ignored: number;
}

/** Each result leaves once. What nobody counted, or what a rollback took, has nothing that could leave. */
export function recordCollapses(
  { state, operation, branch }: CollapseState,
  collapses: readonly Collapse[],
): FoldDecision<CollapseCounts> {
  const seen = new Set<string>();
  const events: FoldEvent[] = [];
  const answer = { accepted: 0, duplicates: 0, ignored: 0 };
  for (const collapse of collapses) {
    const found = operation(collapse);
    const status = found?.branch_id == null ? 'active' : branch(found.branch_id)?.status;
    if (!found || found.discarded || (status !== 'active' && status !== 'folded')) {
      answer.ignored++;
      continue;
    }
    const place = `${found.seq}.${found.place}`;
    if (found.collapsed || seen.has(place)) {
      answer.duplicates++;
      continue;
    }
    seen.add(place);
    answer.accepted++;
    events.push({ type: 'operation.collapsed', data: collapsed(state.session_id, found, collapse) });
  }
  return { events, answer };
}

/** What was counted leaves; a client's own figure is for what was reported as a total. */
function collapsed(
  sessionId: string,
  { branch_id, seq, place, tokens, output_tokens }: CountedOperation,
  collapse: Collapse,
): OperationCollapsed {
  return {
    session_id: sessionId,
    branch_id,
    seq,
    place,
    call_id: collapse.callId,
    handle: collapse.handle,
    tokens: Math.min(tokens, output_tokens ?? collapse.tokens ?? tokens),
    summary_tokens: collapse.summaryTokens,
    ...(collapse.summary === undefined ? {} : { summary: collapse.summary }),
    secrets: collapse.secrets,
  };
}

/** Before another door's tool runs: may this session take more? Folding is always allowed. */
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
