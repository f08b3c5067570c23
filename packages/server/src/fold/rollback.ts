import type { Database } from '../kernel/sqlite.ts';
import { rollBack } from './commands.ts';
import { type Branch, branchById, branchesAfter, type FoldState, operationsAfter } from './queries.ts';

/** Reads what a rollback to `target` (undefined: the main thread) touches, and decides. */
export function rollBackSession(
  database: Database,
  state: FoldState,
  target: Branch | undefined,
  restoreState: boolean,
) {
  const later = branchesAfter(database, state.session_id, target?.ordinal ?? 0);
  const first = later[0];
  return rollBack({
    state,
    target,
    ancestors: ancestorsOf(database, target),
    later,
    operations:
      restoreState && first
        ? operationsAfter(database, state.session_id, target?.id ?? null, first.created_seq)
        : undefined,
  });
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
