import type { CallContext } from '../call/context.ts';
import type { Database } from '../kernel/sqlite.ts';
import { requireEnded } from '../trust/sessions/commands.ts';
import { findSession, isLive, lifetimeIn, type Session, sessionById } from '../trust/sessions/queries.ts';
import { type Fold, returnLate } from './commands/return.ts';
import { type Branch, branchById, isOwnBranch, lastOpen } from './queries.ts';

export interface LateBranch {
  branch: Branch;
  /** It is over: its end may not be on record yet, if no sweep has come by. */
  session: Session;
}

/** The branch that a call is about, where its session ended with it open. There is nobody left whose work it could be. */
export function lateBranch(context: CallContext, branchId: string | undefined): LateBranch | undefined {
  const { database } = context;
  const named = branchId === undefined ? undefined : branchById(database, branchId);
  const session = branchId === undefined ? sessionOf(context) : sessionIn(database, named?.session_id);
  // In a session that goes on its branches are not looked through: there may be thousands.
  if (!session || isLive(session, lifetimeIn(context))) return undefined;
  const branch = named ?? lastOpen(database, session.id);
  if (!branch || !isOwnBranch(context, branch)) return undefined;
  return branch.status === 'expired' || branch.status === 'active' ? { branch, session } : undefined;
}

/** Without a branch's id: the session of the call, or of its connection. */
function sessionOf(context: CallContext): Session | undefined {
  const { database, caller, sessionId, hostSession, connection } = context;
  const named = sessionId ?? hostSession;
  return named === undefined
    ? sessionIn(database, connection.session)
    : findSession(database, caller, named, undefined);
}

function sessionIn(database: Database, id: string | undefined): Session | undefined {
  return id === undefined ? undefined : sessionById(database, id);
}

/** FOLD-12: the summary goes to memory and the archive; the branch stays expired. */
export async function returnLateTo(context: CallContext, { branch, session }: LateBranch, fold: Fold) {
  const { answer, entry } = await context.journal.commit({
    stream: session.stream,
    actor: context.caller.actor,
    decide: (database) => {
      const returned = returnLate(branchById(database, branch.id)!, fold);
      const ended = requireEnded(sessionById(database, session.id)!, lifetimeIn(context));
      return { events: [...ended, ...returned.events], answer: returned.answer };
    },
  });
  context.session = session;
  return { answer, entry };
}
