import type { Scope } from '@infold/protocol';
import type { LibraryDraft } from '../queries.ts';
import { isOpen } from './words.ts';

export type ReviewStep = 'submit' | 'approve' | 'publish' | 'decline' | 'discard';

interface Reader {
  may(scope: Scope): boolean;
  isOwn: boolean;
}

/** What somebody may do with a draft as it is. A conflict is resolved first. */
export function stepsFor(
  draft: Pick<LibraryDraft, 'status' | 'op' | 'protected'> & { conflict: unknown },
  { may, isOwn }: Reader,
): { steps: ReviewStep[]; mayEdit: boolean } {
  const { status, op } = draft;
  const isDrafter = may('write') && (isOwn || may('admin'));
  const isCurrent = draft.conflict === null;
  const steps: ReviewStep[] = [];
  if (status === 'draft' && isDrafter && isCurrent) steps.push('submit');
  const needsMore = draft.protected?.some(({ approvals, approved_by }) => approved_by.length < approvals);
  const isApprovable = status === 'in_review' || (status === 'approved' && needsMore);
  if (isApprovable && may('review')) steps.push('approve');
  if (status === 'approved' && may('review') && isCurrent && !needsMore) steps.push('publish');
  if ((status === 'in_review' || status === 'approved') && may('review')) steps.push('decline');
  if (isOpen(draft) && isDrafter) steps.push('discard');
  const hasText = op === 'create' || op === 'update';
  return { steps, mayEdit: isOpen(draft) && isOwn && may('write') && hasText && isCurrent };
}
