import type { Journal } from '../../journal/journal.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { Caller } from '../identity/caller.ts';
import { nameSession } from './commands.ts';
import type { SessionBound, SessionEvent, SessionTold } from './events.ts';
import { findSession, hostOf, namesOf, type Session } from './queries.ts';

/**
 * Keeps where a session's host has it. The folder is that of the beginning: an agent that changes into another one later
 * works in the same session. What is known already is not written again.
 */
export async function bindSession(
  journal: Journal,
  { actor }: Caller,
  session: Session,
  bound: Omit<SessionBound, 'session_id'>,
): Promise<void> {
  const known = hostOf(journal.database, session.id);
  const isSame = known?.host === bound.host && known.transcript === (bound.transcript ?? known.transcript);
  if (isSame && known.is_left === 0 && (bound.source === null || bound.source === 'compact')) return;
  const data = {
    session_id: session.id,
    ...bound,
    folder: known && bound.source === null ? known.folder : bound.folder,
    transcript: bound.transcript ?? known?.transcript ?? null,
  };
  await write(journal, actor, session, { type: 'session.bound', data });
}

/** Gives a session that began without one the id that its host knows it by, where both are free. */
export async function nameForHost(
  journal: Journal,
  caller: Caller,
  session: Session,
  hostId: string,
  projectId: string,
): Promise<void> {
  const events = (database: Database) =>
    nameSession(session, hostId, {
      names: namesOf(database, session.id),
      holder: findSession(database, caller, hostId, projectId),
    });
  if (events(journal.database).length === 0) return;
  await journal.commit({
    stream: session.stream,
    actor: caller.actor,
    decide: (database) => ({ events: events(database), answer: null }),
  });
}

/** Keeps what the session's model was shown. */
export async function noteTold(
  journal: Journal,
  { actor }: Caller,
  session: Session,
  told: Omit<SessionTold, 'session_id'>,
): Promise<void> {
  await write(journal, actor, session, { type: 'session.told', data: { session_id: session.id, ...told } });
}

/** The host has left it, where it had it at all. */
export async function noteLeft(journal: Journal, { actor }: Caller, session: Session): Promise<void> {
  if (hostOf(journal.database, session.id)?.is_left !== 0) return;
  await write(journal, actor, session, { type: 'session.left', data: { session_id: session.id } });
}

export async function noteCompacting(
  journal: Journal,
  { actor }: Caller,
  session: Session,
  trigger: 'auto' | 'manual',
): Promise<void> {
  const data = { session_id: session.id, trigger };
  await write(journal, actor, session, { type: 'session.compacting', data });
}

async function write(
  journal: Journal,
  actor: Caller['actor'],
  { stream }: Session,
  event: SessionEvent,
): Promise<void> {
  await journal.commit({ stream, actor, decide: () => ({ events: [event], answer: null }) });
}
