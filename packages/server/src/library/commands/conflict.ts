import type { ConflictReason, FileVersion } from '@infold/protocol';
import { InfoldError } from '../../kernel/errors.ts';
import type { ReviewState, ReviewStateWithTexts } from '../queries/command-state.ts';
import { type Draft, draftPath } from '../queries/drafts.ts';

/** What the draft began from, what is published now, and what the draft wants. */
export interface Conflict {
  draft_id: string;
  draft_path: string;
  reason: ConflictReason;
  base: FileVersion | null;
  published: FileVersion | null;
  draft: FileVersion | null;
}

/** LIB-12: why a draft cannot be published on what is there now; undefined when it can. */
export function conflictReason({ draft, published, atPath }: ReviewState): ConflictReason | undefined {
  if (draft.op === 'create') return published ? 'path_taken' : undefined;
  if (!published) return 'deleted';
  if (published.hash !== draft.base_hash) return 'changed';
  if (draft.op === 'rename') {
    if (published.path !== draft.path) return 'renamed';
    if (atPath) return 'path_taken';
  }
  return undefined;
}

export function conflictOf(state: ReviewStateWithTexts): Conflict | undefined {
  const reason = conflictReason(state);
  if (!reason) return undefined;
  const { draft, published, atPath, texts } = state;
  const inTheWay = (reason === 'path_taken' ? atPath : undefined) ?? published;
  const version = (path: string, hash: string | null): FileVersion | null =>
    hash === null ? null : { path, hash, content: texts.get(hash) ?? '' };
  return {
    draft_id: draft.id,
    draft_path: draftPath(draft),
    reason,
    // What it was made from may have been published elsewhere, or in a past that this workspace no longer has.
    base: texts.get(draft.base_hash ?? '') === undefined ? null : version(draft.path, draft.base_hash),
    published: inTheWay ? version(inTheWay.path, inTheWay.hash) : null,
    draft: version(draftPath(draft), draft.hash),
  };
}

const REASONS: Record<ConflictReason, string> = {
  changed: 'the published file has changed since the draft was made',
  deleted: 'the published file was deleted',
  renamed: 'the published file was renamed',
  path_taken: 'another file is at its path now',
};

export function conflictError(conflicts: readonly Conflict[]): InfoldError {
  const said = conflicts.map(({ draft_path, reason }) => `${draft_path}: ${REASONS[reason]}`).join('; ');
  return new InfoldError('conflict', `Conflict: ${said}. Rebase the draft, or discard it`, {
    retryable: true,
    details: { retryAction: 'rebase', conflicts },
  });
}

/** A rebase that cannot go on says what to send instead, for REST and for the command line. */
export function rebaseRefused(conflict: Conflict, { op }: Draft): InfoldError {
  const { draft_path, reason } = conflict;
  const [instead, retryAction] =
    op === 'create' || op === 'update'
      ? [
          'both changed the same lines. Send take: "draft" or take: "published", or body with the merged content ' +
            '(--take draft, --take published or --body FILE)',
          'rebase_with_take_or_body',
        ]
      : reason === 'path_taken'
        ? [
            `${REASONS[reason]}. Rename the draft again to a path that is free, or discard it`,
            'rename_or_discard',
          ]
        : [`${REASONS[reason]}, so there is nothing left to ${op}. Discard the draft`, 'discard'];
  return new InfoldError('conflict', `${draft_path} cannot be rebased: ${instead}`, {
    retryable: true,
    details: { retryAction, conflicts: [conflict] },
  });
}

export function checkNoConflict(states: readonly ReviewStateWithTexts[]): void {
  const conflicts = states.flatMap((state) => conflictOf(state) ?? []);
  if (conflicts.length > 0) throw conflictError(conflicts);
}
