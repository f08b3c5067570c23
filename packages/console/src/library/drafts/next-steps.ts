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

/** What somebody may do with a draft as it is. A conflict is resolved first. */
export function stepsFor(
  draft: Pick<LibraryDraft, 'status' | 'op' | 'protected'> & { conflict: unknown },
  { may, isOwn, name }: Reader,
): { steps: ReviewStep[]; mayEdit: boolean; why?: string } {
  const { status, op } = draft;
  const isDrafter = may('write') && (isOwn || may('admin'));
  const isCurrent = draft.conflict === null;
  const steps: ReviewStep[] = [];
  if (status === 'draft' && isDrafter && isCurrent) steps.push('submit');
  const needsMore = draft.protected?.some(({ approvals, approved_by }) => approved_by.length < approvals);
  const isApprovable = status === 'in_review' || (status === 'approved' && needsMore);
  const why = isApprovable && may('review') ? refusalOf(draft.protected ?? [], name) : undefined;
  if (isApprovable && may('review') && why === undefined) steps.push('approve');
  if (status === 'approved' && may('review') && isCurrent && !needsMore) steps.push('publish');
  if ((status === 'in_review' || status === 'approved') && may('review')) steps.push('decline');
  if (isOpen(draft) && isDrafter) steps.push('discard');
  const hasText = op === 'create' || op === 'update';
  const mayEdit = isOpen(draft) && isOwn && may('write') && hasText && isCurrent;
  return { steps, mayEdit, ...(why !== undefined && { why }) };
}

/** Why the server would refuse somebody's approval. */
function refusalOf(protections: NonNullable<LibraryDraft['protected']>, name: string | undefined) {
  if (protections.length === 0 || name === undefined) return undefined;
  if (protections.some(({ approved_by }) => approved_by.includes(name))) {
    return 'You have approved it; its path needs more approvals.';
  }
  const counts = protections.some(({ reviewers }) => reviewers.length === 0 || reviewers.includes(name));
  const asked = [...new Set(protections.flatMap(({ reviewers }) => reviewers))].join(', ');
  return counts ? undefined : `Its path is protected: it waits for ${asked}.`;
}
