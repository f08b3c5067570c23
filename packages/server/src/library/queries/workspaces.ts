import { type FileKind, META_PROMPT_PATH } from '@infold/protocol';
import type { Database } from '../../kernel/sqlite.ts';
import { organisationWorkspace } from '../../trust/identity/commands.ts';
import type { Protection, Selection } from '../events.ts';
import { matchesAny } from '../files/globs.ts';
import { type FileTraits, traitsOf } from '../files/traits.ts';
import { type LibraryFile, textByHash } from './files.ts';

/** A workspace that selects from its organisation's library. */
export interface SelectingWorkspace {
  workspace_id: string;
  org: string;
  project_id: string;
  selection: Selection;
}

interface SelectionRow {
  workspace_id: string;
  org: string;
  project_id: string;
  paths: string;
  tags: string;
  revision: number | null;
}

function fromRow({ paths, tags, revision, ...whose }: SelectionRow): SelectingWorkspace {
  const lists = { paths: JSON.parse(paths) as string[], tags: JSON.parse(tags) as string[] };
  return { ...whose, selection: { ...lists, revision: revision ?? 'latest' } };
}

export function selectionOf(database: Database, workspaceId: string): SelectingWorkspace | undefined {
  const row = database.get<SelectionRow>(
    'SELECT * FROM library_selection WHERE workspace_id = ?',
    workspaceId,
  );
  return row && fromRow(row);
}

/** Those that follow what is published, of one organisation or of all. */
export function followingWorkspaces(database: Database, org?: string): SelectingWorkspace[] {
  return database
    .all<SelectionRow>(
      'SELECT * FROM library_selection WHERE (?1 IS NULL OR org = ?1) AND revision IS NULL ORDER BY workspace_id',
      org ?? null,
    )
    .map(fromRow);
}

/** A file of the organisation's library, as it is at a revision. `revision` is the one that made it so. */
export interface OrganisationFile {
  id: string;
  path: string;
  kind: FileKind;
  hash: string;
  revision: number;
}

/** What a selection selects, by path. The meta prompt is each project's own. */
export function selectedFiles(database: Database, org: string, selection: Selection): OrganisationFile[] {
  const workspaceId = organisationWorkspace(org);
  if (selection.revision === 'latest') {
    return database
      .all<OrganisationFile & Pick<LibraryFile, 'traits'>>(
        `SELECT id, path, kind, hash, revision, traits FROM library_file
         WHERE workspace_id = ? AND deleted = 0 AND id <> ? ORDER BY path`,
        workspaceId,
        META_PROMPT_PATH,
      )
      .filter((file) => isSelected(selection, file.path, () => parsed(file.traits)))
      .map(({ traits: _, ...file }) => file);
  }
  return database
    .all<OrganisationFile>(
      `SELECT file_id AS id, path, kind, hash, revision FROM library_revision AS one
       WHERE workspace_id = ?1 AND op <> 'delete' AND file_id <> ?3 AND revision = (
         SELECT max(revision) FROM library_revision
         WHERE workspace_id = ?1 AND file_id = one.file_id AND revision <= ?2)
       ORDER BY path`,
      ...[workspaceId, selection.revision, META_PROMPT_PATH],
    )
    .filter((file) =>
      isSelected(selection, file.path, () => traitsOf(textByHash(database, file.hash) ?? '')),
    );
}

/** What a selection has for this path. */
export function selectedAt(
  database: Database,
  { org, selection }: SelectingWorkspace,
  path: string,
): OrganisationFile | undefined {
  const { revision } = selection;
  const file = database.get<OrganisationFile>(
    `SELECT file_id AS id, path, kind, hash, revision FROM library_revision AS one
     WHERE workspace_id = ?1 AND path = ?2 AND op <> 'delete' AND file_id <> ?4 AND revision = (
       SELECT max(revision) FROM library_revision
       WHERE workspace_id = ?1 AND file_id = one.file_id AND revision <= ?3)
     ORDER BY revision DESC LIMIT 1`,
    ...[organisationWorkspace(org), path],
    revision === 'latest' ? Number.MAX_SAFE_INTEGER : revision,
    META_PROMPT_PATH,
  );
  if (!file) return undefined;
  const traits = () => traitsOf(textByHash(database, file.hash) ?? '');
  return isSelected(selection, path, traits) ? file : undefined;
}

/** A file must match a path and have a tag, where any are given. */
function isSelected({ paths, tags }: Selection, path: string, traits: () => FileTraits | null): boolean {
  if (paths.length > 0 && !matchesAny(paths, path)) return false;
  return tags.length === 0 || (traits()?.tags ?? []).some((tag) => tags.includes(tag));
}

function parsed(traits: string | null): FileTraits | null {
  return traits === null ? null : (JSON.parse(traits) as FileTraits);
}

/** What a workspace has now: files of its own, and selected ones. */
export function presentFiles(
  database: Database,
  workspaceId: string,
): Pick<LibraryFile, 'id' | 'path' | 'kind' | 'hash' | 'deleted' | 'organisation'>[] {
  return database.all<Pick<LibraryFile, 'id' | 'path' | 'kind' | 'hash' | 'deleted' | 'organisation'>>(
    'SELECT id, path, kind, hash, deleted, organisation FROM library_file WHERE workspace_id = ? AND deleted = 0',
    workspaceId,
  );
}

export function protectionsOf(database: Database, workspaceId: string): Protection[] {
  return database
    .all<{ pattern: string; reviewers: string; approvals: number }>(
      'SELECT pattern, reviewers, approvals FROM library_protection WHERE workspace_id = ? ORDER BY pattern',
      workspaceId,
    )
    .map(({ reviewers, ...rest }) => ({ ...rest, reviewers: JSON.parse(reviewers) as string[] }));
}

/** Who has approved a draft as it is, the first one first. */
export function approversOf(database: Database, draftId: string): string[] {
  return database
    .all<{ principal: string }>(
      'SELECT principal FROM library_approval WHERE draft_id = ? ORDER BY seq',
      draftId,
    )
    .map(({ principal }) => principal);
}
