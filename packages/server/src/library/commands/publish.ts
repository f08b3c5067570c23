import { randomUUID } from 'node:crypto';
import { type FileKind, META_PROMPT_PATH } from '@infold/protocol';
import type { Database } from '../../kernel/sqlite.ts';
import { draftState, invalidContent } from '../errors.ts';
import type { FileChange, LibraryPublished, PublicationSource } from '../events.ts';
import { describeFile, isMetaPrompt } from '../files/describe.ts';
import { readFrontMatter } from '../files/front-matter.ts';
import { contentHash } from '../files/hashes.ts';
import { checkPath } from '../files/paths.ts';
import { FORGOTTEN_HASH } from '../forget.ts';
import type { Draft } from '../queries/drafts.ts';
import {
  fileByPath,
  goneFileByPath,
  historyOf,
  type LibraryFile,
  revisionOf,
  textByHash,
} from '../queries/files.ts';
import { checkNoConflict, publishedOf } from './conflict.ts';
import { draftFor, type ReviewDecision } from './review.ts';

/** A file that is about to be published, for whoever has a say in it (the transient door checks `steps`). */
export interface PublishedFile {
  path: string;
  kind: FileKind;
  content: string;
  frontMatter: Record<string, unknown>;
}

/** Answers what is wrong with a file, in sentences; nothing when it may be published. */
export type FileValidator = (file: PublishedFile) => readonly string[];

declare module '../../call/parts.ts' {
  interface Parts {
    /** Other doors' checks of what is published. */
    fileValidators: readonly FileValidator[];
  }
}

export interface PublishTarget {
  workspaceId: string;
  org: string;
  projectId: string;
}

export interface Publication {
  revision: number;
  changes: FileChange[];
}

export function publish(
  database: Database,
  place: PublishTarget,
  validators: readonly FileValidator[],
  what: { source: PublicationSource; changes: FileChange[]; draftIds?: string[]; note?: string | null },
): ReviewDecision<Publication> {
  const { source, changes, draftIds = [], note = null } = what;
  const revision = revisionOf(database, place.workspaceId);
  if (changes.length === 0 && draftIds.length === 0) return { events: [], answer: { revision, changes } };
  for (const change of changes) validate(change, validators);
  const data: LibraryPublished = {
    workspace_id: place.workspaceId,
    org: place.org,
    project_id: place.projectId,
    revision: revision + 1,
    source,
    changes,
    draft_ids: draftIds,
    note,
  };
  return { events: [{ type: 'library.published', data }], answer: { revision: revision + 1, changes } };
}

function validate(change: FileChange, validators: readonly FileValidator[]): void {
  // LIB-15: drafts of earlier versions may have paths that are no longer safe; a file that is there can go.
  if (change.op !== 'delete') checkPath(change.path);
  const problems = problemsOf(change, validators);
  if (problems.length > 0) throw invalidContent(change.path, problems);
}

/** What the other doors have against publishing this. */
export function problemsOf(change: FileChange, validators: readonly FileValidator[]): string[] {
  if (validators.length === 0 || change.op === 'delete' || change.text === undefined) return [];
  const { path, kind, text } = change;
  const file = { path, kind, content: text, frontMatter: readFrontMatter(text).values };
  return validators.flatMap((validator) => validator(file));
}

/** LIB-12: the base is checked here again, inside the transaction that publishes. */
export function publishDrafts(
  database: Database,
  place: PublishTarget,
  validators: readonly FileValidator[],
  ids: readonly string[],
  note: string | null,
): ReviewDecision<Publication> {
  const drafts = ids.map((id) => draftFor(database, id, 'publish'));
  checkNoConflict(database, drafts);
  const changes = drafts.map((draft) => changeOf(database, draft));
  const said = note ?? (drafts.length === 1 ? drafts[0]!.description : null);
  return publish(database, place, validators, { source: 'draft', changes, draftIds: [...ids], note: said });
}

