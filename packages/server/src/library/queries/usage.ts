import type { AgentUsage, ConstraintUsage, DayUsage, ProjectUsage, RuleUsage } from '@infold/protocol';
import type { Database } from '../../kernel/sqlite.ts';
import { constraintsByHash } from './files.ts';

/** Of which evidence figures are made. */
export interface UsageFilter {
  /** Null for every workspace of the data folder. */
  workspaceId: string | null;
  /** Milliseconds since 1970; evidence from then on. */
  since: number;
  agent?: string | undefined;
}

const LOADS = `loads AS (SELECT * FROM library_load
  WHERE (?1 IS NULL OR workspace_id = ?1) AND at >= ?2 AND (?3 IS NULL OR agent = ?3))`;
const REFERS = `refers AS (SELECT * FROM library_refer
  WHERE (?1 IS NULL OR workspace_id = ?1) AND at >= ?2 AND (?3 IS NULL OR agent = ?3))`;
const TURNS = `turns AS (SELECT *, strftime('%Y-%m-%d', coalesce(ended_at, started_at) / 1000, 'unixepoch') AS day
  FROM library_turn WHERE (?1 IS NULL OR workspace_id = ?1) AND coalesce(ended_at, started_at) >= ?2
    AND (?3 IS NULL OR agent = ?3))`;
const EVIDENCE = `WITH ${LOADS}, ${REFERS}, ${TURNS}`;

const values = ({ workspaceId, since, agent }: UsageFilter) => [workspaceId, since, agent ?? null] as const;

/** Every rule, workflow and context file that is published, the most referred first. */
export function ruleUsage(database: Database, filter: UsageFilter): RuleUsage[] {
  return database
    .all<Omit<RuleUsage, 'state'>>(
      `${EVIDENCE},
       loaded AS (SELECT workspace_id, file_id, count(*) AS loaded, max(at) AS last_loaded_at,
         count(DISTINCT loads.session_id || '/' || loads.turn) AS turns FROM loads GROUP BY workspace_id, file_id),
       referred AS (SELECT workspace_id, file_id, count(*) AS referred, max(at) AS last_referred_at,
         count(DISTINCT constraint_id) AS constraints_referred,
         sum(is_loaded = 0) AS claimed_without_loading, sum(is_stale) AS stale FROM refers
         GROUP BY workspace_id, file_id),
       used AS (SELECT workspace_id, file_id, session_id, turn, agent FROM loads
         UNION SELECT workspace_id, file_id, session_id, turn, agent FROM refers),
       people AS (SELECT used.workspace_id, used.file_id, count(DISTINCT used.agent) AS agents,
         count(DISTINCT CASE WHEN turns.outcome = 'rejected' THEN used.session_id || '/' || used.turn END)
           AS rejected_turns
         FROM used LEFT JOIN turns ON turns.session_id = used.session_id AND turns.turn = used.turn
         GROUP BY used.workspace_id, used.file_id)
       SELECT file.workspace_id, file.id, file.kind, file.path,
         coalesce(loaded.loaded, 0) AS loaded, coalesce(referred.referred, 0) AS referred,
         coalesce(referred.claimed_without_loading, 0) AS claimed_without_loading,
         coalesce(referred.stale, 0) AS stale,
         coalesce(referred.constraints_referred, 0) AS constraints_referred,
         coalesce(people.agents, 0) AS agents, coalesce(loaded.turns, 0) AS turns,
         coalesce(people.rejected_turns, 0) AS rejected_turns,
         loaded.last_loaded_at, referred.last_referred_at,
         (SELECT count(*) FROM library_instruction AS instruction
            WHERE instruction.workspace_id = file.workspace_id AND instruction.file_id = file.id
              AND at >= ?2 AND (?3 IS NULL OR agent = ?3)) AS loaded_by_host
       FROM library_file AS file
       LEFT JOIN loaded ON loaded.workspace_id = file.workspace_id AND loaded.file_id = file.id
       LEFT JOIN referred ON referred.workspace_id = file.workspace_id AND referred.file_id = file.id
       LEFT JOIN people ON people.workspace_id = file.workspace_id AND people.file_id = file.id
       WHERE file.deleted = 0 AND file.id <> 'META_PROMPT.md' AND (?1 IS NULL OR file.workspace_id = ?1)
       ORDER BY referred DESC, loaded DESC, file.path`,
      ...values(filter),
    )
    .map((row) => ({ ...row, state: stateOf(row) }));
}

function stateOf({ kind, referred, loaded, loaded_by_host }: Omit<RuleUsage, 'state'>): RuleUsage['state'] {
  if (referred > 0) return 'referred';
  if (loaded + loaded_by_host === 0) return 'never_loaded';
  return kind === 'context' ? 'loaded' : 'loaded_never_referred';
}

