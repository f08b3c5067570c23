import { randomUUID } from 'node:crypto';
import { libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';
import { type Publication, publishDrafts as publishAll } from '../commands/publish.ts';
import { commitToLibrary, publishTargetIn } from '../commit.ts';
import { publishState } from '../queries/command-state.ts';
import type { Draft } from '../queries/drafts.ts';
import { publicationView } from '../views.ts';
import { chosenDrafts } from './chosen-drafts.ts';
import { approverIn, draftOfCall, workspaceOf } from './draft-of-call.ts';

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
  const { project_id: id } = drafts[0]!;
  const ids = drafts.map(({ id }) => id);
  const target = publishTargetIn(context, { workspace_id: workspaceId, id });
  const { selfApproval } = approverIn(context.config, context.caller);
  const wish = { note: note ?? null, selfApproval, newFileId: randomUUID };
  return commitToLibrary(context, workspaceId, (database) =>
    publishAll(publishState(database, workspaceId, ids), target, wish),
  );
}
