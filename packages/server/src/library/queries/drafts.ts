import { createHash } from 'node:crypto';
import {
  type DiffSide,
  type DraftResource,
  type DraftStatus,
  type FileKind,
  META_PROMPT_PATH,
} from '@infold/protocol';
import type { Database } from '../../kernel/sqlite.ts';
import { admits } from '../../trust/access/rule.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { severalDrafts } from '../errors.ts';
import type { DraftKind } from '../events.ts';

export interface Draft {
  ordinal: number;
  id: string;
  workspace_id: string;
  org: string;
  project_id: string;
  principal: string;
  resource: DraftResource;
  op: DraftKind;
  status: DraftStatus;
  live: number;
  file_id: string | null;
  path: string;
  new_path: string | null;
  base_hash: string | null;
  hash: string | null;
  kind: FileKind;
  file_group: string | null;
  file_description: string | null;
  description: string | null;
  origin: string | null;
  /** The session in which an agent staged it last; null for a person's. */
  session_id: string | null;
  created_at: number;
  updated_at: number;
  decided_by: string | null;
  decided_at: number | null;
  note: string | null;
}

export interface DraftComment {
  at: number;
  principal: string;
  text: string;
  /** Null, as the two below, for a comment on the whole draft. */
  line: number | null;
  side: DiffSide | null;
  hash: string | null;
}

/** Whose drafts are meant. */
export interface Drafter {
  workspaceId: string;
  principal: string;
  /**
   * Only those that lie over what is published in this session: those that it staged itself, but neither
   * deletions nor the meta prompt. Absent for all of the principal's, which is what a session opts in to (LIB-11).
   */
  seenIn?: string | undefined;
}

/** Sees what is published, and no drafts. */
export function nobody(workspaceId: string): Drafter {
  return { workspaceId, principal: '' };
}

const THEIRS = `workspace_id = ?1 AND principal = ?2 AND live = 1
  AND (?3 IS NULL OR (session_id = ?3 AND op <> 'delete' AND resource <> 'mpf'))`;

const values = ({ workspaceId, principal, seenIn }: Drafter) =>
  [workspaceId, principal, seenIn ?? null] as const;

/** Where the draft's file will be. */
export function draftPath(draft: Pick<Draft, 'path' | 'new_path'>): string {
  return draft.new_path ?? draft.path;
}

/** A new file has no id yet: this one stands in for it, and follows from its path. */
export function temporaryId(resource: DraftResource, path: string): string {
  const category = resource === 'mpf' ? 'meta_prompt' : resource;
  const digest = createHash('sha256').update(`${category}:${path}`).digest('hex');
  return `tmp-${resource}-${digest.slice(0, 12)}`;
}

/** The id under which discover and load know the draft's file. */
export function draftItemId(draft: Draft): string {
  if (draft.resource === 'mpf') return META_PROMPT_PATH;
  return draft.file_id ?? temporaryId(draft.resource, draft.path);
}

export function draftById(database: Database, id: string): Draft | undefined {
  return database.get<Draft>('SELECT * FROM library_draft WHERE id = ?', id);
}

export function liveDrafts(database: Database, drafter: Drafter): Draft[] {
  return database.all<Draft>(
    `SELECT * FROM library_draft WHERE ${THEIRS} ORDER BY ordinal`,
    ...values(drafter),
  );
}

export function countLiveDrafts(database: Database, drafter: Drafter): number {
  return database.get<{ count: number }>(
    `SELECT count(*) AS count FROM library_draft WHERE ${THEIRS}`,
    ...values(drafter),
  )!.count;
}

export function liveDraftOfFile(database: Database, drafter: Drafter, fileId: string): Draft | undefined {
  return database.get<Draft>(
    `SELECT * FROM library_draft WHERE ${THEIRS} AND file_id = ?4`,
    ...values(drafter),
    fileId,
  );
}

/** By the path that the draft's file has or is to have. */
export function liveDraftAtPath(database: Database, drafter: Drafter, path: string): Draft | undefined {
  return (
    database.get<Draft>(
      `SELECT * FROM library_draft WHERE ${THEIRS} AND path = ?4 AND new_path IS NULL`,
      ...values(drafter),
      path,
    ) ??
    database.get<Draft>(
      `SELECT * FROM library_draft WHERE ${THEIRS} AND new_path = ?4`,
      ...values(drafter),
      path,
    )
  );
}

