import { type DraftOp, type DraftResource, type FileKind, META_PROMPT_PATH } from '@infold/protocol';
import type { Database } from '../../kernel/sqlite.ts';
import { draftNotFound } from '../errors.ts';
import type { Protection, Selection } from '../events.ts';
import { isMetaPrompt, isMetaPromptName } from '../files/describe.ts';
import { contentHash } from '../files/hashes.ts';
import { protectionsAt } from '../files/protections.ts';
import {
  type Draft,
  type Drafter,
  draftById,
  draftPath,
  findLiveDraft,
  liveDraftAtPath,
  liveDraftOfFile,
  liveDrafts,
} from './drafts.ts';
import {
  DEFAULT_META,
  fileById,
  fileByIdOrGone,
  fileByPath,
  goneFileByPath,
  historyOf,
  type LibraryFile,
  metaPrompt,
  ownFileByPath,
  type Revision,
  revisionOf,
  textByHash,
} from './files.ts';
import { publishedText } from './hub.ts';
import {
  approversOf,
  type OrganisationFile,
  presentFiles,
  protectionsOf,
  selectedAt,
  selectedFiles,
  selectionOf,
} from './workspaces.ts';

/** What commands decide on. They see these states and no database, so each of them is read here, in one transaction. */

/** A workspace, as far as publishing depends on it. */
export interface WorkspaceState {
  revision: number;
  /** Where it selects from the organisation's library; read when asked for. */
  selected?: SelectedState | undefined;
  protections?: readonly Protection[];
}

export interface SelectedState {
  /** Of the file with this id, where it is a selected one. */
  revisionOf(fileId: string): number | undefined;
  presentAt(path: string): (PublishedState & { organisation: number }) | undefined;
  /** What is selected for a path and is not here. */
  wantedAt(path: string): (OrganisationFile & { text: string }) | undefined;
}

export function workspaceState(database: Database, workspaceId: string): WorkspaceState {
  return {
    revision: revisionOf(database, workspaceId),
    selected: selectedState(database, workspaceId),
    protections: protectionsOf(database, workspaceId),
  };
}

function selectedState(database: Database, workspaceId: string): SelectedState | undefined {
  const selecting = selectionOf(database, workspaceId);
  if (!selecting) return undefined;
  return {
    revisionOf: (fileId) => fileById(database, workspaceId, fileId)?.organisation ?? undefined,
    presentAt: (path) => {
      const file = fileByPath(database, workspaceId, path);
      return file && file.organisation !== null ? { ...file, organisation: file.organisation } : undefined;
    },
    wantedAt: (path) => {
      const file = selectedAt(database, selecting, path);
      const text = file && textByHash(database, file.hash);
      return file && text !== undefined && !fileById(database, workspaceId, file.id)
        ? { ...file, text }
        : undefined;
    },
  };
}

/** A workspace that selects, and what its selection has. */
export interface SelectionState {
  revision: number;
  /** What is selected; nothing where nothing is. */
  wanted: readonly OrganisationFile[];
  /** What is published in the workspace, its own and what was selected. */
  present: readonly Pick<LibraryFile, 'id' | 'path' | 'kind' | 'hash' | 'deleted' | 'organisation'>[];
  texts: Pick<ReadonlyMap<string, string>, 'get'>;
}

/** What a selection has, and what the workspace has. */
export function selectionState(
  database: Database,
  { workspaceId, org }: { workspaceId: string; org: string },
  selection: Selection | null,
): SelectionState {
  return {
    revision: revisionOf(database, workspaceId),
    wanted: selection ? selectedFiles(database, org, selection) : [],
    present: presentFiles(database, workspaceId),
    texts: { get: (hash) => textByHash(database, hash) },
  };
}

/** A published file, as far as decisions about drafts look at it. */
export interface PublishedState {
  id: string;
  path: string;
  hash: string;
  kind: FileKind;
  /** Of a selected file: the revision of the organisation's library that it is from. */
  organisation?: number | null;
}

/** A draft, and what is published where it belongs. */
export interface ReviewState {
  draft: Draft;
  /** The file that the draft would change, as it is published now. */
  published: PublishedState | undefined;
  /** The file that is at the path which the draft's file is to have. */
  atPath: PublishedState | undefined;
}

