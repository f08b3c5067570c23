import { foldApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { isoTime } from '../../kernel/clock.ts';
import { type Branch, listBranches as branchesOf, isOpenTo } from '../queries.ts';

export const listBranches = defineAction(foldApi.contextListBranches, {
  run(_input, context) {
    const session = context.sessionIfAny() ?? context.noteUnclear();
    const all = session ? branchesOf(context.database, session.id) : [];
    const branches = all.filter((branch) => isOpenTo(context.caller, branch));
    const count = (status: Branch['status']) => branches.filter((branch) => branch.status === status).length;
    return {
      structured: {
        branches: branches.map((branch) => ({
          id: branch.id,
          description: branch.description,
          status: branch.status,
          tokens: branch.tokens_folded ?? branch.tokens,
          created_at: isoTime(branch.created_at),
          ...(branch.status === 'folded' && branch.ended_at !== null
            ? { folded_at: isoTime(branch.ended_at) }
            : {}),
        })),
        total_branches: branches.length,
        active_branches: count('active'),
        folded_branches: count('folded'),
        discarded_branches: count('discarded'),
        expired_branches: count('expired'),
      },
    };
  },
});
