import { isoTime } from '../kernel/clock.ts';
import type { Database } from '../kernel/sqlite.ts';
import { hostIdOf, isLive, type Lifetime, type Session } from '../trust/sessions/queries.ts';
import { type Branch, branchCounts, contextHealthOf, contextStateOf, foldState } from './queries.ts';

/** Sessions and branches as people see them: REST, the terminal and the console. */

export function sessionView(database: Database, session: Session, limit: number, lifetime: Lifetime) {
  const state = foldState(database, session.id);
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
    branches: branchCounts(database, session.id),
  };
}

export function branchView(branch: Branch) {
  return {
    id: branch.id,
    session_id: branch.session_id,
    project_id: branch.project_id,
    parent_branch_id: branch.parent_id,
    depth: branch.depth,
    description: branch.description,
    agent: branch.agent,
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
