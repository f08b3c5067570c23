import { type Constraint, type FileKind, META_PROMPT_PATH, type RevisionView } from '@infold/protocol';
import type { Database } from '../../kernel/sqlite.ts';
import { DEFAULT_META_PROMPT } from '../bootstrap.ts';
import { constraintsOf } from '../files/constraints.ts';
import { describeFile, nameOf } from '../files/describe.ts';
import { readFrontMatter } from '../files/front-matter.ts';
import { contentHash } from '../files/hashes.ts';
import type { FileTraits } from '../files/traits.ts';

/** A published file. */
export interface LibraryFile {
  ordinal: number;
  id: string;
  workspace_id: string;
  kind: FileKind;
  path: string;
  hash: string;
  file_group: string | null;
  description: string | null;
  /** Where an import found it, if that is another path than its own. */
  origin: string | null;
  /** What its front matter says about where it applies, as JSON; null for most. */
  traits: string | null;
  /** The revision of the organisation's library that it was selected from; null for the workspace's own. */
  organisation: number | null;
  revision: number;
  deleted: number;
  updated_at: number;
}

export interface Workspace {
  id: string;
  org: string;
  project_id: string;
  revision: number;
  digest: Uint8Array;
  published_at: number;
}

/** The principal is who published it. */
export type Revision = Omit<RevisionView, 'at' | 'by' | 'publisher' | 'organisation'> & {
  at: number;
  principal: string;
  organisation: number | null;
};

export function workspaceById(database: Database, id: string): Workspace | undefined {
  return database.get<Workspace>('SELECT * FROM library_workspace WHERE id = ?', id);
}

/** Of an organisation, those that something was published in. */
export function workspacesOf(database: Database, org: string): Workspace[] {
  return database.all<Workspace>('SELECT * FROM library_workspace WHERE org = ?', org);
}

/** The files of some workspaces that were published last. */
export function latestFiles(
  database: Database,
  workspaceIds: readonly string[],
  most: number,
): LibraryFile[] {
  return database.all<LibraryFile>(
    `SELECT * FROM library_file WHERE workspace_id IN (SELECT value FROM json_each(?)) AND deleted = 0
     ORDER BY updated_at DESC, ordinal DESC LIMIT ?`,
    JSON.stringify(workspaceIds),
    most,
  );
}

export function revisionOf(database: Database, workspaceId: string): number {
  return workspaceById(database, workspaceId)?.revision ?? 0;
}

export function fileById(database: Database, workspaceId: string, id: string): LibraryFile | undefined {
  return database.get<LibraryFile>(
    'SELECT * FROM library_file WHERE workspace_id = ? AND id = ? AND deleted = 0',
    workspaceId,
    id,
  );
}

export function fileByPath(database: Database, workspaceId: string, path: string): LibraryFile | undefined {
  return database.get<LibraryFile>(
    'SELECT * FROM library_file WHERE workspace_id = ? AND path = ? AND deleted = 0',
    workspaceId,
    path,
  );
}

/** Not one that is selected from the organisation's library. */
export function ownFileByPath(
  database: Database,
  workspaceId: string,
  path: string,
): LibraryFile | undefined {
  const file = fileByPath(database, workspaceId, path);
  return file?.organisation === null ? file : undefined;
}

/** Also one that is gone. */
export function fileByIdOrGone(database: Database, workspaceId: string, id: string): LibraryFile | undefined {
  return database.get<LibraryFile>(
    'SELECT * FROM library_file WHERE workspace_id = ? AND id = ?',
    workspaceId,
    id,
  );
}

/** The workspace's own file that was last at this path and is gone: when it comes back it is the same one. */
export function goneFileByPath(
  database: Database,
  workspaceId: string,
  path: string,
): LibraryFile | undefined {
  return database.get<LibraryFile>(
    `SELECT * FROM library_file WHERE workspace_id = ? AND path = ? AND deleted = 1 AND organisation IS NULL
     ORDER BY revision DESC LIMIT 1`,
    workspaceId,
    path,
  );
}

/** The file that has this content now, else the last that had it. */
export function fileWithHash(
  database: Database,
  workspaceId: string,
  hash: string,
): Pick<LibraryFile, 'id' | 'path'> | undefined {
  return database.get<Pick<LibraryFile, 'id' | 'path'>>(
    `SELECT file.id, file.path FROM library_revision AS revision JOIN library_file AS file
       ON file.workspace_id = revision.workspace_id AND file.id = revision.file_id
     WHERE revision.hash = ?1 AND revision.workspace_id = ?2 AND file.deleted = 0
     ORDER BY file.hash = ?1 DESC, revision.revision DESC, file.path LIMIT 1`,
    hash,
    workspaceId,
  );
}

/** Every published file, the meta prompt too, by path. */
export function allFiles(database: Database, workspaceId: string): LibraryFile[] {
  return database.all<LibraryFile>(
    'SELECT * FROM library_file WHERE workspace_id = ? AND deleted = 0 ORDER BY path',
    workspaceId,
  );
}

/** Those that say where they apply, or that they no longer hold, by path. */
export function filesWithTraits(
  database: Database,
  workspaceId: string,
): (Pick<LibraryFile, 'id' | 'path' | 'kind' | 'hash' | 'description'> & { traits: FileTraits })[] {
  return database
    .all<Pick<LibraryFile, 'id' | 'path' | 'kind' | 'hash' | 'description'> & { traits: string }>(
      `SELECT id, path, kind, hash, description, traits FROM library_file
       WHERE workspace_id = ? AND traits IS NOT NULL AND deleted = 0 ORDER BY path`,
      workspaceId,
    )
    .map((file) => ({ ...file, traits: JSON.parse(file.traits) as FileTraits }));
}

