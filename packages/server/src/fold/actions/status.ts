import { foldApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { namesOf } from '../../trust/sessions/queries.ts';
import { providerFigures } from '../../window/queries.ts';
import { emptyState } from '../queries.ts';
import { openState } from '../session.ts';

export const status = defineAction(foldApi.contextBranchStatus, {
  run(_input, context) {
    const session = context.sessionIfAny() ?? context.noteUnclear();
    const { contextLimit } = context.config;
    const { state, path } = session
      ? openState(context.database, session.id)
      : { state: emptyState(''), path: [] };
    const provider =
      session && providerFigures(context.database, session, namesOf(context.database, session.id));
    return {
      structured: {
        session_id: session?.id ?? null,
        active_branch_id: state.active_branch_id,
        branch_depth: state.depth,
        branch_path: ['main', ...path.map((branch) => branch.id)],
        token_breakdown: {
          main_thread: state.main_tokens,
          ...Object.fromEntries(path.map((branch) => [branch.id, branch.tokens])),
          total: state.total,
          folded_total: state.folded_total,
        },
        context_limit: contextLimit,
        usage_percent: Math.round((state.total / contextLimit) * 100),
        collapsible: state.collapsible,
        ...(provider && { provider }),
      },
    };
  },
});