/** The same with the contents of all its versions, by their hashes: read when asked for, since most drafts have no conflict. */
export interface ReviewStateWithTexts extends ReviewState {
  texts: Pick<ReadonlyMap<string, string>, 'get'>;
}

export function reviewState(database: Database, draft: Draft): ReviewState {
  return {
    draft,
    published: publishedFor(database, draft),
    atPath: ownFileByPath(database, draft.workspace_id, draftPath(draft)),
  };
}

export function reviewStateWithTexts(database: Database, draft: Draft): ReviewStateWithTexts {
  return { ...reviewState(database, draft), texts: { get: (hash) => textForDraft(database, draft, hash) } };
}

/** The draft's own text, or one that its workspace has published: that a draft names a hash opens no other text. */
export function textForDraft(database: Database, draft: Draft, hash: string): string | undefined {
  const text =
    hash === draft.hash ? textByHash(database, hash) : publishedText(database, draft.workspace_id, hash);
  return text ?? (hash === DEFAULT_META.hash ? DEFAULT_META.text : undefined);
}

/** The draft as it is now. */
export function draftNow(database: Database, id: string): Draft {
  const draft = draftById(database, id);
  if (!draft) throw draftNotFound(id);
  return draft;
}

/** The file that a draft would change, as it is published now. */
export function publishedFor(database: Database, draft: Draft): PublishedState | undefined {
  if (draft.resource === 'mpf') {
    const { hash, published } = metaPrompt(database, draft.workspace_id);
    // Every workspace has a meta prompt: one that nobody published can be replaced, but not created over.
    if (draft.op === 'create' && !published) return undefined;
    return { id: META_PROMPT_PATH, path: META_PROMPT_PATH, hash, kind: 'rule' };
  }
  if (draft.op === 'create') return ownFileByPath(database, draft.workspace_id, draft.path);
  return draft.file_id === null ? undefined : fileById(database, draft.workspace_id, draft.file_id);
}

/** What protects the paths of a draft, and who has approved it. */
export interface DraftProtection {
  protections: readonly Protection[];
  approvers: readonly string[];
}

/** What protects the paths of a draft, and who has approved it as it is. */
export function draftProtection(database: Database, draft: Draft): DraftProtection {
  const paths = [draft.path, draft.new_path, publishedFor(database, draft)?.path ?? null];
  const protections = protectionsAt(protectionsOf(database, draft.workspace_id), paths);
  return { protections, approvers: approversOf(database, draft.id) };
}

/** What an operation on a draft is about. */
export interface StagingState {
  /** The principal's open draft that goes by the given name. */
  named: Draft | undefined;
  /** What is published by that name, where no draft has it, and the principal's open draft of it. */
  file: PublishedState | undefined;
  ofFile: Draft | undefined;
  /** Whether somebody has published a meta prompt. */
  hasMetaPrompt: boolean;
  /** What is at the path that a new or a renamed file is to have. */
  wanted: { draft: Draft | undefined; file: PublishedState | undefined };
  /** The content of what is renamed. */
  text: string | undefined;
  /** The draft that is submitted, and what is published where it belongs. */
  submitted: ReviewStateWithTexts | undefined;
}

export function stagingState(
  database: Database,
  { workspaceId, principal }: Drafter,
  resource: DraftResource,
  op: DraftOp,
): StagingState {
  // All of the principal's drafts, seen or not: a file has one of them at most.
  const drafter = { workspaceId, principal };
  const id = (op.update ?? op.rename ?? op.delete ?? op.discard ?? op.submit)?.id;
  const path = op.create?.path ?? op.rename?.new_path;
  const named = id === undefined ? undefined : draftNamed(database, drafter, resource, id);
  const file = named || id === undefined ? undefined : fileNamed(database, workspaceId, resource, id);
  const ofFile = file && resource !== 'mpf' ? liveDraftOfFile(database, drafter, file.id) : undefined;
  const hash = (named ?? ofFile)?.hash ?? file?.hash;
  return {
    named,
    file,
    ofFile,
    hasMetaPrompt: resource === 'mpf' && metaPrompt(database, workspaceId).published,
    wanted: {
      draft: path === undefined ? undefined : liveDraftAtPath(database, drafter, path),
      file: path === undefined ? undefined : ownFileByPath(database, workspaceId, path),
    },
    text: op.rename && hash ? textByHash(database, hash) : undefined,
    submitted: op.submit && named && reviewStateWithTexts(database, named),
  };
}

