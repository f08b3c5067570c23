import type { BranchStatus, ContextHealth, ContextState, ContextStateHeader } from '@infold/protocol';
import type { OperationSource } from '@infold/protocol/events';
import type { Database } from '../kernel/sqlite.ts';
import { admits } from '../trust/access/rule.ts';
import type { Caller } from '../trust/identity/caller.ts';
import {
  hasWords,
  ownSessions,
  type Session,
  type SessionCursor,
  sessionById,
  sessionIsOwn,
  sessionsWithNameIn,
} from '../trust/sessions/queries.ts';

export interface Branch {
  ordinal: number;
  id: string;
  session_id: string;
  /** The project that its work is for, which may be another than its session's. */
  project_id: string;
  parent_id: string | null;
  depth: number;
  description: string;
  status: BranchStatus;
  /** The host's id of the subagent whose work it is; null where it is the session's own agent's. */
  agent: string | null;
  /** Its own tokens: prompt, operations and its children's summaries. */
  tokens: number;
  /** What of them would leave by collapsing what was consumed. */
  collapsible: number;
  /** What its fold took out of sight, children included; null while it is open. */
  tokens_folded: number | null;
  operations: number;
  secrets: number;
  budget: number | null;
  summary: string | null;
  summary_tokens: number;
  folded_by: string | null;
  created_at: number;
  created_seq: number;
  ended_at: number | null;
}

/** A session's live figures. A session that has ended has none. */
export interface FoldState {
  session_id: string;
  active_branch_id: string | null;
  depth: number;
  /** Tokens of the active branch, 0 on the main thread. */
  active_tokens: number;
  main_tokens: number;
  total: number;
  /** What would leave the total by collapsing what was consumed. */
  collapsible: number;
  folded_total: number;
}

interface OpenRow {
  id: string | null;
  tokens: number;
  collapsible: number;
  folded_total: number;
}

/** The main thread and the open branches, outermost first (the index gives that order). None when it has ended. */
function openRows(database: Database, sessionId: string): OpenRow[] {
  return database.all<OpenRow>(
    `SELECT NULL AS id, tokens, collapsible, folded_total FROM fold_main WHERE session_id = ?1
     UNION ALL
     SELECT id, tokens, collapsible, 0 FROM (SELECT id, tokens, collapsible FROM fold_branch INDEXED BY fold_branch_open
       WHERE session_id = ?1 AND status = 'active' AND agent IS NULL ORDER BY depth)`,
    sessionId,
  );
}

/** Undefined when the session has ended. */
export function liveState(database: Database, sessionId: string): FoldState | undefined {
  const [main, ...open] = openRows(database, sessionId);
  return main && main.id === null ? stateOf(sessionId, main, open as Counted[]) : undefined;
}

/** The figures and the open branches themselves, read once; undefined when the session has ended. */
export function liveStateAndPath(
  database: Database,
  sessionId: string,
): { state: FoldState; path: Branch[] } | undefined {
  const main = database.get<Omit<OpenRow, 'id'>>(
    'SELECT tokens, collapsible, folded_total FROM fold_main WHERE session_id = ?',
    sessionId,
  );
  if (!main) return undefined;
  const path = openPath(database, sessionId);
  return { state: stateOf(sessionId, main, path), path };
}

type Counted = Pick<Branch, 'id' | 'tokens' | 'collapsible'>;

function stateOf(sessionId: string, main: Omit<OpenRow, 'id'>, open: readonly Counted[]): FoldState {
  const active = open.at(-1);
  return {
    session_id: sessionId,
    active_branch_id: active?.id ?? null,
    active_tokens: active?.tokens ?? 0,
    depth: open.length,
    main_tokens: main.tokens,
    total: open.reduce((sum, { tokens }) => sum + tokens, main.tokens),
    collapsible: open.reduce((sum, { collapsible }) => sum + collapsible, main.collapsible),
    folded_total: main.folded_total,
  };
}

export function foldState(database: Database, sessionId: string): FoldState {
  return liveState(database, sessionId) ?? emptyState(sessionId);
}

export function emptyState(sessionId: string): FoldState {
  return {
    session_id: sessionId,
    active_branch_id: null,
    active_tokens: 0,
    depth: 0,
    main_tokens: 0,
    total: 0,
    collapsible: 0,
    folded_total: 0,
  };
}

/** From the outermost open branch to the active one. Subagents' branches stand beside it. */
export function openPath(database: Database, sessionId: string): Branch[] {
  return database.all<Branch>(
    `SELECT * FROM fold_branch WHERE session_id = ? AND status = 'active' AND agent IS NULL ORDER BY depth`,
    sessionId,
  );
}

