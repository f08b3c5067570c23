import { libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { planRebase, rebaseDraft as rebase } from '../commands/rebase.ts';
import { commitToLibrary } from '../commit.ts';
import { draftNow, reviewState, reviewStateWithTexts } from '../queries/command-state.ts';
import { draftDetails } from '../views.ts';
import { draftOfCall, requireDrafter } from './draft-of-call.ts';

/** How often a rebase begins again because somebody published meanwhile. */
const MOST_TRIES = 5;

export const rebaseDraft = defineAction(libraryApi.rebaseDraft, {
  identifiers: ['id'],
  async run({ take, body, onto, ...named }, context) {
    const draft = draftOfCall(context, named);
    requireDrafter(context.caller, draft);
    const { id, workspace_id } = draft;
    const wish = { take, body, onto, mostBytes: context.config.limits.libraryFileBytes };
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const plan = planRebase(reviewStateWithTexts(context.database, draftNow(context.database, id)), wish);
      const { rebased, isOutdated } = await commitToLibrary(context, workspace_id, (database) =>
        rebase(reviewState(database, draftNow(database, id)), plan),
      );
      if (isOutdated) continue;
      return { structured: { rebased, ...draftDetails(context.database, draftNow(context.database, id)) } };
    }
    throw new InfoldError(
      'conflict',
      'The file was published again during each attempt; try again in a moment',
      {
        retryable: true,
      },
    );
  },
});
