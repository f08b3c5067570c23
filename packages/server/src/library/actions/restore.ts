import { libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { publish, restoreChange } from '../commands/publish.ts';
import { commitToLibrary, placeIn } from '../commit.ts';
import { revisionNotFound } from '../errors.ts';
import { fileIdAtPath, historyOf } from '../queries/files.ts';
import { publicationView } from '../views.ts';

export const restoreRevision = defineAction(libraryApi.restoreRevision, {
  identifiers: ['id'],
  async run({ id: target, project: spec, revision }, context) {
    const project = context.project(spec);
    const { workspace_id } = project;
    const published = await commitToLibrary(context, workspace_id, (database) => {
      const fileId = fileIdAtPath(database, workspace_id, target) ?? target;
      const change = restoreChange(database, workspace_id, fileId, revision);
      if (!change) throw revisionNotFound(target, revision, historyOf(database, workspace_id, fileId));
      return publish(database, placeIn(context.caller, project), context.parts.fileValidators, {
        source: 'restore',
        changes: [change],
        note: `Restored from revision ${revision}`,
      });
    });
    return {
      structured: {
        project: project.name,
        path: target,
        restored: revision,
        ...publicationView(published),
      },
    };
  },
});
