import { foldApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';
import { isoTime } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { countTokensOf } from '../../kernel/tokens/count.ts';
import { consumedMeta } from '../../trust/sources.ts';
import { checkText } from '../check-text.ts';
import { type Fold, foldBranch, openWithin } from '../commands/return.ts';
import { branchNotActive, branchNotFound } from '../errors.ts';
import type { BranchFolded } from '../events.ts';
import { type LateBranch, lateBranch, returnLateTo } from '../late-return.ts';
import { type Branch, contextHealthOf, contextStateOf, foldState, openPath } from '../queries.ts';
import { commitToSession } from '../session.ts';
import { findDropped, MOST_TEXT } from '../trajectory/dropped.ts';
import { branchTexts } from '../trajectory/pages.ts';
import { findBranch, refuseClosed, sessionOfBranch } from './branch-of-call.ts';

const MOST_OPERATIONS_CHECKED = 2000;

export const foldBack = defineAction(foldApi.contextReturn, {
  async run(input, context) {
    checkText('message', input.message, context.config.limits.summaryBytes, true);
    const fold = {
      summary: input.message,
      summaryTokens: await countTokensOf(input.message),
      secrets: context.secrets.count,
      redacted: context.secrets.fields.includes('message'),
      consumes: await context.sources(input.sources),
    };
    const late = lateBranch(context, input.branch_id);
    const answer = await (late ? foldLate(context, late, fold) : foldOpen(context, input.branch_id, fold));
    return { ...answer, ...(fold.consumes && { meta: consumedMeta(fold.consumes) }) };
  },
});

async function foldOpen(context: CallContext, branchId: string | undefined, fold: Fold) {
  const { journal, database, caller } = context;
  const session = sessionOfBranch(context, branchId);
  if (!session) {
    throw branchId === undefined ? branchNotActive('fold', null, 'none') : branchNotFound(branchId, null);
  }
  const find = (current: Database) =>
    branchId === undefined ? undefined : findBranch(current, caller, session.id, branchId);
  const path = openPath(database, session.id);
  const branch = find(database) ?? path.at(-1);
  // The branch and the open children that go with it.
  const going = branch?.status === 'active' ? openWithin(path, branch) : [];
  refuseClosed(caller, going);
  const dropped = droppedFrom(context, going, fold.summary);
  const { answer, entry } = await commitToSession(journal, caller, session, (current, state) =>
    foldBranch({ state, path: openPath(current, session.id) }, find(current), fold),
  );
  return returned(context, { ...answer, foldedAt: entry!.at, dropped });
}

async function foldLate(context: CallContext, late: LateBranch, fold: Fold) {
  const { parent_id, tokens: tokens_folded, operations } = late.branch;
  const dropped = droppedFrom(context, [late.branch], fold.summary);
  const { answer, entry } = await returnLateTo(context, late, fold);
  context.notices.push(
    `The session of ${answer.branch_id} had ended: its summary was kept, and the branch stays expired`,
  );
  return returned(context, {
    ...answer,
    parent_id,
    tokens_folded,
    operations,
    foldedAt: entry!.at,
    dropped,
  });
}

type Returned = Omit<BranchFolded, 'tokens_own' | 'folded_by'> & {
  operations: number;
  foldedAt: number;
  dropped: ReturnType<typeof findDropped>;
};

function returned(context: CallContext, fold: Returned) {
  const { dropped } = fold;
  if (dropped.more > 0)
    context.notices.push(`${dropped.more} more items were dropped; context_expand shows all`);
  const state = foldState(context.database, fold.session_id);
  return {
    structured: {
      folded_at: isoTime(fold.foldedAt),
      branch_id: fold.branch_id,
      parent_branch_id: fold.parent_id,
      summary: {
        tokens_folded: fold.tokens_folded,
        tokens_saved: fold.tokens_folded - fold.summary_tokens,
        operations_count: fold.operations,
        secrets_scrubbed: fold.secrets,
        summary_redacted: fold.summary_redacted,
      },
      context_state: contextStateOf(state),
      context_health: contextHealthOf(state, context.config.contextLimit),
      dropped: dropped.items,
    },
  };
}

function droppedFrom({ journal }: CallContext, branches: readonly Branch[], summary: string) {
  const { said, seen } = branchTexts(journal, branches, {
    operations: MOST_OPERATIONS_CHECKED,
    characters: MOST_TEXT,
  });
  return findDropped(said, seen, summary);
}
