import { isoTime } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/sqlite.ts';

interface TurnRow {
  session_id: string;
  turn: number;
  workspace_id: string;
  project_id: string;
  principal: string;
  agent: string;
  outcome: 'open' | 'submitted' | 'rejected';
  note: string | null;
  started_at: number;
  ended_at: number | null;
  seq: number;
}

export interface TurnFilter {
  workspaceId: string;
  /** Null for everybody's. */
  principal: string | null;
  /** Those that began at this time or later. */
  since?: number;
  before: number;
  limit: number;
}

/** Newest first; one more than `limit` when there are more. */
export function pageOfTurns(database: Database, filter: TurnFilter): TurnRow[] {
  return database.all<TurnRow>(
    `SELECT * FROM library_turn WHERE workspace_id = ?1 AND seq < ?2 AND (?3 IS NULL OR principal = ?3)
       AND started_at >= ?4
     ORDER BY seq DESC LIMIT ?5`,
    filter.workspaceId,
    filter.before,
    filter.principal,
    filter.since ?? 0,
    filter.limit + 1,
  );
}

/** A turn as one record: what was looked for, loaded and claimed in it, and how it ended. */
export function turnRecord(database: Database, turn: TurnRow) {
  const where = [turn.session_id, turn.turn] as const;
  return {
    session_id: turn.session_id,
    turn: turn.turn,
    workspace_id: turn.workspace_id,
    project_id: turn.project_id,
    agent: turn.agent,
    started_at: isoTime(turn.started_at),
    ended_at: turn.ended_at === null ? null : isoTime(turn.ended_at),
    outcome: turn.outcome,
    ...(turn.outcome === 'submitted' ? { summary: turn.note } : {}),
    ...(turn.outcome === 'rejected' ? { reason: turn.note } : {}),
    discovered: database.all(
      `SELECT kind, file_group AS "group", query, result_count FROM library_discovery
       WHERE session_id = ? AND turn = ? ORDER BY seq`,
      ...where,
    ),
    loaded: database
      .all<{ id: string; path: string; hash: string; changed: number; draft: number }>(
        `SELECT file_id AS id, path, hash, changed, is_draft AS draft FROM library_load
         WHERE session_id = ? AND turn = ? ORDER BY seq, position`,
        ...where,
      )
      .map((row) => ({ ...row, changed: row.changed === 1, draft: row.draft === 1 })),
    claimed: database
      .all<{ rule_id: string; path: string; constraint_id: string; loaded: number; stale: number }>(
        `SELECT file_id AS rule_id, path, constraint_id, rule_hash, reason, is_loaded AS loaded, is_stale AS stale
         FROM library_refer WHERE session_id = ? AND turn = ? ORDER BY seq, position`,
        ...where,
      )
      .map((row) => ({ ...row, loaded: row.loaded === 1, stale: row.stale === 1 })),
    drafted: database.all(
      `SELECT draft_id, action, path FROM library_draft_action WHERE session_id = ? AND turn = ? ORDER BY seq`,
      ...where,
    ),
  };
}
