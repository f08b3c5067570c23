import type { CallContext } from '../call/context.ts';
import type { Decision } from '../journal/journal.ts';
import { InfoldError } from '../kernel/errors.ts';
import type { Database } from '../kernel/sqlite.ts';
import { type Project, projectById } from '../trust/identity/queries.ts';
import { nameForHost } from '../trust/sessions/bind.ts';
import { sessionRequired } from '../trust/sessions/errors.ts';
import { isLive, lifetimeIn, liveSessions, type Session, sessionById } from '../trust/sessions/queries.ts';
import { setupRequired } from './errors.ts';
import type { AttestationEvent } from './events.ts';
import { liveDrafts } from './queries/drafts.ts';
import { librarySession } from './queries/sessions.ts';

export const OPT_IN = 'memory.setup with drafts: true shows them';
/** How long ago a review may be to be told of to a session that begins. */
export const NEWS_AGE = 7 * 86_400_000;

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
export function libraryPlace(context: CallContext): LibraryPlace {
  const { database } = context;
  const lookup = context.lookUpSession();
  if (lookup.kind === 'none') throw setupRequired();
  if (lookup.kind === 'unknown') throw setupRequired(lookup.id);
  if (lookup.kind === 'unclear') {
    const live = liveSessions(database, context.caller, lifetimeIn(context));
    const candidates = live.filter(({ id }) => librarySession(database, id));
    throw candidates.length === 0 ? setupRequired() : sessionRequired(database, candidates);
  }
  const { session } = lookup;
  if (!librarySession(database, session.id)) throw setupRequired();
  context.session = session;
  return placeOf(context, session);
}

/** The session's own project decides, also when the connection was opened for another one. */
export function placeOf(context: CallContext, session: Session, optsIn?: boolean): LibraryPlace {
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
 * A connection that began with another call has a session that its host does not know: setup gives it the host's id, so that
 * all doors work in one session.
 */
export async function nameOwnSession(context: CallContext, hostId: string): Promise<void> {
  const { database, caller, connection } = context;
  const projectId = context.project().id;
  const own = connection.session === undefined ? undefined : sessionById(database, connection.session);
  if (own && isLive(own, lifetimeIn(context))) {
    await nameForHost(context.journal, caller, own, hostId, projectId);
  }
}

/** LIB-13: records what the agent did. A call whose evidence cannot be written fails. */
export async function attest<Answer>(
  context: CallContext,
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
  if (context.sessionId !== undefined) context.connection.bind(session);
  return answer;
}

export function inSession({ session, workspaceId }: LibraryPlace) {
  return { session_id: session.id, workspace_id: workspaceId };
}

/** A library that is a copy of a hub's says how old it is, where that is long. */
export function noticeAge(context: CallContext, { workspaceId }: LibraryPlace): void {
  const notice = context.parts.edge.notice(workspaceId);
  if (notice !== undefined) context.notices.push(notice);
}

/** What is not published is marked, and what a draft hides is told of. */
export function noticeOverlay(
  context: CallContext,
  place: LibraryPlace,
  items: readonly { hasDraft?: boolean | undefined }[],
): void {
  const drafts = items.filter(({ hasDraft }) => hasDraft).length;
  if (drafts > 0) context.notices.push(`Unpublished drafts among these (hasDraft): ${drafts}`);
  if (place.seenIn !== undefined) return;
  const hidden = liveDrafts(context.database, place).filter(({ op }) => op === 'delete').length;
  if (hidden > 0) context.notices.push(`Files not shown, because a draft would delete them: ${hidden}`);
}
