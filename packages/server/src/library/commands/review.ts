import type { DiffSide, DraftStatus } from '@infold/protocol';
import type { Decision } from '../../journal/journal.ts';
import { changedSince, draftState, invalid, notReviewer, ownDraft } from '../errors.ts';
import type { LibraryEvent, Protection } from '../events.ts';
import { linesOf } from '../files/merge.ts';
import { checkPath } from '../files/paths.ts';
import type { DraftProtection, ReviewState, ReviewStateWithTexts } from '../queries/command-state.ts';
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

/** What a diff of the draft compares: with what is published now; once closed, with what it was made from. */
export function diffSides({ draft, published }: ReviewState): Record<DiffSide, string | null> {
  const against = draft.live === 1 ? published?.hash : draft.base_hash;
  return { draft: draft.hash, published: against ?? null };
}

export interface Remark {
  text: string;
  /** The whole draft is meant without it. */
  line?: number | undefined;
  side?: DiffSide | undefined;
  /** Of the version that the line was seen in. */
  hash?: string | undefined;
}

export function commentDraft(
  state: ReviewStateWithTexts,
  { text, line, side, hash }: Remark,
): LibraryDecision<null> {
  const { draft } = state;
  checkStep(draft, 'comment');
  const place = line === undefined ? {} : { on: placeOf(state, line, side ?? 'draft', hash) };
  return { events: [{ type: 'draft.commented', data: { ...on(draft), text, ...place } }], answer: null };
}

function placeOf(state: ReviewStateWithTexts, line: number, side: DiffSide, seen: string | undefined) {
  const hash = diffSides(state)[side];
  if (seen !== undefined && hash !== seen) {
    throw changedSince(side === 'draft' ? 'The draft' : 'What is published');
  }
  const lines = hash === null ? 0 : linesOf(state.texts.get(hash) ?? '').length;
  if (hash === null || line > lines) {
    throw invalid(`line: there is no line ${line} on the side "${side}", which has ${lines}`);
  }
  return { side, line, hash };
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
  { protections, approvers }: DraftProtection = { protections: [], approvers: [] },
): LibraryDecision<null> {
  // A protected path may need more than one approval.
  const isFurther = step === 'approve' && draft.status === 'approved' && protections.length > 0;
  if (!isFurther) checkStep(draft, step);
  else if (approvers.includes(by.principal)) throw draftState('approved', 'you have approved it already');
  const counts = ({ reviewers }: Protection) => reviewers.length === 0 || reviewers.includes(by.principal);
  if (step === 'approve' && protections.length > 0 && !protections.some(counts))
    throw notReviewer(draftPath(draft), protections);
  if (step === 'approve' && !by.selfApproval && draft.principal === by.principal) throw ownDraft();
  const type = step === 'approve' ? 'draft.approved' : 'draft.declined';
  return { events: [{ type, data: { ...on(draft), note } }], answer: null };
}

function on(draft: Draft) {
  return { draft_id: draft.id, workspace_id: draft.workspace_id };
}
