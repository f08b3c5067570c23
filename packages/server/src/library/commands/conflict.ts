import { type ConflictReason, type FileVersion, META_PROMPT_PATH } from '@infold/protocol';
import { InfoldError } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { type Draft, draftPath } from '../queries/drafts.ts';
import { fileById, fileByPath, type LibraryFile, metaPrompt, textByHash } from '../queries/files.ts';

/** What the draft began from, what is published now, and what the draft wants. */
export interface Conflict {
  draft_id: string;
  draft_path: string;
  reason: ConflictReason;
  base: FileVersion | null;
  published: FileVersion | null;
  draft: FileVersion | null;
}

/** The file that a draft would change, as it is published now. */
export function publishedOf(
  database: Database,
  draft: Draft,
): Pick<LibraryFile, 'id' | 'path' | 'hash' | 'kind'> | undefined {
  if (draft.resource === 'mpf') {
    const { hash, published } = metaPrompt(database, draft.workspace_id);
    // Every workspace has a meta prompt: one that nobody published can be replaced, but not created over.
    if (draft.op === 'create' && !published) return undefined;
    return { id: META_PROMPT_PATH, path: META_PROMPT_PATH, hash, kind: 'rule' };
  }
  if (draft.op === 'create') return fileByPath(database, draft.workspace_id, draft.path);
  return draft.file_id === null ? undefined : fileById(database, draft.workspace_id, draft.file_id);
}

/** LIB-12: why a draft cannot be published on what is there now; undefined when it can. */
export function conflictOf(database: Database, draft: Draft): Conflict | undefined {
  const published = publishedOf(database, draft);
  const reason = reasonOf(database, draft, published);
  if (!reason) return undefined;
  const taken =
    reason === 'path_taken' ? fileByPath(database, draft.workspace_id, draftPath(draft)) : undefined;
  return {
    draft_id: draft.id,
    draft_path: draftPath(draft),
    reason,
    base: version(database, draft.path, draft.base_hash),
    published:
      published || taken ? version(database, (taken ?? published)!.path, (taken ?? published)!.hash) : null,
    draft: version(database, draftPath(draft), draft.hash),
  };
}

function reasonOf(
  database: Database,
  draft: Draft,
  published: { id: string; path: string; hash: string } | undefined,
): ConflictReason | undefined {
  if (draft.op === 'create') return published ? 'path_taken' : undefined;
  if (!published) return 'deleted';
  if (published.hash !== draft.base_hash) return 'changed';
  if (draft.op === 'rename') {
    if (published.path !== draft.path) return 'renamed';
    if (fileByPath(database, draft.workspace_id, draft.new_path!)) return 'path_taken';
  }
  return undefined;
}

function version(database: Database, path: string, hash: string | null): FileVersion | null {
  if (hash === null) return null;
  const content = textByHash(database, hash) ?? defaultText(database, hash);
  return { path, hash, content };
}

/** The text that every workspace begins with was never published, so it is not among the texts. */
function defaultText(database: Database, hash: string): string {
  const start = metaPrompt(database, '');
  return start.hash === hash ? start.text : '';
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

export function checkNoConflict(database: Database, drafts: readonly Draft[]): void {
  const conflicts = drafts.flatMap((draft) => conflictOf(database, draft) ?? []);
  if (conflicts.length > 0) throw conflictError(conflicts);
}
