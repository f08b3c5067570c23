import { libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { admits } from '../../trust/access/rule.ts';
import { listProjects } from '../../trust/identity/queries.ts';
import { nobody } from '../queries/drafts.ts';
import { fileById, type LibraryFile, latestFiles, workspacesOf } from '../queries/files.ts';
import { searchItems } from '../queries/search.ts';
import { fileView } from '../views.ts';

export const searchLibraries = defineAction(libraryApi.searchLibraries, {
  run({ q, limit }, { database, caller }) {
    const names = new Map(listProjects(database, caller.org).map(({ id, name }) => [id, name]));
    const projects = new Map(
      workspacesOf(database, caller.org)
        .filter(({ project_id: id }) => names.has(id) && admits(caller, { kind: 'project', id }).allowed)
        .map(({ id, project_id }) => [id, project_id]),
    );
    const query = q?.trim() ?? '';
    const workspaces = [...projects.keys()];
    const files =
      query === ''
        ? latestFiles(database, workspaces, limit)
        : bestFiles(database, workspaces, query, limit).slice(0, limit);
    const items = files.map((file) => {
      const project_id = projects.get(file.workspace_id)!;
      return { ...fileView(file), project_id, project: names.get(project_id)! };
    });
    return { structured: { items, next: null } };
  },
});

/** Ranks of two libraries cannot be compared: what has more of the words comes first, then each library's best. */
function bestFiles(
  database: Database,
  workspaces: readonly string[],
  query: string,
  limit: number,
): LibraryFile[] {
  const everything = { kind: undefined, group: undefined };
  return workspaces
    .flatMap((workspace) =>
      searchItems(database, nobody(workspace), query, everything, limit).matches.map(
        ({ item, share }, place) => ({ share, place, file: fileById(database, workspace, item.id)! }),
      ),
    )
    .sort((one, other) => other.share - one.share || one.place - other.place)
    .map(({ file }) => file);
}