function draftNamed(
  database: Database,
  drafter: Drafter,
  resource: DraftResource,
  id: string,
): Draft | undefined {
  const name = resource === 'mpf' && isMetaPromptName(id) ? META_PROMPT_PATH : id;
  const draft = findLiveDraft(database, drafter, name);
  return draft?.resource === resource ? draft : undefined;
}

function fileNamed(
  database: Database,
  workspaceId: string,
  resource: DraftResource,
  id: string,
): PublishedState | undefined {
  if (resource === 'mpf') {
    if (!isMetaPromptName(id)) return undefined;
    const { hash } = metaPrompt(database, workspaceId);
    return { id: META_PROMPT_PATH, path: META_PROMPT_PATH, hash, kind: 'rule' };
  }
  const file = fileById(database, workspaceId, id) ?? fileByPath(database, workspaceId, id);
  return file && !isMetaPrompt(file.path) ? file : undefined;
}

/** Drafts that are to be published together. */
export interface PublishState extends WorkspaceState {
  /** With who has approved each. */
  drafts: readonly (ReviewStateWithTexts & { gone: GoneFile | undefined; approvers?: readonly string[] })[];
}

/** The file that was last at a path and is gone: when it comes back it is the same one. */
export type GoneFile = Pick<LibraryFile, 'id'>;

export function publishState(database: Database, workspaceId: string, ids: readonly string[]): PublishState {
  const drafts = ids.map((id) => {
    const state = reviewStateWithTexts(database, draftNow(database, id));
    const gone = state.published
      ? undefined
      : goneFileByPath(database, state.draft.workspace_id, draftPath(state.draft));
    return { ...state, gone, approvers: approversOf(database, id) };
  });
  return { ...workspaceState(database, workspaceId), drafts };
}

export interface IncomingFile {
  path: string;
  text: string;
  /** Where it was found, if that is another path than its own. */
  origin?: string;
  /** The path of the published file that this one was, when it moved. */
  movedFrom?: string;
}

/** A file that comes in, and what the library has of it. */
export interface IncomingState extends IncomingFile {
  /** What is published at its path, or where it moved from. */
  known: PublishedState | undefined;
  gone: GoneFile | undefined;
}

export function incomingState(
  database: Database,
  workspaceId: string,
  files: readonly IncomingFile[],
): IncomingState[] {
  return files.map((file) => {
    const there = fileByPath(database, workspaceId, file.path);
    // What differs from a selected file is a file of the workspace's own.
    const isOwn = there?.organisation === null || there?.hash === contentHash(file.text);
    const known =
      (isOwn ? there : undefined) ??
      (file.movedFrom === undefined ? undefined : fileByPath(database, workspaceId, file.movedFrom));
    const gone = known ? undefined : goneFileByPath(database, workspaceId, file.path);
    return { ...file, known, gone };
  });
}

export interface ImportState extends WorkspaceState {
  files: readonly IncomingState[];
  /** The importer's open drafts. */
  drafts: readonly Draft[];
}

export function importState(
  database: Database,
  importer: Drafter,
  files: readonly IncomingFile[],
): ImportState {
  return {
    ...workspaceState(database, importer.workspaceId),
    files: incomingState(database, importer.workspaceId, files),
    drafts: liveDrafts(database, importer),
  };
}

/** A file, and what it was at an earlier revision of its workspace. */
export interface RestoreState extends WorkspaceState {
  history: readonly Revision[];
  /** As it is now, or as it was when it was deleted. */
  file: Pick<LibraryFile, 'id' | 'path' | 'kind' | 'deleted'> | undefined;
  /** What was in force at the revision that is asked for. */
  wanted: { revision: Revision; text: string | undefined } | undefined;
}

export function restoreState(
  database: Database,
  workspaceId: string,
  fileId: string,
  revision: number,
): RestoreState {
  const history = historyOf(database, workspaceId, fileId);
  const wanted = history.findLast((entry) => entry.revision <= revision);
  return {
    ...workspaceState(database, workspaceId),
    history,
    file: fileByIdOrGone(database, workspaceId, fileId),
    wanted: wanted && { revision: wanted, text: textByHash(database, wanted.hash) },
  };
}
