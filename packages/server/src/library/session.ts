import type { Decision } from '../journal/journal.ts';
import { InfoldError } from '../kernel/errors.ts';
import type { Database } from '../kernel/sqlite.ts';
import { type Project, projectById } from '../trust/identity/queries.ts';
import type { SessionEvent } from '../trust/sessions/events.ts';
import { findSession, isLive, namesOf, type Session, sessionById } from '../trust/sessions/queries.ts';
import { lookUpSession } from '../trust/sessions/resolve.ts';
import type { ToolContext } from '../trust/tool.ts';
import { sessionRequired, setupRequired } from './errors.ts';
import type { AttestationEvent } from './events.ts';
import { librarySession } from './queries/sessions.ts';

/** A session that was set up, and the project whose library it works with. */
export interface LibraryPlace {
  session: Session;
  project: Project;
  workspaceId: string;
  principal: string;
  /** Absent where the session opted in to every draft of the principal. */
  seenIn: string | undefined;
}

/** LIB-02: which session a call belongs to. Before setup, and where it is not clear, the caller is told. */
export function libraryPlace(context: ToolContext): LibraryPlace {
  const project = context.project();
  const lookup = lookUpSession(context.database, {
    caller: context.caller,
    connection: context.connection,
    project,
    sessionId: context.sessionId,
    now: context.clock(),
    lifetime: context.config.limits.sessionLifetime,
  });
  if (lookup.kind === 'none') throw setupRequired();
  if (lookup.kind === 'unknown') throw setupRequired(lookup.id);
  if (lookup.kind === 'several') {
    throw sessionRequired(lookup.sessions.map(({ id }) => namesOf(context.database, id)[0] ?? id));
  }
  const { session } = lookup;
  if (!librarySession(context.database, session.id)) throw setupRequired();
  context.session = session;
  return placeOf(context, session);
}

/** The session's own project decides, also when the connection was opened for another one. */
export function placeOf(context: ToolContext, session: Session, optsIn?: boolean): LibraryPlace {
  const project = projectById(context.database, context.caller.org, session.project_id);
  if (!project) throw new InfoldError('project_not_found', `Project not found: ${session.project_id}`);
  const isOptedIn = optsIn ?? librarySession(context.database, session.id)?.drafts === 1;
  return {
    session,
    project,
    workspaceId: project.workspace_id,
    principal: context.caller.principal,
    seenIn: isOptedIn ? undefined : session.id,
  };
}

/**
 * A connection that began with a branch has a session without a host's name: setup names that one, so that both
 * doors work in one session.
 */
export async function nameBoundSession(context: ToolContext, hostId: string): Promise<void> {
  const { database, caller, connection } = context;
  const project = context.project();
  const boundId = connection.boundTo(project.id);
  const bound = boundId === undefined ? undefined : sessionById(database, boundId);
  const lifetime = { now: context.clock(), lifetime: context.config.limits.sessionLifetime };
  if (!bound || !isLive(bound, lifetime) || namesOf(database, bound.id).length > 0) return;
  if (findSession(database, caller, hostId, project.id)) return;
  await context.journal.commit({
    stream: bound.stream,
    actor: caller.actor,
    decide: (current) => {
      const taken = namesOf(current, bound.id).length > 0 || findSession(current, caller, hostId, project.id);
      const named: SessionEvent = { type: 'session.named', data: { session_id: bound.id, host_id: hostId } };
      return { events: taken ? [] : [named], answer: null };
    },
  });
}

/** LIB-13: records what the agent did. A call whose evidence cannot be written fails. */
export async function attest<Answer>(
  context: ToolContext,
  { session }: LibraryPlace,
  decide: (database: Database) => Decision<Answer> & { events: AttestationEvent[] },
): Promise<Answer> {
  const { answer } = await context.journal.commit({
    stream: session.stream,
    actor: context.caller.actor,
    group: true,
    decide: (database) => {
      if (sessionById(database, session.id)?.ended_at !== null) throw setupRequired();
      return decide(database);
    },
  });
  context.connection.bind(session);
  return answer;
}
