import type { DraftStatus } from '@infold/protocol';
import type { Decision } from '../../journal/journal.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { checkContent } from '../content.ts';
import { describeFile } from '../describe.ts';
import { draftNotFound, draftState, invalid } from '../errors.ts';
import type { DraftStaged, LibraryEvent } from '../events.ts';
import { contentHash } from '../hashes.ts';
import { mergeTexts } from '../merge.ts';
import { type Draft, draftById } from '../queries/drafts.ts';
import { checkNoConflict, conflictError, conflictOf, publishedOf } from './conflict.ts';
import { resourceOf } from './draft.ts';

export type ReviewDecision<Answer> = Decision<Answer> & { events: LibraryEvent[] };
export type ReviewStep = 'submit' | 'approve' | 'decline' | 'comment' | 'rebase' | 'publish';

const LIVE: readonly DraftStatus[] = ['draft', 'in_review', 'approved'];
/** From which states each step can be taken. */
export const STEPS: Record<ReviewStep, readonly DraftStatus[]> = {
  submit: ['draft'],
  approve: ['in_review'],
  decline: ['in_review', 'approved'],
  publish: ['approved'],
  rebase: LIVE,
  comment: [...LIVE, 'declined', 'published', 'discarded'],
};

const NEEDED: Record<ReviewStep, string> = {
  submit: 'only a draft that is not yet in review can be submitted',
  approve: 'only a submitted draft can be approved',
  decline: 'only a submitted draft can be declined',
  publish: 'it must be submitted and approved first',
  rebase: 'only an open draft can be rebased',
  comment: '',
};

/** The draft as it is now, if the step can be taken. */
export function draftFor(database: Database, id: string, step: ReviewStep): Draft {
  const draft = draftById(database, id);
  if (!draft) throw draftNotFound(id);
  if (!STEPS[step].includes(draft.status)) throw draftState(draft.status, NEEDED[step]);
  return draft;
}

export function submitDraft(database: Database, id: string): ReviewDecision<null> {
  const draft = draftFor(database, id, 'submit');
  checkNoConflict(database, [draft]);
  return { events: [{ type: 'draft.submitted', data: on(draft) }], answer: null };
}

export function commentDraft(database: Database, id: string, text: string): ReviewDecision<null> {
  const draft = draftFor(database, id, 'comment');
  return { events: [{ type: 'draft.commented', data: { ...on(draft), text } }], answer: null };
}

export function decideDraft(
  database: Database,
  id: string,
  step: 'approve' | 'decline',
  note: string | null,
): ReviewDecision<null> {
  const draft = draftFor(database, id, step);
  const type = step === 'approve' ? 'draft.approved' : 'draft.declined';
  return { events: [{ type, data: { ...on(draft), note } }], answer: null };
}

export interface Rebase {
  /** Whose content wins where both changed the same lines. */
  take: 'draft' | 'published' | undefined;
  /** Or the content itself, merged by hand. */
  body: string | undefined;
  mostBytes: number;
}

/**
 * Puts a draft onto what is published now. Changes to different lines are merged; where both changed the same
 * lines the caller must say what to take. A draft that was in review is a draft again: what was read has changed.
 */
export function rebaseDraft(
  database: Database,
  id: string,
  { take, body, mostBytes }: Rebase,
): ReviewDecision<{ rebased: boolean }> {
  const draft = draftFor(database, id, 'rebase');
  const conflict = conflictOf(database, draft);
  if (!conflict && body === undefined) return { events: [], answer: { rebased: false } };
  if (body !== undefined) checkContent(body, mostBytes);
  const published = publishedOf(database, draft);
  if (conflict?.reason === 'path_taken' && draft.op === 'rename') throw conflictError([conflict]);
  if (!published && draft.op !== 'create' && draft.op !== 'update') throw conflictError([conflict!]);
  if (published && resourceOf(published.kind) !== draft.resource && draft.resource !== 'mpf') {
    throw invalid(`The file at ${published.path} is of another kind; discard this draft and make a new one`);
  }
  const text = body ?? rebasedText(draft, conflict);
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
  return { events: [{ type: 'draft.rebased', data }], answer: { rebased: true } };

  /** Undefined where the draft says nothing about the content. */
  function rebasedText(draft: Draft, conflict: ReturnType<typeof conflictOf>): string | undefined {
    if (draft.op === 'rename' || draft.op === 'delete') return undefined;
    const [mine, theirs] = [conflict!.draft!.content, conflict!.published?.content];
    if (theirs === undefined || take === 'draft') return mine;
    if (take === 'published') return theirs;
    const merged = mergeTexts(conflict!.base?.content ?? '', mine, theirs);
    if ('conflicts' in merged) throw conflictError([conflict!]);
    return merged.text;
  }
}

function on(draft: Draft) {
  return { draft_id: draft.id, workspace_id: draft.workspace_id };
}
