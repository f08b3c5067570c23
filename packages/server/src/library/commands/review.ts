import type { DraftStatus } from '@infold/protocol';
import type { Decision } from '../../journal/journal.ts';
import type { Config } from '../../kernel/config.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { draftNotFound, draftState, invalid, ownDraft } from '../errors.ts';
import type { DraftStaged, LibraryEvent } from '../events.ts';
import { checkContent } from '../files/content.ts';
import { describeFile, resourceOf } from '../files/describe.ts';
import { contentHash } from '../files/hashes.ts';
import { mergeTexts } from '../files/merge.ts';
import { checkPath } from '../files/paths.ts';
import { type Draft, draftById, draftPath } from '../queries/drafts.ts';
import { fileByPath } from '../queries/files.ts';
import { type Conflict, checkNoConflict, conflictOf, publishedOf, rebaseRefused } from './conflict.ts';

export type ReviewDecision<Answer> = Decision<Answer> & { events: LibraryEvent[] };
export type ReviewStep = 'submit' | 'approve' | 'decline' | 'comment' | 'rebase' | 'publish' | 'discard';

const LIVE: readonly DraftStatus[] = ['draft', 'in_review', 'approved'];
/** From which states each step can be taken. */
export const STEPS: Record<ReviewStep, readonly DraftStatus[]> = {
  submit: ['draft'],
  approve: ['in_review'],
  decline: ['in_review', 'approved'],
  publish: ['approved'],
  rebase: LIVE,
  discard: LIVE,
  comment: [...LIVE, 'declined', 'published', 'discarded'],
};

const NEEDED: Record<ReviewStep, string> = {
  submit: 'only a draft that is not yet in review can be submitted',
  approve: 'only a submitted draft can be approved',
  decline: 'only a submitted draft can be declined',
  publish: 'it must be submitted and approved first',
  rebase: 'only an open draft can be rebased',
  discard: 'only an open draft can be discarded',
  comment: '',
};

/** The draft as it is now, if the step can be taken. */
export function draftFor(database: Database, id: string, step: ReviewStep): Draft {
  const draft = draftById(database, id);
  if (!draft) throw draftNotFound(id);
  if (!STEPS[step].includes(draft.status)) throw draftState(draft.status, NEEDED[step]);
  return draft;
}

export function submitDraft(database: Database, id: string, sessionId: string | null): ReviewDecision<null> {
  const draft = draftFor(database, id, 'submit');
  if (draft.op !== 'delete') checkPath(draftPath(draft));
  checkNoConflict(database, [draft]);
  const data = { ...on(draft), session_id: sessionId, path: draftPath(draft) };
  return { events: [{ type: 'draft.submitted', data }], answer: null };
}

export function discardDraft(
  database: Database,
  id: string,
  { action, sessionId }: { action: 'discard' | 'delete'; sessionId: string | null },
): ReviewDecision<null> {
  const draft = draftFor(database, id, 'discard');
  const data = { ...on(draft), action, path: draftPath(draft), session_id: sessionId };
  return { events: [{ type: 'draft.discarded', data }], answer: null };
}

export function commentDraft(database: Database, id: string, text: string): ReviewDecision<null> {
  const draft = draftFor(database, id, 'comment');
  return { events: [{ type: 'draft.commented', data: { ...on(draft), text } }], answer: null };
}

/** Who decides, and whether that may be about drafts of their own. */
export interface Approver {
  principal: string;
  selfApproval: boolean;
}

export function approverIn({ library }: Config, { principal }: Caller): Approver {
  return { principal, selfApproval: library.selfApproval !== false };
}

export function decideDraft(
  database: Database,
  id: string,
  step: 'approve' | 'decline',
  note: string | null,
  by: Approver,
): ReviewDecision<null> {
  const draft = draftFor(database, id, step);
  if (step === 'approve' && !by.selfApproval && draft.principal === by.principal) throw ownDraft();
  const type = step === 'approve' ? 'draft.approved' : 'draft.declined';
  return { events: [{ type, data: { ...on(draft), note } }], answer: null };
}

export interface RebaseWish {
  /** Whose content wins where both changed the same lines. */
  take: 'draft' | 'published' | undefined;
  /** Or the content itself, merged by hand. */
  body: string | undefined;
  mostBytes: number;
}