function changeOf(database: Database, draft: Draft): FileChange {
  if (draft.hash === FORGOTTEN_HASH) throw draftState('forgotten', 'there is nothing left to publish');
  const published = publishedOf(database, draft);
  const path = draft.new_path ?? published?.path ?? draft.path;
  const described = { group: draft.file_group, description: draft.file_description };
  if (draft.op === 'delete') {
    return {
      op: 'delete',
      file_id: published!.id,
      kind: draft.kind,
      path,
      previous_path: null,
      hash: published!.hash,
      ...described,
    };
  }
  const text = textByHash(database, draft.hash!);
  return {
    op: published || draft.op !== 'create' ? draft.op : 'create',
    file_id: published?.id ?? newFileId(database, draft.workspace_id, path, draft.kind),
    kind: draft.kind,
    path,
    previous_path: draft.op === 'rename' ? published!.path : null,
    hash: draft.hash!,
    ...described,
    ...(draft.origin === null ? {} : { origin: draft.origin }),
    // A rename keeps the content, which is there already.
    ...(draft.op === 'rename' || text === undefined ? {} : { text }),
  };
}

/** A file that comes back to the path where it was is the same file. */
function newFileId(database: Database, workspaceId: string, path: string, kind: FileKind): string {
  if (isMetaPrompt(path)) return META_PROMPT_PATH;
  const prefix = kind === 'context' ? 'ctx-' : 'p-';
  const gone = goneFileByPath(database, workspaceId, path);
  return gone?.id.startsWith(prefix) ? gone.id : prefix + randomUUID();
}

export interface IncomingFile {
  path: string;
  text: string;
  /** Where it was found, if that is another path than its own. */
  origin?: string;
  /** The path of the published file that this one was, when it moved. */
  movedFrom?: string;
}

/** What importing files changes: nothing for those that are as published. Ids stay (LIB-16). */
export function importChanges(
  database: Database,
  workspaceId: string,
  files: readonly IncomingFile[],
): FileChange[] {
  return files.flatMap(({ path, text, origin, movedFrom }) => {
    const hash = contentHash(text);
    const known =
      fileByPath(database, workspaceId, path) ??
      (movedFrom === undefined ? undefined : fileByPath(database, workspaceId, movedFrom));
    if (known && known.path === path && known.hash === hash) return [];
    const { kind, group, description } = describeImported(path, text, known);
    const moved = known && known.path !== path;
    return [
      {
        op: moved ? 'rename' : known ? 'update' : 'create',
        file_id: known?.id ?? newFileId(database, workspaceId, path, kind),
        kind,
        path,
        previous_path: moved ? known.path : null,
        hash,
        group,
        description,
        ...(origin === undefined ? {} : { origin }),
        text,
      } satisfies FileChange,
    ];
  });
}

/** A file that was drafted as context outside `context/` stays context unless it says otherwise itself. */
function describeImported(path: string, text: string, known: LibraryFile | undefined) {
  const described = describeFile(path, text);
  const says = readFrontMatter(text).values.kind;
  const stays = known?.path === path && described.kind === 'rule' && says === undefined;
  return stays ? { ...described, kind: known.kind } : described;
}

/** Publishes what a file was at an earlier revision of the workspace; a deleted file comes back. */
export function restoreChange(
  database: Database,
  workspaceId: string,
  fileId: string,
  revision: number,
): FileChange | undefined {
  if (revision > revisionOf(database, workspaceId)) return undefined;
  const wanted = historyOf(database, workspaceId, fileId).findLast((entry) => entry.revision <= revision);
  if (!wanted || wanted.op === 'delete') return undefined;
  const now = database.get<LibraryFile>(
    'SELECT * FROM library_file WHERE workspace_id = ? AND id = ?',
    workspaceId,
    fileId,
  )!;
  const text = textByHash(database, wanted.hash)!;
  const { group, description } = describeFile(wanted.path, text);
  // The path stays as it is now: a restore brings content back, it does not move a file.
  const path = now.deleted === 1 ? wanted.path : now.path;
  return {
    op: now.deleted === 1 ? 'create' : 'update',
    file_id: fileId,
    kind: now.deleted === 1 ? wanted.kind : now.kind,
    path,
    previous_path: null,
    hash: wanted.hash,
    group,
    description,
    text,
  };
}
