import { META_PROMPT_PATH } from '@infold/protocol';
import type { CallContext } from '../call/context.ts';
import type { ResourceDefinition } from '../call/resource.ts';
import type { Entry } from '../journal/journal.ts';
import type { FileChange } from './events.ts';
import { nameOf } from './files/describe.ts';
import { fileByPath, metaPrompt, pageOfFiles, pathsWith, textByHash } from './queries/files.ts';

const LISTED = 200;

/** KERN-16: published files, as they are; drafts are their drafter's alone and are not shown here. */
export const libraryResources: ResourceDefinition[] = [
  {
    template: 'infold://library/{path}',
    name: 'library',
    title: 'A file of the library',
    description: 'A published rule, workflow, context file or META_PROMPT.md of the project, by its path',
    mimeType: 'text/markdown',
    read(id, context) {
      const { workspace_id } = context.project();
      const path = decoded(id);
      const file =
        fileByPath(context.database, workspace_id, id) ?? fileByPath(context.database, workspace_id, path);
      if (file) return { text: textByHash(context.database, file.hash)! };
      return path === META_PROMPT_PATH
        ? { text: metaPrompt(context.database, workspace_id).text }
        : undefined;
    },
    list: (context) =>
      pageOfFiles(context.database, context.project().workspace_id, { after: '', limit: LISTED }).map(
        ({ path, description }) => ({ id: encodeURI(path), title: description ?? nameOf(path) }),
      ),
    complete: (typed, context) => pathsWith(context.database, context.project().workspace_id, typed, LISTED),
    streams: 'library.',
    changedBy: (entry) => {
      const paths = entry.events.flatMap(({ type, data }) =>
        type === 'library.published'
          ? data.changes.flatMap(({ path, previous_path }) => [path, previous_path ?? path])
          : [],
      );
      // Clients may or may not encode what is unusual in an address.
      return [...new Set(paths.flatMap((path) => [path, encodeURI(path)]))];
    },
    relistedBy: (entry, contextOf) => publishedIn(entry, contextOf).length > 0,
  },
];

/** What an entry published in the library that a caller is listed. A description is listed too, so any change counts. */
export function publishedIn(entry: Entry, contextOf: () => CallContext): FileChange[] {
  const published = entry.events.flatMap(({ type, data }) => (type === 'library.published' ? [data] : []));
  if (published.length === 0) return [];
  const { workspace_id } = contextOf().project();
  return published.filter((one) => one.workspace_id === workspace_id).flatMap(({ changes }) => changes);
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
