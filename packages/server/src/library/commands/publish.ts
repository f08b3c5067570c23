import { type FileKind, META_PROMPT_PATH } from '@infold/protocol';
import { draftState, invalidContent, ofHub, ofOrganisation, ownDraft, revisionNotFound } from '../errors.ts';
import type { FileChange, HubRevision, LibraryPublished, PublicationSource } from '../events.ts';
import { describeFile, isMetaPrompt } from '../files/describe.ts';
import { readFrontMatter } from '../files/front-matter.ts';
import { checkPath } from '../files/paths.ts';
import { FORGOTTEN_HASH } from '../forget.ts';
import type { GoneFile, PublishState, RestoreState, WorkspaceState } from '../queries/command-state.ts';
import type { Draft } from '../queries/drafts.ts';
import { checkNoConflict } from './conflict.ts';
import { checkProtected } from './protect.ts';
import { checkStep, type LibraryDecision } from './review.ts';

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

/** Where it is published, and who has a say in it. */
export interface PublishTarget {
  workspaceId: string;
  org: string;
  projectId: string;
  validators: readonly FileValidator[];
  /** The address of the hub whose library it is: nobody else publishes there. */
  hubUrl?: string | undefined;
}

/** A fresh UUID for a file that is new. */
export type NewFileId = () => string;

export interface Publication {
  revision: number;
  changes: FileChange[];
}

/** `state` is the workspace's as it is now. */
export function publish(
  state: WorkspaceState,
  target: PublishTarget,
  what: {
    source: PublicationSource;
    changes: FileChange[];
    draftIds?: readonly string[];
    /** Who approved each of the changes, in their order. */
    approvers?: readonly (readonly string[])[];
    note?: string | null;
    /** What the hub's library is when these have arrived. */
    hub?: HubRevision | undefined;
  },
): LibraryDecision<Publication> {
  const { source, draftIds = [], approvers = [], note = null, hub } = what;
  const { revision } = state;
  if (target.hubUrl !== undefined && source !== 'hub') throw ofHub(target.hubUrl);
  if (what.changes.length === 0 && draftIds.length === 0 && !hub)
    return { events: [], answer: { revision, changes: [] } };
  for (const change of what.changes) validate(change, target.validators);
  const isOwn = source !== 'hub' && source !== 'organisation';
  if (isOwn) {
    for (const [index, change] of what.changes.entries())
      checkProtected(state.protections ?? [], change, approvers[index] ?? []);
  }
  const changes = isOwn ? [...what.changes, ...givenWay(state, what.changes)] : what.changes;
  const data: LibraryPublished = {
    workspace_id: target.workspaceId,
    org: target.org,
    project_id: target.projectId,
    revision: revision + 1,
    source,
    changes,
    draft_ids: [...draftIds],
    note,
    ...(hub && { hub }),
  };
  return { events: [{ type: 'library.published', data }], answer: { revision: revision + 1, changes } };
}

/** What becomes of selected files: those whose paths are taken go, and those whose paths are given up come back. */
function givenWay({ selected }: WorkspaceState, changes: readonly FileChange[]): FileChange[] {
  if (!selected) return [];
  for (const { file_id, path } of changes) {
    const revision = selected.revisionOf(file_id);
    if (revision !== undefined) throw ofOrganisation(path, revision);
  }
  const taken = new Set(changes.filter(({ op }) => op !== 'delete').map(({ path }) => path));
  const left = changes.flatMap(({ op, path, previous_path }) =>
    op === 'delete' ? [path] : op === 'rename' ? (previous_path ?? []) : [],
  );
  const plain = { previous_path: null, group: null, description: null };
  const go = [...taken].flatMap((path): FileChange[] => {
    const file = selected.presentAt(path);
    if (!file) return [];
    const { id, kind, hash, organisation } = file;
    return [{ ...plain, op: 'delete', file_id: id, kind, path, hash, organisation }];
  });
  const come = left
    .filter((path) => !taken.has(path))
    .flatMap((path): FileChange[] => {
      const file = selected.wantedAt(path);
      if (!file) return [];
      const { id, kind, hash, revision, text } = file;
      const described = describedAt(path, text);
      return [
        { ...plain, ...described, op: 'create', file_id: id, kind, path, hash, organisation: revision, text },
      ];
    });
  return [...go, ...come];
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

export interface PublishWish {
  note: string | null;
  /** Whether drafters may have approved their own drafts. */
  selfApproval: boolean;
  newFileId: NewFileId;
}

/** LIB-12: the base is checked here again, in the state that is read by the transaction which publishes. */
export function publishDrafts(
  state: PublishState,
  target: PublishTarget,
  { note, selfApproval, newFileId }: PublishWish,
): LibraryDecision<Publication> {
  const { drafts: states } = state;
  const drafts = states.map(({ draft }) => draft);
  // One that was approved before the setting forbade it is no better than one that is approved now.
  const isOwn = ({ status, principal, decided_by }: Draft) =>
    status === 'approved' && decided_by === principal;
  if (!selfApproval && drafts.some(isOwn)) throw ownDraft();
  for (const draft of drafts) checkStep(draft, 'publish');
  checkNoConflict(states);
  return publish(state, target, {
    source: 'draft',
    approvers: states.map(({ draft, approvers = [] }) =>
      approvers.filter((name) => selfApproval || name !== draft.principal),
    ),
    changes: states.map((state) => changeOf(state, newFileId)),
    draftIds: drafts.map(({ id }) => id),
    note: note ?? (drafts.length === 1 ? drafts[0]!.description : null),
  });
}

function changeOf(
  { draft, published, gone, texts }: PublishState['drafts'][number],
  newFileId: NewFileId,
): FileChange {
  if (draft.hash === FORGOTTEN_HASH) throw draftState('forgotten', 'there is nothing left to publish');
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
  const text = texts.get(draft.hash!);
  return {
    op: published || draft.op !== 'create' ? draft.op : 'create',
    file_id: published?.id ?? fileIdFor(path, draft.kind, gone, newFileId),
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
export function fileIdFor(
  path: string,
  kind: FileKind,
  gone: GoneFile | undefined,
  newFileId: NewFileId,
): string {
  if (isMetaPrompt(path)) return META_PROMPT_PATH;
  const prefix = kind === 'context' ? 'ctx-' : 'p-';
  return gone?.id.startsWith(prefix) ? gone.id : prefix + newFileId();
}

/** Publishes what a file was at an earlier revision of the workspace; a deleted file comes back. */
export function restoreRevision(
  state: RestoreState,
  target: PublishTarget,
  { name, revision }: { name: string; revision: number },
): LibraryDecision<Publication> {
  const { revision: current, history, file, wanted } = state;
  const was = wanted?.revision;
  if (revision > current || !file || !was || was.op === 'delete') {
    throw revisionNotFound(name, revision, history);
  }
  const text = wanted.text!;
  const isGone = file.deleted === 1;
  // The path stays as it is now: a restore brings content back, it does not move a file.
  const path = isGone ? was.path : file.path;
  const change: FileChange = {
    op: isGone ? 'create' : 'update',
    file_id: file.id,
    kind: isGone ? was.kind : file.kind,
    path,
    previous_path: null,
    hash: was.hash,
    ...describedAt(was.path, text),
    text,
  };
  return publish(state, target, {
    source: 'restore',
    changes: [change],
    note: `Restored from revision ${revision}`,
  });
}

function describedAt(path: string, text: string) {
  const { group, description } = describeFile(path, text);
  return { group, description };
}
