import type { LibraryPageId } from '../pages.ts';
import type { LibrarySearch, NewKind } from '../search.ts';

/** What the editor is open for, as unsaved texts name it; undefined where it is closed. */
export function targetOf({ edit, make, draft, item }: LibrarySearch): string | undefined {
  if (make !== undefined) return `make:${make}`;
  if (edit !== true) return undefined;
  if (draft !== undefined) return `draft:${draft}`;
  return item === undefined ? undefined : `item:${item}`;
}

interface Address {
  params: { page: LibraryPageId };
  search: LibrarySearch;
}

/** Where the editor of something is. */
export function searchOf(target: string, project: string): Address {
  const [kind, id] = [target.slice(0, target.indexOf(':')), target.slice(target.indexOf(':') + 1)];
  if (kind === 'draft') return { params: { page: 'drafts' }, search: { project, draft: id, edit: true } };
  if (kind === 'merge') return { params: { page: 'drafts' }, search: { project, draft: id } };
  if (kind === 'make') return { params: { page: 'files' }, search: { project, make: id as NewKind } };
  return { params: { page: 'files' }, search: { project, item: id, edit: true } };
}
