import type { ReviewNews } from '@infold/protocol';
import type { Database } from '../../kernel/sqlite.ts';
import { commentsOf, type Draft, type Drafter, draftPath } from './drafts.ts';

const SHOWN = 10;
const COMMENTS_SHOWN = 5;
const MOST_CHARACTERS = 500;

export interface News {
  reviews: ReviewNews[];
  /** How many there were besides. */
  more: number;
  /** The position in the journal of the latest. */
  seq: number;
}

/**
 * What became of the principal's drafts, or was said about them: of those that agents staged, for the agents. The
 * newest first.
 */
export function reviewNews(
  database: Database,
  { workspaceId, principal }: Drafter,
  { after, since }: { after: number; since: number },
): News {
  const drafts = database.all<Draft & { news_seq: number }>(
    `SELECT * FROM library_draft WHERE workspace_id = ? AND principal = ? AND session_id IS NOT NULL
       AND news_seq > ? AND news_at >= ? ORDER BY news_seq DESC`,
    workspaceId,
    principal,
    after,
    since,
  );
  return {
    reviews: drafts.slice(0, SHOWN).map((draft) => newsOf(database, draft)),
    more: Math.max(0, drafts.length - SHOWN),
    seq: drafts[0]?.news_seq ?? 0,
  };
}

function newsOf(database: Database, draft: Draft): ReviewNews {
  const comments = commentsOf(database, draft.id)
    .slice(-COMMENTS_SHOWN)
    .map(({ principal, text }) => ({ by: principal, text: shortened(text) }));
  return {
    draft_path: draftPath(draft),
    op: draft.op,
    status: draft.status,
    ...(draft.decided_by === null ? {} : { by: draft.decided_by }),
    ...(draft.note === null ? {} : { note: shortened(draft.note) }),
    ...(comments.length === 0 ? {} : { comments }),
  };
}

const shortened = (text: string) =>
  text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
