import type { FoldEvent, OperationCollapsed } from '../events.ts';
import type { Branch, CountedOperation, FoldState } from '../queries.ts';
import type { FoldDecision } from './limits.ts';

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
