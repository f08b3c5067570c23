import type { Database } from '../kernel/sqlite.ts';
import { admits, enforce } from '../trust/access/rule.ts';
import type { Caller } from '../trust/identity/caller.ts';
import { rollBack } from './commands/roll-back.ts';
import { type Branch, branchById, branchesAfter, type FoldState, operationsAfter } from './queries.ts';

/** Reads what a rollback to `target` (undefined: the main thread) touches, and decides. */
export function rollBackSession(
  database: Database,
  state: FoldState,
  target: Branch | undefined,
  restoreState: boolean,
  caller: Caller,
) {
  const later = branchesAfter(database, state.session_id, target?.ordinal ?? 0);
  refuseClosed(caller, later);
  const first = later[0];
  return rollBack({
    state,
    target,
    ancestors: ancestorsOf(database, target),
    later,
    abandoned: abandonedParents(database, later),
    operations:
      restoreState && first
        ? operationsAfter(database, state.session_id, target?.id ?? null, first.created_seq)
        : undefined,
  });
}

/** A token that does not open a branch's project does nothing to the branch. */
export function refuseClosed(caller: Caller, branches: readonly Branch[]): void {
  for (const { project_id } of branches) enforce(admits(caller, { kind: 'project', id: project_id }));
}

function abandonedParents(database: Database, branches: readonly Branch[]): Set<string> {
  const parents = new Set(branches.flatMap(({ parent_id }) => parent_id ?? []));
  return new Set([...parents].filter((id) => branchById(database, id)?.status === 'discarded'));
}

function ancestorsOf(database: Database, branch: Branch | undefined): Branch[] {
  const ancestors: Branch[] = [];
  for (let id = branch?.parent_id ?? null; id !== null; ) {
    const parent: Branch = branchById(database, id)!;
    ancestors.unshift(parent);
    id = parent.parent_id;
  }
  return ancestors;
}
