import { libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';
import { type Publication, publishDrafts as publishAll } from '../commands/publish.ts';
import { approverIn } from '../commands/review.ts';
import { commitToLibrary } from '../commit.ts';
import { ownDraft } from '../errors.ts';
import { type Draft, draftById } from '../queries/drafts.ts';
import { publicationView } from '../views.ts';
import { chosenDrafts } from './chosen-drafts.ts';
import { draftOfCall, workspaceOf } from './draft-of-call.ts';

export const publishDraft = defineAction(libraryApi.publishDraft, {
  identifiers: ['id'],
  async run({ note, ...named }, context) {
    const published = await publish(context, [draftOfCall(context, named, 'publish')], note);
    return { structured: publicationView(published) };
  },
});

export const publishDrafts = defineAction(libraryApi.publishDrafts, {
  identifiers: ['drafts'],
  async run(input, context) {
    const { drafts } = chosenDrafts(context, libraryApi.publishDrafts, 'publish', input);
    if (drafts.length === 0) return { structured: { revision: null, changes: [] } };
    return { structured: publicationView(await publish(context, drafts, input.note)) };
  },
});

/** All of them in one step, or none. */
function publish(
  context: CallContext,
  drafts: readonly Draft[],
  note: string | undefined,
): Promise<Publication> {
  const workspaceId = workspaceOf(drafts);
  const { org, project_id: projectId } = drafts[0]!;
  const ids = drafts.map(({ id }) => id);
  return commitToLibrary(context, workspaceId, (database) => {
    // One that was approved before the setting forbade it is no better than one that is approved now.
    const { selfApproval } = approverIn(context.config, context.caller);
    const isOwn = (id: string) => {
      const { status, principal, decided_by } = draftById(database, id)!;
      return status === 'approved' && decided_by === principal;
    };
    if (!selfApproval && ids.some(isOwn)) throw ownDraft();
    const place = { workspaceId, org, projectId };
    return publishAll(database, place, context.parts.fileValidators, ids, note ?? null);
  });
}
