import type { Committed, Decision, Journal } from '../journal/journal.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { Caller } from '../trust/identity/caller.ts';
import { sessionNotFound } from '../trust/sessions/errors.ts';
import type { Session } from '../trust/sessions/queries.ts';
import type { OpenState } from './commands/limits.ts';
import { emptyState, type FoldState, liveState, liveStateAndPath } from './queries.ts';

export function openState(database: Database, sessionId: string): OpenState {
  return liveStateAndPath(database, sessionId) ?? { state: emptyState(sessionId), path: [] };
}

/** What a write to a session decides on. A session that begins with it has nothing yet; one that has ended is gone. */
export function stateToWrite(database: Database, session: Session, isNew: boolean): OpenState {
  if (isNew) return { state: emptyState(session.id), path: [] };
  const open = liveStateAndPath(database, session.id);
  if (!open) throw sessionNotFound(session.id);
  return open;
}

/** A write to a session's stream. The session may have ended since it was looked up, by another process even. */
export function commitToSession<Answer>(
  journal: Journal,
  caller: Caller,
  session: Session,
  decide: (database: Database, state: FoldState) => Decision<Answer>,
  options: { group?: boolean } = {},
): Promise<Committed<Answer>> {
  return journal.commit({
    stream: session.stream,
    actor: caller.actor,
    ...options,
    decide: (database) => {
      const state = liveState(database, session.id);
      if (!state) throw sessionNotFound(session.id);
      return decide(database, state);
    },
  });
}