/** By any name that a caller may know: draft id, path (old or new), temporary id, id of the file. */
export function findLiveDraft(database: Database, drafter: Drafter, wanted: string): Draft | undefined {
  return (
    database.get<Draft>(
      `SELECT * FROM library_draft WHERE ${THEIRS} AND id = ?4`,
      ...values(drafter),
      wanted,
    ) ??
    liveDraftOfFile(database, drafter, wanted) ??
    liveDraftAtPath(database, drafter, wanted) ??
    database.get<Draft>(
      `SELECT * FROM library_draft WHERE ${THEIRS} AND path = ?4`,
      ...values(drafter),
      wanted,
    ) ??
    (wanted.startsWith('tmp-')
      ? liveDrafts(database, drafter).find(
          (draft) => draft.op === 'create' && temporaryId(draft.resource, draft.path) === wanted,
        )
      : undefined)
  );
}

/**
 * Who may see a draft: its drafter; reviewers once it was submitted; administrators always. To everybody else it
 * is not there.
 */
export function maySee(caller: Caller, draft: Draft): boolean {
  if (draft.org !== caller.org) return false;
  if (!admits(caller, { kind: 'project', id: draft.project_id }).allowed) return false;
  if (draft.principal === caller.principal || caller.scopes.includes('admin')) return true;
  return caller.scopes.includes('review') && !['draft', 'discarded'].includes(draft.status);
}

export interface DraftFilter {
  workspaceId: string;
  status: DraftStatus | undefined;
  /** Only those that are not closed. */
  live: boolean;
  before: number;
  limit: number;
}

/** Newest first. */
export function draftsSeenBy(database: Database, caller: Caller, filter: DraftFilter): Draft[] {
  const found: Draft[] = [];
  const rows = database.iterate<Draft>(
    `SELECT * FROM library_draft WHERE workspace_id = ?1 AND ordinal < ?2 AND (?3 IS NULL OR status = ?3)
       AND (?4 = 0 OR live = 1) ORDER BY ordinal DESC`,
    filter.workspaceId,
    filter.before,
    filter.status ?? null,
    filter.live ? 1 : 0,
  );
  for (const draft of rows) {
    if (!maySee(caller, draft)) continue;
    found.push(draft);
    if (found.length === filter.limit) break;
  }
  return found;
}

/** All that are not closed and that the caller may see. */
export function openDrafts(database: Database, caller: Caller, workspaceId: string): Draft[] {
  const limit = Number.MAX_SAFE_INTEGER;
  return draftsSeenBy(database, caller, { workspaceId, status: undefined, live: true, before: limit, limit });
}

/**
 * A draft by its id, or by a path or file that names one draft alone. Where it names several open ones, the only one
 * in a state that the caller needs is meant; a closed one only where none is open.
 */
export function findDraft(
  database: Database,
  caller: Caller,
  workspaceId: string | undefined,
  wanted: string,
  needed: readonly DraftStatus[] = [],
): Draft | undefined {
  const byId = draftById(database, wanted);
  if (byId) return maySee(caller, byId) ? byId : undefined;
  if (workspaceId === undefined) return undefined;
  const named = draftsNamed(database, caller, workspaceId, wanted);
  const open = named.filter(({ live }) => live === 1);
  if (open.length <= 1) return open[0] ?? named[0];
  const fit = open.filter(({ status }) => needed.includes(status));
  if (fit.length !== 1) throw severalDrafts(wanted, open);
  return fit[0];
}

/** Newest first. Where a rename moves a file, its old path is a name too, unless another draft is there. */
function draftsNamed(database: Database, caller: Caller, workspaceId: string, wanted: string): Draft[] {
  const own = findLiveDraft(database, { workspaceId, principal: caller.principal }, wanted);
  const found = database
    .all<Draft>(
      `SELECT * FROM library_draft WHERE workspace_id = ?1 AND (path = ?2 OR new_path = ?2 OR file_id = ?2)
       ORDER BY live DESC, ordinal DESC LIMIT 50`,
      workspaceId,
      wanted,
    )
    .filter((draft) => maySee(caller, draft));
  // A temporary id follows from the path, so that no column has it.
  if (found.length === 0) return own ? [own] : [];
  const there = found.filter((draft) => draftPath(draft) === wanted || draft.file_id === wanted);
  return there.some(({ live }) => live === 1) ? there : found;
}

export function commentsOf(database: Database, draftId: string): DraftComment[] {
  return database.all<DraftComment>(
    'SELECT at, principal, text, line, side, hash FROM library_comment WHERE draft_id = ? ORDER BY seq',
    draftId,
  );
}
