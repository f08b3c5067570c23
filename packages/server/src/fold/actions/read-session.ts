import { foldApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';
import { sessionNotFound } from '../../trust/sessions/errors.ts';
import { findSession, lifetimeIn, type Session } from '../../trust/sessions/queries.ts';
import { isOpenTo, listBranches } from '../queries.ts';
import { branchView, sessionView } from '../views.ts';

export const readSession = defineAction(foldApi.readSession, {
  run({ id }, context) {
    const { database, config } = context;
    return {
      structured: sessionView(database, sessionOf(context, id), config.contextLimit, lifetimeIn(context)),
    };
  },
});

export const listSessionBranches = defineAction(foldApi.listSessionBranches, {
  run({ id }, context) {
    const { database, caller } = context;
    const branches = listBranches(database, sessionOf(context, id).id).filter((branch) =>
      isOpenTo(caller, branch),
    );
    return { structured: { branches: branches.map(branchView), next: null } };
  },
});

export function sessionOf({ database, caller }: CallContext, id: string): Session {
  const session = findSession(database, caller, id, undefined);
  if (!session) throw sessionNotFound(id);
  return session;
}
