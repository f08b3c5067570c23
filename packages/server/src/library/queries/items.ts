import { type DiscoverItem, type FileKind, META_PROMPT_PATH } from '@infold/protocol';
import type { Database } from '../../kernel/sqlite.ts';
import { groupOf, isInGroup, nameOf } from '../files/describe.ts';
import { type FileTraits, traitsOf } from '../files/traits.ts';
import {
  type Draft,
  type Drafter,
  draftItemId,
  draftPath,
  findLiveDraft,
  liveDraftOfFile,
  liveDrafts,
} from './drafts.ts';
import { fileById, type LibraryFile, textByHash } from './files.ts';

/** A file as a session sees it: what is published, or the draft that lies over it there. */
export interface Item {
  id: string;
  kind: FileKind;
  path: string;
  hash: string;
  file_group: string | null;
  description: string | null;
  traits: FileTraits;
  /** The revision of the organisation's library that it was selected from. */
  organisation: number | null;
  draft: Draft | undefined;
}

const NO_TRAITS: FileTraits = {};

export function itemOfFile(file: LibraryFile): Item {
  const { id, kind, path, hash, file_group, description, organisation } = file;
  const traits = file.traits === null ? NO_TRAITS : (JSON.parse(file.traits) as FileTraits);
  return { id, kind, path, hash, file_group, description, traits, organisation, draft: undefined };
}

/** Undefined for a deletion: to the drafter the file is gone. */
export function itemOfDraft(database: Database, draft: Draft): Item | undefined {
  if (draft.hash === null) return undefined;
  return {
    id: draftItemId(draft),
    kind: draft.kind,
    path: draftPath(draft),
    hash: draft.hash,
    file_group: draft.file_group,
    description: draft.file_description,
    traits: traitsOf(textByHash(database, draft.hash) ?? '') ?? NO_TRAITS,
    organisation: null,
    draft,
  };
}

/** By id, or for a new file by its temporary id or path. The meta prompt is no item. */
export function findItem(database: Database, drafter: Drafter, id: string): Item | undefined {
  if (id === META_PROMPT_PATH) return undefined;
  const file = fileById(database, drafter.workspaceId, id);
  if (file) {
    const draft = liveDraftOfFile(database, drafter, id);
    return draft ? itemOfDraft(database, draft) : itemOfFile(file);
  }
  const draft = findLiveDraft(database, drafter, id);
  return draft?.op === 'create' && draft.resource !== 'mpf' ? itemOfDraft(database, draft) : undefined;
}

/** What discover shows of an item. */
export function discoverView(item: Item): DiscoverItem {
  const group = groupOf(item.path, item.file_group);
  return {
    id: item.id,
    kind: item.kind,
    path: item.path,
    name: nameOf(item.path),
    ...(group === undefined ? {} : { group }),
    hash: item.hash,
    ...(item.draft ? { hasDraft: true as const } : {}),
    ...(item.description === null ? {} : { description: item.description }),
    ...traitMarks(item),
  };
}

export function traitMarks({ traits: { deprecated, successor }, organisation }: Item) {
  return {
    ...(deprecated && { deprecated }),
    ...(successor !== undefined && { successor }),
    ...(organisation !== null && { organisation }),
  };
}

export interface ItemFilter {
  kind: FileKind | undefined;
  group: string | undefined;
}

/** By path. One more than `limit` when there are more. */
export function listItems(database: Database, drafter: Drafter, filter: ItemFilter, limit: number): Item[] {
  const { kind, group } = filter;
  const drafts = liveDrafts(database, drafter);
  const files = database
    .all<LibraryFile>(
      `SELECT * FROM library_file AS file WHERE workspace_id = ?1 AND deleted = 0 AND id <> ?2
         AND (?3 IS NULL OR kind = ?3)
         AND (?4 IS NULL OR file_group = ?4 OR (path > ?4 || '/' AND path < ?4 || '0'))
       ORDER BY path LIMIT ?5`,
      drafter.workspaceId,
      META_PROMPT_PATH,
      kind ?? null,
      group ?? null,
      // Each draft hides one file at most, or two where it wants a path that was taken meanwhile.
      limit + 1 + 2 * drafts.length,
    )
    .map(itemOfFile);
  const drafted = drafts
    .filter((draft) => draft.resource !== 'mpf')
    .map((draft) => itemOfDraft(database, draft))
    .filter((item) => item !== undefined)
    .filter((item) => kind === undefined || item.kind === kind)
    .filter((item) => group === undefined || isInGroup(item.path, item.file_group, group));
  if (drafts.length === 0) return files;
  const changed = new Set(drafts.map(({ file_id }) => file_id));
  const wanted = new Set(drafts.map(draftPath));
  const untouched = files.filter(({ id, path }) => !changed.has(id) && !wanted.has(path));
  return [...untouched, ...drafted]
    .sort((one, other) => (one.path < other.path ? -1 : 1))
    .slice(0, limit + 1);
}
