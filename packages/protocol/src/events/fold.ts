/** `null` as a branch means the main thread. */
export interface BranchCreated {
  session_id: string;
  branch_id: string;
  parent_id: string | null;
  /** The project that the branch works for. */
  project_id: string;
  depth: number;
  description: string;
  prompt: string;
  /** Tokens of the prompt, which the branch starts with. */
  tokens: number;
  budget: number | null;
  secrets: number;
  /**
   * The host's id of the subagent that works in this branch; absent for the session's own agent. Such a branch is never the
   * active one, because a subagent has its own window.
   */
  agent?: string;
}

export interface BranchFolded {
  session_id: string;
  branch_id: string;
  parent_id: string | null;
  summary: string;
  summary_tokens: number;
  /** The branch's own tokens and those of the children that were folded with it. */
  tokens_folded: number;
  /** The branch's own tokens alone. */
  tokens_own: number;
  secrets: number;
  summary_redacted: boolean;
  /** The branch whose fold also folded this one; null if it was folded itself. */
  folded_by: string | null;
  /** Handles of results that this fold consumed; absent if none was named. */
  consumes?: string[];
}

/** A summary for a branch that had already expired. The branch stays expired, because its session is over. */
export interface BranchReturnedLate {
  session_id: string;
  branch_id: string;
  summary: string;
  summary_tokens: number;
  secrets: number;
  summary_redacted: boolean;
}

/**
 * Who counted a call, from the least exact to the most exact: this server, a report by the host or client, the host's hook,
 * and the window door, which sees what the model is actually sent.
 */
export const OPERATION_SOURCES = ['infold', 'reported', 'hook', 'window'] as const;
export type OperationSource = (typeof OPERATION_SOURCES)[number];

export interface OperationCompleted {
  session_id: string;
  branch_id: string | null;
  tool: string;
  call_id: string | null;
  tokens: number;
  input?: unknown;
  output?: unknown;
  /** When it happened, if the reporter said so. */
  happened_at?: number;
  secrets: number;
  source: OperationSource;
  /** The output's part of the tokens, where both were counted. */
  output_tokens?: number;
  /** Tokens by which the output was shortened before the model saw it. */
  shortened_tokens?: number;
  /** Of a transient result, with the tokens of its summary. */
  handle?: string;
  summary_tokens?: number;
  /** Handles of results that this call consumed. */
  consumes?: string[];
  /** It was reported after its branch had been folded. */
  after_fold?: true;
}

/** A more exact count of a call that was counted before. Its tokens change, and its branch if that was reported. */
export interface OperationRecounted {
  session_id: string;
  /** The branch that holds the operation; `seq` and `place` locate it in the journal. */
  branch_id: string | null;
  seq: number;
  place: number;
  call_id: string;
  /** The branch that holds it from now on. */
  to: string | null;
  /** Its tokens before, and from now on. */
  tokens_before: number;
  tokens: number;
  output_tokens: number | null;
  source: OperationSource;
}

/** A result that a client shows as its summary from now on. */
export interface OperationCollapsed {
  session_id: string;
  branch_id: string | null;
  /** Locates the operation in the journal. */
  seq: number;
  place: number;
  call_id: string | null;
  handle: string | null;
  /** Tokens that leave the branch, and those of the summary that replaces them. */
  tokens: number;
  summary_tokens: number;
  summary?: string;
  secrets: number;
}

/** The effect of a rollback on one branch, in figures, so that applying it needs no further decisions. */
export interface RolledBackBranch {
  branch_id: string;
  parent_id: string | null;
  was: 'active' | 'folded';
  tokens: number;
  /** Tokens that the parent loses with its summary; 0 if it has none or the parent is discarded too. */
  summary_tokens: number;
}

export interface RolledBack {
  session_id: string;
  target: string | null;
  /** The depth of the target: 0 for the main thread. */
  depth: number;
  /** In order of creation. */
  discarded: RolledBackBranch[];
  /** Those of the target and its ancestors that were folded, outermost first. */
  reopened: RolledBackBranch[];
  /** If given, the target's own operations after this journal position are discarded too. */
  operations_after: number | null;
  operations_tokens: number;
  operations_count: number;
}

export interface FoldEvents {
  'branch.created': BranchCreated;
  'branch.folded': BranchFolded;
  'branch.returned_late': BranchReturnedLate;
  'branch.rolled_back': RolledBack;
  'operation.completed': OperationCompleted;
  'operation.recounted': OperationRecounted;
  'operation.collapsed': OperationCollapsed;
}
