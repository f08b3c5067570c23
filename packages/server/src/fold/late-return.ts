import type { CallContext } from '../call/context.ts';
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
  const branch = branchId === undefined ? lastOpenOf(context) : branchById(database, branchId);
  const session = branch && sessionById(database, branch.session_id);
  if (!session || isLive(session, lifetimeIn(context)) || !isOwnBranch(context, branch)) return undefined;
  return branch.status === 'expired' || branch.status === 'active' ? { branch, session } : undefined;
}

/** Without a branch's id: the one that was active when the call's session, or its connection's, ended. */
function lastOpenOf({
  database,
  caller,
  sessionId,
  hostSession,
  connection,
}: CallContext): Branch | undefined {
  const named = sessionId ?? hostSession;
  const id = named === undefined ? connection.session : findSession(database, caller, named, undefined)?.id;
  return id === undefined ? undefined : lastOpen(database, id);
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
