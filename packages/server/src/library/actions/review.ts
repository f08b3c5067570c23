import { libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { badArguments } from '../../call/arguments.ts';
import type { CallContext } from '../../call/context.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { requireScope } from '../../trust/access/rule.ts';
import {
  commentDraft as comment,
  decideDraft,
  discardDraft as discard,
  submitDraft as submit,
} from '../commands/review.ts';
import { commitToLibrary } from '../commit.ts';
import { changedSince, draftChoice, ofHub } from '../errors.ts';
import { draftNow, draftProtection, reviewStateWithTexts } from '../queries/command-state.ts';
import { type Draft, draftById, draftPath } from '../queries/drafts.ts';
import { linkOfWorkspace } from '../queries/hub.ts';
import { draftDetails, draftView } from '../views.ts';
import { chosenDrafts } from './chosen-drafts.ts';
import { approverIn, draftOfCall, requireDrafter, workspaceOf } from './draft-of-call.ts';

type Step = 'submit' | 'approve' | 'decline' | 'discard';

interface Said {
  note?: string | undefined;
  /** Of the version that somebody has read. */
  hash?: string | undefined;
}

interface Failure {
  draft: Draft;
  error: InfoldError;
}

/**
 * One step with each of the drafts, in one entry. Those with which it cannot be taken say why; the others go on.
 * Submitting and discarding are the drafter's own, or an administrator's, doing.
 */
async function takeStep(
  context: CallContext,
  step: Step,
  drafts: readonly Draft[],
  said: Said,
): Promise<{ drafts: Draft[]; failed: Failure[] }> {
  const failed: Failure[] = [];
  if (drafts.length === 0) return { drafts: [], failed };
  await commitToLibrary(context, workspaceOf(drafts), (database) => {
    failed.length = 0;
    const events = drafts.flatMap((draft) => {
      try {
        return stepWith(context, database, step, draft, said).events;
      } catch (error) {
        if (!InfoldError.isInstance(error)) throw error;
        failed.push({ draft, error });
        return [];
      }
    });
    return { events, answer: null };
  });
  const taken = drafts.filter((draft) => !failed.some((failure) => failure.draft === draft));
  return { drafts: taken.map(({ id }) => draftById(context.database, id)!), failed };
}

function stepWith(
  { caller, config }: CallContext,
  database: Database,
  step: Step,
  draft: Draft,
  { note, hash }: Said,
) {
  const now = draftNow(database, draft.id);
  if (hash !== undefined && now.hash !== hash) throw changedSince('The draft');
  if (step === 'approve' || step === 'decline') {
    const link = linkOfWorkspace(database, draft.workspace_id);
    if (link) throw ofHub(link.hub_url);
    return decideDraft(now, step, note ?? null, approverIn(config, caller), draftProtection(database, now));
  }
  requireDrafter(caller, draft);
  return step === 'submit'
    ? submit(reviewStateWithTexts(database, now), null)
    : discard(now, { action: 'discard', sessionId: null });
}

function defineStep(step: Step) {
  return defineAction(libraryApi[`${step}Draft`], {
    identifiers: ['id'],
    async run(input: { id: string; project?: string | undefined } & Said, context) {
      const { drafts, failed } = await takeStep(context, step, [draftOfCall(context, input, step)], input);
      if (failed[0]) throw failed[0].error;
      return { structured: draftView(context.database, drafts[0]!) };
    },
  });
}

export const submitDraft = defineStep('submit');
export const discardDraft = defineStep('discard');
export const approveDraft = defineStep('approve');
export const declineDraft = defineStep('decline');

export const reviewDrafts = defineAction(libraryApi.reviewDrafts, {
  identifiers: ['drafts'],
  async run(input, context) {
    const { step, note } = input;
    if (step === 'approve' || step === 'decline') requireScope(context.caller, 'review');
    const chosen = chosenDrafts(context, libraryApi.reviewDrafts, step, input);
    const { drafts, failed } = await takeStep(context, step, chosen.drafts, { note });
    return {
      structured: {
        drafts: drafts.map((draft) => draftView(context.database, draft)),
        failed: failed.map(({ draft, error: { message, code } }) => ({
          draft_path: draftPath(draft),
          error: message,
          code,
        })),
        ...(step === 'discard' ? { left: chosen.left.map(draftChoice) } : {}),
      },
    };
  },
});

export const commentDraft = defineAction(libraryApi.commentDraft, {
  identifiers: ['id'],
  async run({ text, line, side, hash, ...named }, context) {
    if (side !== undefined && line === undefined) {
      throw badArguments(libraryApi.commentDraft.name, ['side: needs a line'], 'side');
    }
    const draft = draftOfCall(context, named);
    await commitToLibrary(context, draft.workspace_id, (database) =>
      comment(reviewStateWithTexts(database, draftNow(database, draft.id)), { text, line, side, hash }),
    );
    return { structured: draftDetails(context.database, draftById(context.database, draft.id)!) };
  },
});
