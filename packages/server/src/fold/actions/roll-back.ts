import { foldApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { abandonBranch, decideRollBack } from '../commands/roll-back.ts';
import { branchNotActive, branchNotFound } from '../errors.ts';
import { lateBranch } from '../late-return.ts';
import {
  type Branch,
  branchById,
  branchesAfter,
  contextStateOf,
  type FoldState,
  foldState,
  openPath,
  operationsAfter,
} from '../queries.ts';
import { commitToSession } from '../session.ts';
import { findBranch, refuseClosed, sessionOfBranch } from './branch-of-call.ts';

export const rollBack = defineAction(foldApi.contextRollback, {
  async run({ branch_id, abandon, restore_state }, context) {
    const { journal, caller } = context;
    const named = branch_id === 'main' ? undefined : branch_id;
    if (abandon && named === undefined)
      throw cannotAbandon('The main thread cannot be abandoned; name a branch');
    if (abandon && restore_state)
      throw cannotAbandon('restore_state cannot be combined with abandon; pass one of them');
    if (named !== undefined && lateBranch(context, named)) {
      throw branchNotActive(abandon ? 'abandon' : 'roll back to', named, 'expired');
    }
    const session = sessionOfBranch(context, named);
    if (!session) throw branchNotFound(branch_id, null);
    const { answer } = await commitToSession(journal, caller, session, (database, state) => {
      const branch = named === undefined ? undefined : findBranch(database, caller, session.id, named);
      if (!abandon || !branch)
        return rollBackSession(database, state, branch, restore_state ?? false, caller);
      return abandonBranch({ state, path: openPath(database, session.id) }, branch);
    });
    const { active_branch_id, branch_depth, total_tokens, collapsible } = contextStateOf(
      foldState(context.database, session.id),
    );
    return {
      structured: {
        rolled_back_to: abandon ? (active_branch_id ?? 'main') : branch_id,
        branches_discarded: answer.discarded,
        tokens_recovered: answer.recovered,
        context_state: { active_branch_id, branch_depth, total_tokens, collapsible },
      },
    };
  },
});

function cannotAbandon(message: string): InfoldError {
  return new InfoldError('invalid_arguments', message);
}

/** Reads what a rollback to `target` (undefined: the main thread) touches, and decides. */
function rollBackSession(
  database: Database,
  state: FoldState,
  target: Branch | undefined,
  restoreState: boolean,
  caller: Caller,
) {
  const later = branchesAfter(database, state.session_id, target?.ordinal ?? 0);
  refuseClosed(caller, later);
  const first = later[0];
  return decideRollBack({
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
