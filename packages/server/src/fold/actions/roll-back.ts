import { foldApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { abandonBranch } from '../commands/roll-back.ts';
import { branchNotActive, branchNotFound } from '../errors.ts';
import { lateBranch } from '../late-return.ts';
import { contextStateOf, foldState, openPath } from '../queries.ts';
import { rollBackSession } from '../rollback.ts';
import { commitToSession } from '../session.ts';
import { findBranch, sessionOfBranch } from './branch-of-call.ts';

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
