import type { DraftStatus } from '@infold/protocol';
import type { Decision } from '../../journal/journal.ts';
import { draftState, ownDraft } from '../errors.ts';
import type { LibraryEvent } from '../events.ts';
import { checkPath } from '../files/paths.ts';
import type { ReviewStateWithTexts } from '../queries/command-state.ts';
import { type Draft, draftPath } from '../queries/drafts.ts';
import { checkNoConflict } from './conflict.ts';

/** What is to be written to the library, and what the caller is answered. Decisions see states, not databases. */
export type LibraryDecision<Answer> = Decision<Answer> & { events: LibraryEvent[] };
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

export function checkStep({ status }: Draft, step: ReviewStep): void {
  if (!STEPS[step].includes(status)) throw draftState(status, NEEDED[step]);
}

export function submitDraft(state: ReviewStateWithTexts, sessionId: string | null): LibraryDecision<null> {
  const { draft } = state;
  checkStep(draft, 'submit');
  if (draft.op !== 'delete') checkPath(draftPath(draft));
  checkNoConflict([state]);
  const data = { ...on(draft), session_id: sessionId, path: draftPath(draft) };
  return { events: [{ type: 'draft.submitted', data }], answer: null };
}

export function discardDraft(
  draft: Draft,
  { action, sessionId }: { action: 'discard' | 'delete'; sessionId: string | null },
): LibraryDecision<null> {
  checkStep(draft, 'discard');
  const data = { ...on(draft), action, path: draftPath(draft), session_id: sessionId };
  return { events: [{ type: 'draft.discarded', data }], answer: null };
}

export function commentDraft(draft: Draft, text: string): LibraryDecision<null> {
  checkStep(draft, 'comment');
  return { events: [{ type: 'draft.commented', data: { ...on(draft), text } }], answer: null };
}

/** Who decides, and whether that may be about drafts of their own. */
export interface Approver {
  principal: string;
  selfApproval: boolean;
}

export function decideDraft(
  draft: Draft,
  step: 'approve' | 'decline',
  note: string | null,
  by: Approver,
): LibraryDecision<null> {
  checkStep(draft, step);
  if (step === 'approve' && !by.selfApproval && draft.principal === by.principal) throw ownDraft();
  const type = step === 'approve' ? 'draft.approved' : 'draft.declined';
  return { events: [{ type, data: { ...on(draft), note } }], answer: null };
}

function on(draft: Draft) {
  return { draft_id: draft.id, workspace_id: draft.workspace_id };
}
