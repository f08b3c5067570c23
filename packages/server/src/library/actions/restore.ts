import { libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { restoreRevision as restore } from '../commands/publish.ts';
import { commitToLibrary, publishTargetIn } from '../commit.ts';
import { restoreState } from '../queries/command-state.ts';
import { fileIdAtPath } from '../queries/files.ts';
import { publicationView } from '../views.ts';

export const restoreRevision = defineAction(libraryApi.restoreRevision, {
  identifiers: ['id'],
  async run({ id: name, project: spec, revision }, context) {
    const project = context.project(spec);
    const { workspace_id } = project;
    const published = await commitToLibrary(context, workspace_id, (database) => {
      const fileId = fileIdAtPath(database, workspace_id, name) ?? name;
      const state = restoreState(database, workspace_id, fileId, revision);
      return restore(state, publishTargetIn(context, project), { name, revision });
    });
    return {
      structured: {
        project: project.name,
        path: name,
        restored: revision,
        ...publicationView(published),
      },
    };
  },
});
