import type { TurnView } from '@infold/protocol';
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

/** A record as a row holds it, with numbers for what is true or false. */
type Flagged<List extends 'loaded' | 'claimed', Flag extends string> = Omit<TurnView[List][number], Flag> &
  Record<Flag, number>;

export interface TurnFilter {
  workspaceId: string;
  /** Null for everybody's. */
  principal: string | null;
  /** Those that began at this time or later. */
  since?: number;
  before: number;
  limit: number;
}

/** Clocks of processes that share a folder differ by less than this. */
const SKEW = 24 * 60 * 60 * 1000;

/** Newest first; one more than `limit` when there are more. Reads no more of the history than it shows. */
export function pageOfTurns(
  database: Database,
  { workspaceId, principal, since = 0, before, limit }: TurnFilter,
): TurnRow[] {
  const rows =
    principal === null
      ? database.iterate<TurnRow>(
          'SELECT * FROM library_turn WHERE workspace_id = ? AND seq < ? ORDER BY seq DESC',
          workspaceId,
          before,
        )
      : database.iterate<TurnRow>(
          'SELECT * FROM library_turn WHERE workspace_id = ? AND principal = ? AND seq < ? ORDER BY seq DESC',
          workspaceId,
          principal,
          before,
        );
  const page: TurnRow[] = [];
  for (const row of rows) {
    // Later positions have later times, but for the difference of the clocks.
    if (row.started_at < since - SKEW) break;
    if (row.started_at >= since) page.push(row);
    if (page.length > limit) break;
  }
  return page;
}

export function turnRecord(database: Database, turn: TurnRow): TurnView {
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
    discovered: database.all<TurnView['discovered'][number]>(
      `SELECT kind, file_group AS "group", query, result_count FROM library_discovery
       WHERE session_id = ? AND turn = ? ORDER BY seq`,
      ...where,
    ),
    loaded: database
      .all<Flagged<'loaded', 'changed' | 'draft'>>(
        `SELECT file_id AS id, path, hash, changed, is_draft AS draft FROM library_load
         WHERE session_id = ? AND turn = ? ORDER BY seq, position`,
        ...where,
      )
      .map((row) => ({ ...row, changed: row.changed === 1, draft: row.draft === 1 })),
    loaded_by_host: database.all<TurnView['loaded_by_host'][number]>(
      `SELECT file_id AS id, path, hash, file FROM library_instruction
       WHERE session_id = ?1 AND (turn = ?2 OR (turn = 0 AND ?2 = 1)) AND file_id IS NOT NULL ORDER BY seq, position`,
      ...where,
    ),
    claimed: database
      .all<Flagged<'claimed', 'loaded' | 'stale'>>(
        `SELECT file_id AS rule_id, path, constraint_id, rule_hash, reason, is_loaded AS loaded, is_stale AS stale
         FROM library_refer WHERE session_id = ? AND turn = ? ORDER BY seq, position`,
        ...where,
      )
      .map((row) => ({ ...row, loaded: row.loaded === 1, stale: row.stale === 1 })),
    drafted: database.all<TurnView['drafted'][number]>(
      `SELECT draft_id, action, path FROM library_draft_action WHERE session_id = ? AND turn = ? ORDER BY seq`,
      ...where,
    ),
  };
}
