import type { CallContext } from '../../call/context.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { admits, enforce } from '../../trust/access/rule.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import type { Session } from '../../trust/sessions/queries.ts';
import { branchNotFound } from '../errors.ts';
import { type Branch, branchOf } from '../queries.ts';

/** A branch names its session; one that does not is unknown, and asking which session is meant would not help. */
export function sessionOfBranch(context: CallContext, branchId: string | undefined): Session | undefined {
  if (branchId !== undefined && context.lookUpSession().kind === 'unclear') {
    throw branchNotFound(branchId, context.sessionIfAny()?.id ?? null);
  }
  return context.sessionToWrite();
}

export function findBranch(database: Database, caller: Caller, sessionId: string, branchId: string): Branch {
  const branch = branchOf(database, sessionId, branchId);
  if (!branch) throw branchNotFound(branchId, sessionId);
  refuseClosed(caller, [branch]);
  return branch;
}

/** A token that does not open a branch's project does nothing to the branch. */
export function refuseClosed(caller: Caller, branches: readonly Branch[]): void {
  for (const { project_id } of branches) enforce(admits(caller, { kind: 'project', id: project_id }));
}
