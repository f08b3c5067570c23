import type { CallContext } from '../../call/context.ts';
import type { Decision } from '../../journal/journal.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { sessionNotFound } from '../../trust/sessions/errors.ts';
import { isOpen, type Session } from '../../trust/sessions/queries.ts';
import type { Owner } from '../commands.ts';

export function ownerIn({ caller }: CallContext, projectId: string): Owner {
  return { org: caller.org, principal: caller.principal, project_id: projectId };
}

/** The session may have ended since it was looked up, by another process even. */
export function inSession<Answer>(
  session: Session,
  decide: (database: Database, now: number) => Decision<Answer>,
) {
  return (database: Database, now: number): Decision<Answer> => {
    if (!isOpen(database, session.id)) throw sessionNotFound(session.id);
    return decide(database, now);
  };
}