export function textByHash(database: Database, hash: string): string | undefined {
  return database.get<{ text: string }>('SELECT text FROM library_text WHERE hash = ?', hash)?.text;
}

/** What can be referred to in it, without reading the content where it was parsed before. */
export function constraintsByHash(database: Database, hash: string): Constraint[] {
  const row = database.get<{ constraints: string | null }>(
    'SELECT constraints FROM library_text WHERE hash = ?',
    hash,
  );
  if (row && row.constraints !== null) return JSON.parse(row.constraints) as Constraint[];
  return constraintsOf(hash, textByHash(database, hash) ?? '');
}

export interface MetaPrompt {
  text: string;
  hash: string;
  /** False for the text that every workspace begins with. */
  published: boolean;
}

/** What every workspace begins with. It was never published, so it is not among the texts. */
export const DEFAULT_META: MetaPrompt = {
  text: DEFAULT_META_PROMPT,
  hash: contentHash(DEFAULT_META_PROMPT),
  published: false,
};

export function metaPrompt(database: Database, workspaceId: string): MetaPrompt {
  const file = fileByPath(database, workspaceId, META_PROMPT_PATH);
  const text = file && textByHash(database, file.hash);
  if (file && text !== undefined) return { text, hash: file.hash, published: true };
  return DEFAULT_META;
}

/** Oldest first. */
export function historyOf(database: Database, workspaceId: string, fileId: string): Revision[] {
  return database.all<Revision>(
    'SELECT * FROM library_revision WHERE workspace_id = ? AND file_id = ? ORDER BY revision',
    workspaceId,
    fileId,
  );
}

/** A file, by its id or its path, as it was at a revision of its workspace; undefined where it was not there. */
export function fileAtRevision(
  database: Database,
  workspaceId: string,
  name: string,
  revision: number,
): LibraryFile | undefined {
  const id = fileIdAtPath(database, workspaceId, name) ?? name;
  const file = fileByIdOrGone(database, workspaceId, id);
  const then = historyOf(database, workspaceId, id).findLast((entry) => entry.revision <= revision);
  const text = then && textByHash(database, then.hash);
  if (!file || !then || then.op === 'delete' || text === undefined) return undefined;
  const { kind, path, hash, origin, at } = then;
  const { group, description } = describeFile(path, text);
  const described = { file_group: group, description, revision: then.revision, updated_at: at };
  return { ...file, kind, path, hash, origin, ...described, deleted: 0 };
}

/** The id of the file at this path now, else of the last one that was there. */
export function fileIdAtPath(database: Database, workspaceId: string, path: string): string | undefined {
  return (
    fileByPath(database, workspaceId, path)?.id ??
    database.get<{ file_id: string }>(
      'SELECT file_id FROM library_revision WHERE workspace_id = ? AND path = ? ORDER BY revision DESC LIMIT 1',
      workspaceId,
      path,
    )?.file_id
  );
}

/** Paths that hold what was typed, those that begin with it first. */
export function pathsWith(database: Database, workspaceId: string, typed: string, limit: number): string[] {
  return database
    .all<{ path: string }>(
      `SELECT path, instr(lower(path), lower(?)) AS at FROM library_file
       WHERE workspace_id = ? AND deleted = 0 AND at > 0 ORDER BY at > 1, path LIMIT ?`,
      typed,
      workspaceId,
      limit,
    )
    .map(({ path }) => path);
}

/** A page of published files by path, for people. */
export function pageOfFiles(
  database: Database,
  workspaceId: string,
  page: { after: string; limit: number },
): LibraryFile[] {
  return database.all<LibraryFile>(
    `SELECT * FROM library_file WHERE workspace_id = ? AND deleted = 0 AND id <> ? AND path > ?
     ORDER BY path LIMIT ?`,
    workspaceId,
    META_PROMPT_PATH,
    page.after,
    page.limit,
  );
}

/** A published workflow as another door sees it: `steps` and whatever else its front matter says. */
export interface PublishedWorkflow {
  id: string;
  path: string;
  name: string;
  hash: string;
  description: string | null;
  frontMatter: Record<string, unknown>;
  /** The Markdown after the front matter. */
  body: string;
}

export function workflowsOf(database: Database, workspaceId: string): PublishedWorkflow[] {
  return database
    .all<LibraryFile & { text: string }>(
      `SELECT file.*, content.text FROM library_file AS file JOIN library_text AS content USING (hash)
       WHERE file.workspace_id = ? AND file.deleted = 0 AND file.kind = 'workflow' ORDER BY file.path`,
      workspaceId,
    )
    .map(workflowFrom);
}

/** By id, path or name; names are compared without regard to case. */
export function findWorkflow(
  database: Database,
  workspaceId: string,
  wanted: string,
): PublishedWorkflow | undefined {
  const all = workflowsOf(database, workspaceId);
  const lower = wanted.toLowerCase();
  return (
    all.find(({ id, path }) => id === wanted || path === wanted) ??
    all.find(({ name, path }) => name.toLowerCase() === lower || promptName(path).toLowerCase() === lower)
  );
}

function workflowFrom(file: LibraryFile & { text: string }): PublishedWorkflow {
  const { values, body } = readFrontMatter(file.text);
  return {
    id: file.id,
    path: file.path,
    name: nameOf(file.path),
    hash: file.hash,
    description: file.description,
    frontMatter: values,
    body,
  };
}

/** "cmd/DEPLOY" of `workflow/cmd/DEPLOY.md`: unlike the name alone it is unique. */
export function promptName(path: string): string {
  return path.replace(/^workflow\//, '').replace(/\.[^./]+$/, '');
}
