import { branchNotActive, branchNotFound } from '../errors.ts';
import {
  type FoldEvent,
  OPERATION_SOURCES,
  type OperationCompleted,
  type OperationRecounted,
  type OperationSource,
} from '../events.ts';
import type { Branch, CountedCall, FoldState } from '../queries.ts';
import type { FoldDecision } from './limits.ts';

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
