import { foldApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { cursorNumber } from '../../call/arguments.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { branchById, isOwnBranch } from '../queries.ts';
import { branchTrajectory } from '../trajectory/pages.ts';
import { branchView } from '../views.ts';

export const readBranch = defineAction(foldApi.readBranch, {
  run({ id, limit, cursor }, context) {
    const branch = branchById(context.database, id);
    if (!branch || !isOwnBranch(context, branch)) {
      throw new InfoldError('not_found', `Branch not found: ${id}`);
    }
    const page = Math.max(1, cursorNumber(foldApi.readBranch, cursor, 1));
    const { items, total_pages } = branchTrajectory(context.journal, branch, page, limit);
    const next = page < total_pages ? String(page + 1) : null;
    return { structured: { ...branchView(branch), items, next } };
  },
});
