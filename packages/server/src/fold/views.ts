import type { CallContext } from '../call/context.ts';
import { isoTime } from '../kernel/clock.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { Caller } from '../trust/caller.ts';
import { hostIdOf, isLive, type Lifetime, type Session } from '../trust/sessions/queries.ts';
import { type Branch, contextHealthOf, contextStateOf, foldState } from './queries.ts';

/** Sessions and branches as people see them: REST, the terminal and the console. */

export function sessionView(database: Database, session: Session, limit: number, lifetime: Lifetime) {
  const state = foldState(database, session.id);
  const counts = database.all<{ status: string; count: number }>(
    'SELECT status, count(*) AS count FROM fold_branch WHERE session_id = ? GROUP BY status',
    session.id,
  );
  return {
    id: session.id,
    host_id: hostIdOf(database, session.id),
    project_id: session.project_id,
    live: isLive(session, lifetime),
    started_at: isoTime(session.started_at),
    last_at: isoTime(session.last_at),
    ended_at: session.ended_at === null ? null : isoTime(session.ended_at),
    context_state: contextStateOf(state),
    context_health: contextHealthOf(state, limit),
    folded_total: state.folded_total,
    context_limit: limit,
    branches: Object.fromEntries(counts.map(({ status, count }) => [status, count])),
  };
}

/** How long sessions live, and what time it is. */
export function lifetimeIn({ clock, config }: Pick<CallContext, 'clock' | 'config'>): Lifetime {
  return { now: clock(), lifetime: config.limits.sessionLifetime };
}

export function branchView(branch: Branch) {
  return {
    id: branch.id,
    session_id: branch.session_id,
    project_id: branch.project_id,
    parent_branch_id: branch.parent_id,
    depth: branch.depth,
    description: branch.description,
    status: branch.status,
    tokens: branch.tokens_folded ?? branch.tokens,
    operations: branch.operations,
    secrets_scrubbed: branch.secrets,
    budget: branch.budget,
    summary: branch.summary,
    folded_by: branch.folded_by,
    created_at: isoTime(branch.created_at),
    ended_at: branch.ended_at === null ? null : isoTime(branch.ended_at),
  };
}

/** The caller's own sessions in the projects that are open to it, newest first, a page at a time. */
export function pageOfSessions(
  database: Database,
  caller: Caller,
  page: { projectId: string | undefined; limit: number; after: SessionPlace | undefined },
): { sessions: Session[]; next: string | null } {
  const rows = database.all<Session>(
    `SELECT * FROM session WHERE org = ?1 AND principal = ?2 AND (?3 IS NULL OR project_id = ?3
         OR EXISTS (SELECT 1 FROM fold_branch WHERE session_id = session.id AND project_id = ?3))
       AND (?4 IS NULL OR project_id IN (SELECT value FROM json_each(?4)))
       AND (last_at < ?5 OR (last_at = ?5 AND id < ?6)) ORDER BY last_at DESC, id DESC LIMIT ?7`,
    caller.org,
    caller.principal,
    page.projectId ?? null,
    caller.projects === null ? null : JSON.stringify(caller.projects),
    page.after?.at ?? Number.MAX_SAFE_INTEGER,
    page.after?.id ?? '',
    page.limit + 1,
  );
  const sessions = rows.slice(0, page.limit);
  const last = rows.length > page.limit ? sessions.at(-1)! : undefined;
  return { sessions, next: last ? `${last.last_at}.${last.id}` : null };
}

/** Where a page ended: in the order of last use, and among those of the same moment by id. */
export interface SessionPlace {
  at: number;
  id: string;
}

/** Undefined for what no page has said. */
export function sessionPlace(cursor: string): SessionPlace | undefined {
  const match = /^(\d{1,15})\.(\w{1,64})$/.exec(cursor);
  return match ? { at: Number(match[1]), id: match[2]! } : undefined;
}
