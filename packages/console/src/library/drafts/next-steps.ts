import type { Scope } from '@infold/protocol';
import type { LibraryDraft } from '../queries.ts';
import { isOpen } from './words.ts';

export type ReviewStep = 'submit' | 'approve' | 'publish' | 'decline' | 'discard';

interface Reader {
  may(scope: Scope): boolean;
  isOwn: boolean;
  /** Who it is: a protected path may have reviewers of its own. */
  name?: string | undefined;
}

type Judged = Pick<LibraryDraft, 'status' | 'op' | 'protected' | 'self_approval' | 'hub'> & {
  conflict: unknown;
  drafted_by?: string;
  decided_by?: string | null;
};

/** What somebody may do with a draft as it is. A conflict is resolved first. */
export function stepsFor(
  draft: Judged,
  { may, isOwn, name }: Reader,
): { steps: ReviewStep[]; mayEdit: boolean; why?: string } {
  const { status, op } = draft;
  const isDrafter = may('write') && (isOwn || may('admin'));
  const isCurrent = draft.conflict === null;
  const steps: ReviewStep[] = [];
  if (status === 'draft' && isDrafter && isCurrent) steps.push('submit');
  const needsMore = draft.protected?.some(({ approvals, approved_by }) => approved_by.length < approvals);
  const isApprovable = status === 'in_review' || (status === 'approved' && needsMore);
  const isWaiting = status === 'in_review' || status === 'approved';
  const isElsewhere = isWaiting && draft.hub !== undefined;
  const isReviewer = may('review') && !isElsewhere;
  // Approved by its author before that was forbidden.
  const isWorthless =
    status === 'approved' && draft.self_approval === false && draft.decided_by === draft.drafted_by;
  const refused = isApprovable && isReviewer ? refusalOf(draft, { isOwn, name }) : undefined;
  if (isApprovable && isReviewer && refused === undefined) steps.push('approve');
  if (status === 'approved' && isReviewer && isCurrent && !needsMore && !isWorthless) steps.push('publish');
  if (isWaiting && isReviewer) steps.push('decline');
  if (isOpen(draft) && isDrafter) steps.push('discard');
  const hasText = op === 'create' || op === 'update';
  const mayEdit = isOpen(draft) && isOwn && may('write') && hasText && isCurrent;
  const why = isElsewhere
    ? `It is reviewed at the hub, ${draft.hub}.`
    : isWorthless && isReviewer
      ? 'Its author approved it, which does not count here: change it, and somebody else approves it.'
      : refused;
  return { steps, mayEdit, ...(why !== undefined && { why }) };
}

/** Why the server would refuse somebody's approval. */
function refusalOf(
  { protected: protections = [], self_approval }: Judged,
  { isOwn, name }: Pick<Reader, 'isOwn' | 'name'>,
): string | undefined {
  if (isOwn && self_approval === false) return 'You wrote it: somebody else approves it.';
  if (protections.length === 0 || name === undefined) return undefined;
  if (protections.some(({ approved_by }) => approved_by.includes(name))) {
    return 'You have approved it; its path needs more approvals.';
  }
  const counts = protections.some(({ reviewers }) => reviewers.length === 0 || reviewers.includes(name));
  const asked = [...new Set(protections.flatMap(({ reviewers }) => reviewers))].join(', ');
  return counts ? undefined : `Its path is protected: it waits for ${asked}.`;
}
