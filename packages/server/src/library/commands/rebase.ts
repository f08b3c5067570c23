import { changedSince, invalid } from '../errors.ts';
import type { DraftStaged } from '../events.ts';
import { checkContent } from '../files/content.ts';
import { describeFile, resourceOf } from '../files/describe.ts';
import { contentHash } from '../files/hashes.ts';
import { mergeTexts } from '../files/merge.ts';
import type { ReviewState, ReviewStateWithTexts } from '../queries/command-state.ts';
import type { Draft } from '../queries/drafts.ts';
import { type Conflict, conflictOf, rebaseRefused } from './conflict.ts';
import { checkStep, type LibraryDecision } from './review.ts';

export interface RebaseWish {
  /** Whose content wins where both changed the same lines. */
  take: 'draft' | 'published' | undefined;
  /** Or the content itself, merged by hand. */
  body: string | undefined;
  /** The hash of what was published when somebody decided this. */
  onto?: string | undefined;
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
export function planRebase(state: ReviewStateWithTexts, wish: RebaseWish): RebasePlan {
  const { take, body, onto, mostBytes } = wish;
  const { draft, published } = state;
  checkStep(draft, 'rebase');
  if (onto !== undefined && published?.hash !== onto) throw changedSince('What is published');
  const seen = versionsSeen(state);
  const conflict = conflictOf(state);
  if (!conflict && body === undefined) return { text: undefined, isCurrent: true, seen };
  if (body !== undefined) checkContent(body, mostBytes);
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
function versionsSeen({ draft, published, atPath }: ReviewState): string {
  const { op, status, path, new_path, base_hash, hash } = draft;
  const now = published && [published.id, published.path, published.hash, published.kind];
  return JSON.stringify([op, status, path, new_path, base_hash, hash, now, atPath?.id, atPath?.hash]);
}

/**
 * Puts a draft onto what is published, as it was planned; `isOutdated` when something has changed since. A draft
 * that was in review is a draft again: what was read has changed.
 */
export function rebaseDraft(
  state: ReviewState,
  plan: RebasePlan,
): LibraryDecision<{ rebased: boolean; isOutdated: boolean }> {
  const { draft, published } = state;
  checkStep(draft, 'rebase');
  const isOutdated = versionsSeen(state) !== plan.seen;
  if (isOutdated || plan.isCurrent) return { events: [], answer: { rebased: false, isOutdated } };
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
