/** `null` as a branch means the main thread. */
export interface BranchCreated {
  session_id: string;
  branch_id: string;
  parent_id: string | null;
  /** The project that its work is for. */
  project_id: string;
  depth: number;
  description: string;
  prompt: string;
  /** Tokens of the prompt: what the branch begins with. */
  tokens: number;
  budget: number | null;
  secrets: number;
  /**
   * The host's id of the subagent whose work it is; absent where the session's own agent branched off. It stands beside the
   * open branches and is never the active one: a subagent has a window of its own.
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
  /** The branch whose fold took this one along, if it was not folded by its own agent. */
  folded_by: string | null;
  /** Handles of results that this fold used up; absent where none was named. */
  consumes?: string[];
}

/** A branch that had expired got its summary after all. It stays expired: there is no session to go on in. */
export interface BranchReturnedLate {
  session_id: string;
  branch_id: string;
  summary: string;
  summary_tokens: number;
  secrets: number;
  summary_redacted: boolean;
}

/**
 * Who saw a call, from the least exact to the most: this server, its host or a client beside the model, the host's hook, and
 * the window door, which sees what the model is really sent.
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
  /** When it happened, where the reporter said so. */
  happened_at?: number;
  secrets: number;
  source: OperationSource;
  /** The output's part of the tokens, where both were counted. */
  output_tokens?: number;
  /** By how much the output was shortened before the model saw it. */
  shortened_tokens?: number;
  /** Of a result that is marked transient, and what its summary would take. */
  handle?: string;
  summary_tokens?: number;
  /** Handles of results that this call used up. */
  consumes?: string[];
  /** It was told of when its branch had been folded. */
  after_fold?: true;
}

/** A call that was counted before, by one who sees it more exactly. Its figures change, and its branch if that was told. */
export interface OperationRecounted {
  session_id: string;
  /** Where its operation stands. */
  branch_id: string | null;
  seq: number;
  place: number;
  call_id: string;
  /** The branch that it is in from now on. */
  to: string | null;
  /** What it was counted with so far, and from now on. */
  tokens_before: number;
  tokens: number;
  output_tokens: number | null;
  source: OperationSource;
}

/** A result that a client shows as its summary from now on. */
export interface OperationCollapsed {
  session_id: string;
  branch_id: string | null;
  /** Where its operation stands in the journal. */
  seq: number;
  place: number;
  call_id: string | null;
  handle: string | null;
  /** What leaves the branch, and what comes in. */
  tokens: number;
  summary_tokens: number;
  summary?: string;
  secrets: number;
}

/** What a rollback does to one branch, in figures, so that applying it needs no further decisions. */
export interface RolledBackBranch {
  branch_id: string;
  parent_id: string | null;
  was: 'active' | 'folded';
  tokens: number;
  /** What its summary takes from its parent when it goes; 0 where there is no summary or the parent goes too. */
  summary_tokens: number;
}

export interface RolledBack {
  session_id: string;
  target: string | null;
  /** The depth of the target: 0 for the main thread. */
  depth: number;
  /** In order of creation. */
  discarded: RolledBackBranch[];
  /** The target and its ancestors, as far as they were folded; outermost first. */
  reopened: RolledBackBranch[];
  /** The target's own operations after this journal position are discarded too, if given. */
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
