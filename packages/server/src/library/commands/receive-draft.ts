import { type DraftResource, type DraftStatus, META_PROMPT_PATH } from '@infold/protocol';
import { invalid } from '../errors.ts';
import type { DraftKind, DraftStaged } from '../events.ts';
import { checkContent } from '../files/content.ts';
import { describeFile, resourceOf } from '../files/describe.ts';
import { contentHash } from '../files/hashes.ts';
import { checkPath } from '../files/paths.ts';
import type { Draft } from '../queries/drafts.ts';
import type { Revision } from '../queries/files.ts';
import { checkKind, checkPlace, type DraftingParty, kindFor } from './draft.ts';
import { discardDraft, type LibraryDecision } from './review.ts';

/** A draft that was staged and submitted somewhere else. */
export interface Proposed {
  resource: DraftResource;
  op: DraftKind;
  file_id: string | null;
  path: string;
  new_path: string | null;
  base_hash: string | null;
  /** Null where the content stays, or goes. */
  body: string | null;
  description: string | null;
}

/** What a hub has of what a draft is about. */
export interface ProposalState {
  /** The draft, where it was received before. */
  before: Draft | undefined;
  /** The file in all its revisions; none where the workspace never had it. */
  history: readonly Pick<Revision, 'path' | 'kind'>[];
  /** What the draft was based on, where the workspace has or had it. */
  baseText: string | undefined;
}

type ReceivedDraft = LibraryDecision<{ status: DraftStatus }>;

/**
 * Puts it in review as it is. That something else was published since is no reason to refuse it: who drafted it could not
 * know, and reviewers see the conflict. The same again changes nothing.
 */
export function receiveDraft(
  { before, history, baseText }: ProposalState,
  party: DraftingParty,
  id: string,
  proposed: Proposed,
): ReceivedDraft {
  const { resource, op, path, new_path, base_hash, body } = proposed;
  const hasText = op === 'create' || op === 'update';
  if (hasText !== (body !== null)) throw invalid(`A draft to ${op} a file has ${hasText ? 'a' : 'no'} body`);
  if ((op === 'rename') !== (new_path !== null))
    throw invalid('A draft has a new path where it renames a file');
  if ((op === 'create') !== (base_hash === null))
    throw invalid('A draft has a base unless it creates a file');
  if (resource === 'mpf' && op === 'rename') throw invalid('The meta prompt cannot be renamed');
  checkFile(proposed, history);
  if (op === 'rename' && baseText === undefined)
    throw invalid('A draft renames a file as it is or was published in this project');
  if (op === 'delete') checkPath(path);
  else checkPlace(resource, new_path ?? path);
  if (body !== null) {
    checkContent(body, party.mostBytes);
    checkKind(resource, body);
  }
  const hash = op === 'delete' ? null : body === null ? base_hash : contentHash(body);
  const isSame =
    before?.op === op && before.path === path && before.new_path === new_path && before.hash === hash;
  if (before && (before.live === 0 || (isSame && before.status !== 'draft'))) {
    return { events: [], answer: { status: before.status } };
  }
  const described = describeFile(new_path ?? path, body ?? baseText ?? '');
  const staged: DraftStaged = {
    ...{ draft_id: id, workspace_id: party.workspaceId, org: party.org, project_id: party.projectId },
    ...{
      principal: party.principal,
      resource,
      op,
      file_id: proposed.file_id,
      path,
      new_path,
      base_hash,
      hash,
    },
    kind: kindFor(resource, described.kind),
    group: described.group,
    file_description: described.description,
    description: proposed.description,
    session_id: null,
    secrets: party.secrets,
    ...(body !== null && { text: body }),
  };
  const on = { draft_id: id, workspace_id: party.workspaceId };
  return {
    events: [
      { type: 'draft.staged', data: staged },
      { type: 'draft.submitted', data: { ...on, session_id: null, path: new_path ?? path } },
    ],
    answer: { status: 'in_review' },
  };
}

/** Reviewers see the path, and what is published goes by the id: they are those of one file. */
function checkFile({ op, resource, file_id, path }: Proposed, history: ProposalState['history']): void {
  if ((op === 'create') !== (file_id === null)) throw invalid('A draft names its file unless it creates one');
  if (op === 'create') return;
  const isMeta = [resource === 'mpf', file_id === META_PROMPT_PATH, path === META_PROMPT_PATH];
  const isOf = (revision: ProposalState['history'][number]) =>
    revision.path === path && (isMeta[0] || resourceOf(revision.kind) === resource);
  if (new Set(isMeta).size > 1 || (history.length > 0 && !history.some(isOf)))
    throw invalid(`The file ${file_id} was never the ${resource} at ${path}`);
}

/** Its drafter took it back. One that is closed, or never came, stays as it is. */
export function withdrawDraft(before: Draft | undefined): ReceivedDraft {
  if (before?.live !== 1) return { events: [], answer: { status: before?.status ?? 'discarded' } };
  const { events } = discardDraft(before, { action: 'discard', sessionId: null });
  return { events, answer: { status: 'discarded' } };
}
