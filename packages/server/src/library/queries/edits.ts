import type { Database } from '../../kernel/sqlite.ts';
import { fileKey, type UsageFilter } from './evidence.ts';

/** How a file came about and how often it was argued about. */
export interface Edits {
  /** When it was first published. */
  published_at: number;
  /** New wordings in the period, restored ones among them. */
  revisions: number;
  restored: number;
  declined_drafts: number;
}

/** By workspace and file. */
export function editsByFile(database: Database, filter: UsageFilter): Map<string, Edits> {
  const workspaces = filter.workspaces === null ? null : JSON.stringify(filter.workspaces);
  const rows = database.all<Edits & { workspace_id: string; file_id: string }>(
    `SELECT workspace_id, file_id, min(at) AS published_at,
       sum(op = 'update' AND at >= ?2) AS revisions, sum(source = 'restore' AND at >= ?2) AS restored,
       0 AS declined_drafts
     FROM library_revision WHERE (?1 IS NULL OR workspace_id IN (SELECT value FROM json_each(?1)))
     GROUP BY workspace_id, file_id`,
    ...[workspaces, filter.since],
  );
  const found = new Map(
    rows.map(({ workspace_id, file_id, ...edits }) => [fileKey(workspace_id, file_id), edits]),
  );
  const declined = database.all<{ workspace_id: string; file_id: string; count: number }>(
    `SELECT workspace_id, file_id, count(*) AS count FROM library_draft
     WHERE status = 'declined' AND file_id IS NOT NULL AND decided_at >= ?2
       AND (?1 IS NULL OR workspace_id IN (SELECT value FROM json_each(?1)))
     GROUP BY workspace_id, file_id`,
    ...[workspaces, filter.since],
  );
  for (const { workspace_id, file_id, count } of declined) {
    const edits = found.get(fileKey(workspace_id, file_id));
    if (edits) edits.declined_drafts = count;
  }
  return found;
}
