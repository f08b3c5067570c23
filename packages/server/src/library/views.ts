import type { DiffLine, DraftDetails, RevisionView } from '@infold/protocol';
import { isoTime } from '../kernel/clock.ts';
import type { Database } from '../kernel/sqlite.ts';
import { conflictOf, conflictReason } from './commands/conflict.ts';
import type { Publication } from './commands/publish.ts';
import { diffSides } from './commands/review.ts';
import { groupOf, nameOf } from './files/describe.ts';
import { readFrontMatter } from './files/front-matter.ts';
import { diffLines } from './files/merge.ts';
import { countedFor } from './files/protections.ts';
import { draftProtection, reviewState, reviewStateWithTexts, textForDraft } from './queries/command-state.ts';
import { commentsOf, type Draft, draftItemId, draftPath } from './queries/drafts.ts';
import { constraintsByHash, type LibraryFile, type Revision, textByHash } from './queries/files.ts';
import { itemOfFile, traitMarks } from './queries/items.ts';

/** Files and drafts as people see them: REST, the terminal and the console. */

export function fileView(file: LibraryFile) {
  const group = groupOf(file.path, file.file_group);
  return {
    id: file.id,
    kind: file.kind,
    path: file.path,
    name: nameOf(file.path),
    group: group ?? null,
    hash: file.hash,
    description: file.description,
    origin: file.origin,
    ...traitMarks(itemOfFile(file)),
    revision: file.revision,
    updated_at: isoTime(file.updated_at),
  };
}

export function fileWithContent(database: Database, file: LibraryFile) {
  const content = textByHash(database, file.hash)!;
  return {
    ...fileView(file),
    content,
    front_matter: readFrontMatter(content).values,
    constraints: file.kind === 'context' ? [] : constraintsByHash(database, file.hash),
  };
}

export function revisionView({ at, principal, organisation, ...rest }: Revision): RevisionView {
  const from = organisation === null ? {} : { organisation };
  return { ...rest, ...from, at: isoTime(at), by: principal, publisher: principal };
}

export function draftView(database: Database, draft: Draft) {
  const reason = draft.live === 1 ? conflictReason(reviewState(database, draft)) : undefined;
  const { protections, approvers } = draftProtection(database, draft);
  return {
    id: draft.id,
    draft_path: draftPath(draft),
    item_id: draftItemId(draft),
    resource: draft.resource,
    op: draft.op,
    status: draft.status,
    path: draft.path,
    new_path: draft.new_path,
    hash: draft.hash,
    base_hash: draft.base_hash,
    description: draft.description,
    origin: draft.origin,
    drafted_by: draft.principal,
    session_id: draft.session_id,
    created_at: isoTime(draft.created_at),
    updated_at: isoTime(draft.updated_at),
    decided_by: draft.decided_by,
    decided_at: draft.decided_at === null ? null : isoTime(draft.decided_at),
    note: draft.note,
    conflict: reason ?? null,
    ...(protections.length > 0 && {
      protected: protections.map((one) => ({ ...one, approved_by: countedFor(one, approvers) })),
    }),
  };
}

export function draftDetails(database: Database, draft: Draft): DraftDetails {
  const conflict = draft.live === 1 ? conflictOf(reviewStateWithTexts(database, draft)) : undefined;
  const sides = diffSides(reviewState(database, draft));
  return {
    ...draftView(database, draft),
    content: draft.hash === null ? null : (textByHash(database, draft.hash) ?? null),
    diff: draftDiff(database, draft),
    comments: commentsOf(database, draft.id).map(({ at, principal, text, line, side, hash }) => ({
      at: isoTime(at),
      by: principal,
      text,
      line,
      side,
      current: side === null || hash === sides[side],
    })),
    conflict: conflict
      ? {
          reason: conflict.reason,
          base: conflict.base,
          published: conflict.published,
          draft: conflict.draft,
        }
      : null,
  };
}

export function publicationView({ revision, changes }: Publication) {
  return {
    revision,
    changes: changes.map(({ op, file_id, kind, path, hash }) => ({ op, id: file_id, kind, path, hash })),
  };
}

export function draftDiff(database: Database, draft: Draft): DiffLine[] {
  const content = (hash: string | null) => (hash === null ? '' : (textForDraft(database, draft, hash) ?? ''));
  const { published, draft: drafted } = diffSides(reviewState(database, draft));
  return diffLines(content(published), content(drafted));
}