/** The subagents' branches that are open, the oldest first. */
export function openAgents(database: Database, sessionId: string): Branch[] {
  return database.all<Branch>(
    `SELECT * FROM fold_branch WHERE session_id = ? AND status = 'active' AND agent IS NOT NULL ORDER BY ordinal`,
    sessionId,
  );
}

/** The last branch of a subagent. */
export function branchOfAgent(database: Database, sessionId: string, agent: string): Branch | undefined {
  return database.get<Branch>(
    'SELECT * FROM fold_branch WHERE session_id = ? AND agent = ? ORDER BY ordinal DESC LIMIT 1',
    sessionId,
    agent,
  );
}

/**
 * The last branch of a subagent by the name that its requests to a model go by: that of its host's session and its own. Somebody
 * else's is answered as if it were not there.
 */
export function branchOfAgentNamed(
  database: Database,
  { org, principal }: Pick<Caller, 'org' | 'principal'>,
  name: string,
): Branch | undefined {
  return sessionsWithNameIn(database, { org, principal }, name)
    .flatMap(({ session_id, rest }) => branchOfAgent(database, session_id, rest) ?? [])
    .sort((one, other) => other.ordinal - one.ordinal)[0];
}

/** What subagents came to, the newest first. */
export function summariesOfAgents(
  database: Database,
  sessionId: string,
  most: number,
): { summary: string; summary_tokens: number }[] {
  return database.all(
    `SELECT summary, summary_tokens FROM fold_branch WHERE session_id = ? AND agent IS NOT NULL AND status = 'folded'
       AND summary_tokens > 0 ORDER BY ordinal DESC LIMIT ?`,
    sessionId,
    most,
  );
}

/**
 * The branch that was active at some time; undefined where that was the main thread. Of one that was discarded it is not known
 * until when it was open: what is left of the path stands for it.
 */
export function activeAt(database: Database, sessionId: string, at: number): Branch | undefined {
  return database.get<Branch>(
    `SELECT * FROM fold_branch WHERE session_id = ?1 AND agent IS NULL AND status IN ('active', 'folded')
       AND created_at <= ?2 AND (ended_at IS NULL OR ended_at > ?2) ORDER BY depth DESC, ordinal DESC LIMIT 1`,
    sessionId,
    at,
  );
}

/** The branch that was active when its session ended. */
export function lastOpen(database: Database, sessionId: string): Branch | undefined {
  return database.get<Branch>(
    `SELECT * FROM fold_branch WHERE session_id = ? AND status IN ('active', 'expired') AND agent IS NULL
     ORDER BY depth DESC LIMIT 1`,
    sessionId,
  );
}

/** A branch of another session is answered as if it were not there. */
export function branchOf(database: Database, sessionId: string, branchId: string): Branch | undefined {
  return database.get<Branch>(
    'SELECT * FROM fold_branch WHERE id = ? AND session_id = ?',
    branchId,
    sessionId,
  );
}

export function branchById(database: Database, branchId: string): Branch | undefined {
  return database.get<Branch>('SELECT * FROM fold_branch WHERE id = ?', branchId);
}

/** Whether the branch's own project is open to the caller. */
export function isOpenTo(caller: Caller, { project_id }: Branch): boolean {
  return admits(caller, { kind: 'project', id: project_id }).allowed;
}

export function listBranches(database: Database, sessionId: string): Branch[] {
  return database.all<Branch>('SELECT * FROM fold_branch WHERE session_id = ? ORDER BY ordinal', sessionId);
}

/** Branches of the caller's sessions whose description has all the words, the newest first. */
export function branchesNamed(
  database: Database,
  caller: Caller,
  words: readonly string[],
  most: number,
): Branch[] {
  return database.all<Branch>(
    `SELECT * FROM fold_branch AS branch WHERE ${sessionIsOwn('branch.session_id')}
       AND (?3 IS NULL OR project_id IN (SELECT value FROM json_each(?3)))
       AND ${hasWords('description', '?4')} ORDER BY ordinal DESC LIMIT ?5`,
    caller.org,
    caller.principal,
    caller.projects === null ? null : JSON.stringify(caller.projects),
    JSON.stringify(words),
    most,
  );
}

/** In order of creation, after one of them. */
export function nextBranches(database: Database, sessionId: string, ordinal: number, most: number): Branch[] {
  return database.all<Branch>(
    'SELECT * FROM fold_branch WHERE session_id = ? AND ordinal > ? ORDER BY ordinal LIMIT ?',
    sessionId,
    ordinal,
    most,
  );
}

