import { libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { badArguments } from '../../call/arguments.ts';
import type { CallContext } from '../../call/context.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { nobody } from '../queries/drafts.ts';
import {
  fileAtRevision,
  fileById,
  fileByPath,
  fileIdAtPath,
  historyOf,
  pageOfFiles,
} from '../queries/files.ts';
import { type ItemFilter, listItems } from '../queries/items.ts';
import { searchItems } from '../queries/search.ts';
import { fileView, fileWithContent, revisionView } from '../views.ts';

export const listLibraryItems = defineAction(libraryApi.listLibraryItems, {
  run({ project, kind, group, q, limit, cursor }, context) {
    const { workspace_id } = context.project(project);
    const query = q?.trim();
    if (query || kind || group) {
      if (cursor !== undefined) {
        const problem = 'cursor: cannot be combined with q, kind or group, which answer one page';
        throw badArguments(libraryApi.listLibraryItems.name, [problem], 'cursor');
      }
      return {
        structured: { items: found(context, workspace_id, { kind, group }, query, limit), next: null },
      };
    }
    const files = pageOfFiles(context.database, workspace_id, { after: cursor ?? '', limit: limit + 1 });
    const items = files.slice(0, limit).map(fileView);
    return { structured: { items, next: files.length > limit ? items.at(-1)!.path : null } };
  },
});

/** Published files; no draft lies over them. */
function found(
  { database }: CallContext,
  workspaceId: string,
  filter: ItemFilter,
  query: string | undefined,
  limit: number,
) {
  const viewOf = ({ id }: { id: string }) => fileView(fileById(database, workspaceId, id)!);
  const seen = nobody(workspaceId);
  const items = query
    ? searchItems(database, seen, query, filter, limit).matches.map(({ item, share, words }) => ({
        ...viewOf(item),
        match: share,
        matched: words,
      }))
    : listItems(database, seen, filter, limit).map(viewOf);
  return items.slice(0, limit);
}

export const readLibraryItem = defineAction(libraryApi.readLibraryItem, {
  run({ id, project, revision }, context) {
    const { database } = context;
    const { workspace_id } = context.project(project);
    if (revision !== undefined) {
      const past = fileAtRevision(database, workspace_id, id, revision);
      if (past) return { structured: fileWithContent(database, past) };
      const where = `${id.slice(0, 200)} at revision ${revision}`;
      throw new InfoldError('not_found', `There was no file ${where} of this library`);
    }
    const file = fileById(database, workspace_id, id) ?? fileByPath(database, workspace_id, id);
    if (!file) throw new InfoldError('not_found', `There is no file ${id.slice(0, 200)} in this library`);
    return { structured: fileWithContent(database, file) };
  },
});

export const listRevisions = defineAction(libraryApi.listRevisions, {
  run({ id: wanted, project: spec }, context) {
    const { workspace_id, name: project } = context.project(spec);
    const { id, path, history } = requireHistory(context.database, workspace_id, wanted);
    return { structured: { project, id, path, revisions: history.map(revisionView), next: null } };
  },
});

/** Of the file that goes by an id or a path, or that was last there. */
export function requireHistory(database: Database, workspaceId: string, wanted: string) {
  const id = fileIdAtPath(database, workspaceId, wanted) ?? wanted;
  const history = historyOf(database, workspaceId, id);
  const last = history.at(-1);
  if (!last) throw new InfoldError('not_found', `Nothing was ever published at ${wanted.slice(0, 200)}`);
  return { id, path: last.path, history };
}
