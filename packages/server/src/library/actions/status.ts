import { libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { openDrafts } from '../queries/drafts.ts';
import { allFiles, revisionOf } from '../queries/files.ts';
import { draftView } from '../views.ts';

export const libraryStatus = defineAction(libraryApi.libraryStatus, {
  run({ project }, context) {
    const { database, caller } = context;
    const { name, workspace_id } = context.project(project);
    const files = allFiles(database, workspace_id);
    const count = (kind: string) =>
      files.filter((file) => file.kind === kind && file.id !== file.path).length;
    const drafts = openDrafts(database, caller, workspace_id).map((draft) => draftView(database, draft));
    return {
      structured: {
        project: name,
        workspace_id,
        revision: revisionOf(database, workspace_id),
        rules: count('rule'),
        workflows: count('workflow'),
        context: count('context'),
        meta_prompt: files.some((file) => file.id === file.path),
        drafts: drafts.length,
        in_review: drafts.filter(({ status }) => status === 'in_review').length,
        approved: drafts.filter(({ status }) => status === 'approved').length,
        conflicts: drafts.filter(({ conflict }) => conflict !== null).map(({ draft_path }) => draft_path),
      },
    };
  },
});