/** The projects that a session's branches work for. */
export function projectsOfBranches(database: Database, sessionId: string): string[] {
  return database
    .all<{ project_id: string }>(
      'SELECT DISTINCT project_id FROM fold_branch WHERE session_id = ? ORDER BY project_id',
      sessionId,
    )
    .map(({ project_id }) => project_id);
}

/** Branches made after a point in the order of creation, less the ones that are discarded already. */
export function branchesAfter(database: Database, sessionId: string, ordinal: number): Branch[] {
  return database.all<Branch>(
    `SELECT * FROM fold_branch WHERE session_id = ? AND ordinal > ? AND status <> 'discarded' ORDER BY ordinal`,
    sessionId,
    ordinal,
  );
}

export function operationsAfter(
  database: Database,
  sessionId: string,
  branchId: string | null,
  seq: number,
): { tokens: number; count: number } {
  return database.get<{ tokens: number; count: number }>(
    `SELECT coalesce(sum(tokens), 0) AS tokens, count(*) AS count FROM fold_operation
     WHERE session_id = ? AND branch_id = ? AND seq > ? AND discarded = 0`,
    sessionId,
    branchId ?? '',
    seq,
  )!;
}

/** Where the operations of a session stand in the journal, in any stream: what its agent said in a pod is in the pod's. */
export function operationSeqs(database: Database, sessionId: string, after: number, upTo: number): number[] {
  return database
    .all<{ seq: number }>(
      'SELECT DISTINCT seq FROM fold_operation WHERE session_id = ? AND seq > ? AND seq <= ?',
      sessionId,
      after,
      upTo,
    )
    .map(({ seq }) => seq);
}

/** A counted operation, for those who collapse its result. */
export interface CountedOperation {
  /** Null for the main thread. */
  branch_id: string | null;
  seq: number;
  place: number;
  tokens: number;
  output_tokens: number | null;
  handle: string | null;
  summary_tokens: number | null;
  collapsed: number;
  discarded: number;
}

const COUNTED = `SELECT nullif(branch_id, '') AS branch_id, seq, place, tokens, output_tokens, handle, summary_tokens,
  collapsed, discarded FROM fold_operation`;

export function operationAt(
  database: Database,
  sessionId: string,
  branchId: string | null,
  seq: number,
  place: number,
): CountedOperation | undefined {
  return database.get<CountedOperation>(
    `${COUNTED} WHERE session_id = ? AND branch_id = ? AND seq = ? AND place = ?`,
    sessionId,
    branchId ?? '',
    seq,
    place,
  );
}

export function operationOfHandle(
  database: Database,
  sessionId: string,
  handle: string,
): CountedOperation | undefined {
  return database.get<CountedOperation>(`${COUNTED} WHERE session_id = ? AND handle = ?`, sessionId, handle);
}

/** A call that was counted, and by whom. */
export interface CountedCall extends CountedOperation {
  source: OperationSource;
}

export function operationOfCall(
  database: Database,
  sessionId: string,
  callId: string,
): CountedCall | undefined {
  const call = database.get<{ branch_id: string; seq: number; place: number; source: OperationSource }>(
    'SELECT branch_id, seq, place, source FROM fold_call WHERE session_id = ? AND call_id = ?',
    sessionId,
    callId,
  );
  const operation = call && operationAt(database, sessionId, call.branch_id || null, call.seq, call.place);
  return operation && { ...operation, source: call.source };
}

/** Results of a session that were used up, with the id that the host's model knows each by where it told one. */
export function consumedResults(
  database: Database,
  sessionId: string,
): { handle: string; call_id: string | null }[] {
  return database.all<{ handle: string; call_id: string | null }>(
    `SELECT handle, call_id FROM fold_consumed JOIN fold_operation USING (session_id, handle)
     LEFT JOIN fold_call USING (session_id, seq, place) WHERE session_id = ?`,
    sessionId,
  );
}

export function contextStateOf(state: FoldState): ContextState {
  return {
    active_branch_id: state.active_branch_id,
    branch_depth: state.depth,
    total_tokens: state.total,
    main_thread_tokens: state.main_tokens,
    current_branch_tokens: state.active_tokens,
    collapsible: state.collapsible,
  };
}

/** What the `X-Context-State` header says. */
export function contextHeaderOf(state: FoldState, limit: number): ContextStateHeader {
  return {
    session_id: state.session_id,
    active_branch_id: state.active_branch_id,
    branch_depth: state.depth,
    total_tokens: state.total,
    folded_tokens: state.folded_total,
    context_usage: twoDecimals(state.total / limit),
  };
}