/** What a draft would hold on what is published, and the versions that this was worked out from. */
export interface RebasePlan {
  /** Undefined where the draft says nothing about the content. */
  text: string | undefined;
  /** There is nothing to do: the draft builds on what is published. */
  isCurrent: boolean;
  seen: string;
}

/**
 * Works out what a draft becomes on what is published now. Changes to different lines are merged; where both
 * changed the same lines the caller must say what to take. Merging takes time, so this is done before the
 * transaction that writes it down.
 */
export function planRebase(database: Database, id: string, wish: RebaseWish): RebasePlan {
  const draft = draftFor(database, id, 'rebase');
  const { take, body, mostBytes } = wish;
  const seen = versionsSeen(database, draft);
  const conflict = conflictOf(database, draft);
  if (!conflict && body === undefined) return { text: undefined, isCurrent: true, seen };
  if (body !== undefined) checkContent(body, mostBytes);
  const published = publishedOf(database, draft);
  const isStuck =
    (conflict?.reason === 'path_taken' && draft.op === 'rename') ||
    (!published && draft.op !== 'create' && draft.op !== 'update');
  if (conflict && isStuck) throw rebaseRefused(conflict, draft);
  if (published && resourceOf(published.kind) !== draft.resource && draft.resource !== 'mpf') {
    throw invalid(`The file at ${published.path} is of another kind; discard this draft and make a new one`);
  }
  return { text: body ?? mergedText(draft, conflict!, take), isCurrent: false, seen };
}

function mergedText(draft: Draft, conflict: Conflict, take: RebaseWish['take']): string | undefined {
  if (draft.op === 'rename' || draft.op === 'delete') return undefined;
  const [mine, theirs] = [conflict.draft!.content, conflict.published?.content];
  if (theirs === undefined || take === 'draft') return mine;
  if (take === 'published') return theirs;
  const merged = mergeTexts(conflict.base?.content ?? '', mine, theirs);
  if ('conflicts' in merged) throw rebaseRefused(conflict, draft);
  return merged.text;
}

/** What a rebase depends on: the draft as it is, and what is published where it wants to be. */
function versionsSeen(database: Database, draft: Draft): string {
  const { op, status, path, new_path, base_hash, hash } = draft;
  const published = publishedOf(database, draft);
  const taken = fileByPath(database, draft.workspace_id, new_path ?? path);
  return JSON.stringify([op, status, path, new_path, base_hash, hash, published, taken?.id, taken?.hash]);
}

/**
 * Puts a draft onto what is published, as it was planned; `isOutdated` when something has changed since. A draft
 * that was in review is a draft again: what was read has changed.
 */
export function rebaseDraft(
  database: Database,
  id: string,
  plan: RebasePlan,
): ReviewDecision<{ rebased: boolean; isOutdated: boolean }> {
  const draft = draftFor(database, id, 'rebase');
  const isOutdated = versionsSeen(database, draft) !== plan.seen;
  if (isOutdated || plan.isCurrent) return { events: [], answer: { rebased: false, isOutdated } };
  const published = publishedOf(database, draft);
  const { text } = plan;
  const hash = draft.op === 'delete' ? null : text === undefined ? published!.hash : contentHash(text);
  const described =
    text === undefined
      ? { group: draft.file_group, description: draft.file_description }
      : describeFile(draft.path, text);
  const data: DraftStaged = {
    draft_id: draft.id,
    workspace_id: draft.workspace_id,
    org: draft.org,
    project_id: draft.project_id,
    principal: draft.principal,
    resource: draft.resource,
    // A new file whose path was taken becomes a change of that file; a change of a deleted file, a new one.
    op:
      draft.op === 'create' && published
        ? 'update'
        : draft.op === 'update' && !published
          ? 'create'
          : draft.op,
    file_id: published?.id ?? null,
    path: published?.path ?? draft.path,
    new_path: draft.new_path,
    base_hash: published?.hash ?? null,
    hash,
    kind: draft.kind,
    group: described.group,
    file_description: described.description,
    description: draft.description,
    ...(text === undefined ? {} : { text }),
    session_id: null,
    secrets: 0,
  };
  return { events: [{ type: 'draft.rebased', data }], answer: { rebased: true, isOutdated: false } };
}

function on(draft: Draft) {
  return { draft_id: draft.id, workspace_id: draft.workspace_id };
}