/** Constraints that were claimed, and those of loaded rules that never were. */
export function constraintUsage(database: Database, filter: UsageFilter): ConstraintUsage[] {
  const claimed = database.all<Omit<ConstraintUsage, 'text' | 'current'>>(
    `WITH ${REFERS}
     SELECT workspace_id, file_id AS rule_id, max(path) AS path, constraint_id, count(*) AS referred,
       sum(is_loaded = 0) AS claimed_without_loading, sum(is_stale) AS stale,
       count(DISTINCT agent) AS agents, max(at) AS last_referred_at
     FROM refers GROUP BY workspace_id, file_id, constraint_id`,
    ...values(filter),
  );
  const rules = database.all<{ workspace_id: string; id: string; path: string; hash: string }>(
    `WITH ${LOADS}, ${REFERS}
     SELECT workspace_id, id, path, hash FROM library_file AS file
     WHERE deleted = 0 AND kind <> 'context' AND (?1 IS NULL OR workspace_id = ?1) AND (
       EXISTS (SELECT 1 FROM loads WHERE loads.workspace_id = file.workspace_id AND loads.file_id = file.id)
       OR EXISTS (SELECT 1 FROM refers WHERE refers.workspace_id = file.workspace_id AND refers.file_id = file.id))`,
    ...values(filter),
  );
  const key = (workspace: string, rule: string, constraint: string) => `${workspace}\0${rule}\0${constraint}`;
  const rows = new Map<string, ConstraintUsage>(
    claimed.map((row) => [
      key(row.workspace_id, row.rule_id, row.constraint_id),
      { ...row, text: null, current: false },
    ]),
  );
  for (const rule of rules) {
    for (const { id, text } of constraintsByHash(database, rule.hash)) {
      const place = key(rule.workspace_id, rule.id, id);
      const none = { referred: 0, claimed_without_loading: 0, stale: 0, agents: 0, last_referred_at: null };
      const row = rows.get(place) ?? {
        workspace_id: rule.workspace_id,
        rule_id: rule.id,
        constraint_id: id,
        ...none,
      };
      rows.set(place, { ...row, path: rule.path, text, current: true });
    }
  }
  return [...rows.values()].sort(
    (one, other) =>
      other.referred - one.referred ||
      (one.path < other.path ? -1 : one.path > other.path ? 1 : 0) ||
      (one.constraint_id < other.constraint_id ? -1 : 1),
  );
}

export function agentUsage(database: Database, filter: UsageFilter): AgentUsage[] {
  return database.all<AgentUsage>(
    `${EVIDENCE}, names AS (SELECT agent FROM loads UNION SELECT agent FROM refers UNION SELECT agent FROM turns)
     SELECT names.agent,
       (SELECT count(DISTINCT session_id) FROM turns WHERE turns.agent = names.agent) AS sessions,
       (SELECT count(*) FROM turns WHERE turns.agent = names.agent) AS turns,
       (SELECT count(*) FROM turns WHERE turns.agent = names.agent AND outcome = 'submitted') AS submitted_turns,
       (SELECT count(*) FROM turns WHERE turns.agent = names.agent AND outcome = 'rejected') AS rejected_turns,
       (SELECT count(*) FROM loads WHERE loads.agent = names.agent) AS loaded,
       ${referredWhere('refers.agent = names.agent')}
     FROM names ORDER BY referred DESC, loaded DESC, names.agent`,
    ...values(filter),
  );
}

export function dayUsage(database: Database, filter: UsageFilter): DayUsage[] {
  return database.all<DayUsage>(
    `${EVIDENCE}, days AS (SELECT day FROM loads UNION SELECT day FROM refers UNION SELECT day FROM turns)
     SELECT days.day,
       (SELECT count(DISTINCT agent) FROM turns WHERE turns.day = days.day) AS agents,
       (SELECT count(*) FROM turns WHERE turns.day = days.day) AS turns,
       (SELECT count(*) FROM turns WHERE turns.day = days.day AND outcome = 'rejected') AS rejected_turns,
       (SELECT count(*) FROM loads WHERE loads.day = days.day) AS loaded,
       ${referredWhere('refers.day = days.day')}
     FROM days ORDER BY days.day DESC`,
    ...values(filter),
  );
}

export function projectUsage(database: Database, filter: UsageFilter): ProjectUsage[] {
  return database.all<ProjectUsage>(
    `${EVIDENCE}, places AS (SELECT workspace_id FROM loads UNION SELECT workspace_id FROM turns)
     SELECT places.workspace_id,
       (SELECT count(DISTINCT agent) FROM turns WHERE turns.workspace_id = places.workspace_id) AS agents,
       (SELECT count(*) FROM turns WHERE turns.workspace_id = places.workspace_id) AS turns,
       (SELECT count(*) FROM turns WHERE turns.workspace_id = places.workspace_id AND outcome = 'rejected')
         AS rejected_turns,
       (SELECT count(*) FROM loads WHERE loads.workspace_id = places.workspace_id) AS loaded,
       ${referredWhere('refers.workspace_id = places.workspace_id')}
     FROM places ORDER BY referred DESC, places.workspace_id`,
    ...values(filter),
  );
}

function referredWhere(condition: string): string {
  return `(SELECT count(*) FROM refers WHERE ${condition}) AS referred,
       (SELECT count(*) FROM refers WHERE ${condition} AND is_loaded = 0) AS claimed_without_loading,
       (SELECT count(*) FROM refers WHERE ${condition} AND is_stale = 1) AS stale`;
}