export function contextHealthOf(state: FoldState, limit: number): ContextHealth {
  const usage = state.main_tokens / limit;
  return {
    warning: usage > 0.7 ? 'high' : usage > 0.5 ? 'medium' : 'none',
    main_thread_usage: twoDecimals(usage),
  };
}

function twoDecimals(share: number): number {
  return Math.round(share * 100) / 100;
}

/** A branch's own project decides who of its principal may see it, besides its session's. */
export function isOwnBranch(context: { database: Database; caller: Caller }, branch: Branch): boolean {
  return isOwn(context, branch.session_id) && isOpenTo(context.caller, branch);
}

/** Archives outlive sessions, so ended sessions count too; other people's do not. */
export function isOwn(
  { database, caller }: { database: Database; caller: Caller },
  sessionId: string,
): boolean {
  const session = sessionById(database, sessionId);
  return session !== undefined && admits(caller, { kind: 'session', ...session }).allowed;
}

/** Where something stands that a branch's trajectory shows: an operation, or a child branch. */
export interface TrajectoryStep {
  seq: number;
  place: number;
  branch: string | null;
  discarded: number;
}

const STEPS = `
  SELECT seq, place, NULL AS branch, discarded FROM fold_operation WHERE session_id = ?1 AND branch_id = ?2
  UNION ALL
  SELECT created_seq, -1, id, 0 FROM fold_branch WHERE parent_id = ?2`;

/** In the order of the table's own key, which needs no sorting. */
export function newestOperations(database: Database, branch: Branch, most: number): TrajectoryStep[] {
  return database.all<TrajectoryStep>(
    `SELECT seq, place, NULL AS branch, discarded FROM fold_operation
     WHERE session_id = ? AND branch_id = ? AND discarded = 0 ORDER BY seq DESC, place DESC LIMIT ?`,
    branch.session_id,
    branch.id,
    most,
  );
}

/** The newest of a session, in whichever branch. */
export function newestOfSession(database: Database, sessionId: string, most: number): TrajectoryStep[] {
  return database.all<TrajectoryStep>(
    `SELECT seq, place, NULL AS branch, discarded FROM fold_operation
     WHERE session_id = ? AND discarded = 0 ORDER BY seq DESC, place DESC LIMIT ?`,
    sessionId,
    most,
  );
}

export function childrenOf(database: Database, branch: Branch): { summary: string | null }[] {
  return database.all(`SELECT summary FROM fold_branch WHERE parent_id = ? AND status = 'folded'`, branch.id);
}

export function countSteps(database: Database, { session_id, id }: Branch): number {
  const sql = `SELECT count(*) AS count FROM (${STEPS})`;
  return database.get<{ count: number }>(sql, session_id, id)!.count;
}

export function stepsOf(database: Database, branch: Branch, most: number, skip: number): TrajectoryStep[] {
  return database.all<TrajectoryStep>(
    `${STEPS} ORDER BY seq, place LIMIT ?3 OFFSET ?4`,
    branch.session_id,
    branch.id,
    most,
    skip,
  );
}

/** How many there are, by status. */
export function branchCounts(database: Database, sessionId: string): Record<string, number> {
  const rows = database.all<{ status: string; count: number }>(
    'SELECT status, count(*) AS count FROM fold_branch WHERE session_id = ? GROUP BY status',
    sessionId,
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/**
 * What the session's own window was spared: what folds took out of sight, less the summaries that they left, and what results
 * were shortened by. A subagent's work was never in there.
 */
export function savedInSession(database: Database, sessionId: string): number {
  return database.get<{ saved: number }>(
    `SELECT coalesce((SELECT shortened FROM fold_main WHERE session_id = ?1), 0)
       + coalesce(sum(tokens_folded - summary_tokens), 0) AS saved FROM fold_branch
     WHERE session_id = ?1 AND status = 'folded' AND folded_by IS NULL AND agent IS NULL`,
    sessionId,
  )!.saved;
}

/** The caller's own sessions, newest first, a page at a time: of a project, those that have a branch there too. */
export function pageOfSessions(
  database: Database,
  caller: Caller,
  page: {
    projectId: string | undefined;
    words?: readonly string[];
    limit: number;
    after: SessionCursor | undefined;
  },
): { sessions: Session[]; next: string | null } {
  const { projectId, words = [] } = page;
  const others = projectId === undefined ? [] : sessionsWithBranchIn(database, projectId);
  return ownSessions(database, caller, { ...page, words, others });
}

function sessionsWithBranchIn(database: Database, projectId: string): string[] {
  return database
    .all<{ session_id: string }>(
      'SELECT DISTINCT session_id FROM fold_branch WHERE project_id = ?',
      projectId,
    )
    .map(({ session_id }) => session_id);
}
