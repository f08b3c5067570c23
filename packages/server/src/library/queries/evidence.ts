import { isoTime } from '../../kernel/clock.ts';
import type { Database, SqlValue } from '../../kernel/sqlite.ts';

/** The rows that evidence is counted in, added up. */

/** Of which evidence figures are made. */
export interface UsageFilter {
  /** Null for every workspace of the data folder. */
  workspaces: readonly string[] | null;
  /** Milliseconds since 1970; evidence from that day (UTC) on. */
  since: number;
  agent?: string | undefined;
  model?: string | undefined;
  /** Only this file. */
  fileId?: string | undefined;
}

/** The columns of a count, as tables name them. */
export interface Sums {
  loaded: number;
  loaded_by_host: number;
  referred: number;
  claimed: number;
  stale: number;
  turns: number;
  followed: number;
  submitted: number;
  rejected: number;
}

const NAMES: readonly (keyof Sums)[] = [
  ...(['loaded', 'loaded_by_host', 'referred', 'claimed', 'stale'] as const),
  ...(['turns', 'followed', 'submitted', 'rejected'] as const),
];
const SUMS = NAMES.map((name) => `sum(${name}) AS ${name}`).join(', ');
const ALL = NAMES.join(', ');

export const NOTHING: Sums = {
  ...{ loaded: 0, loaded_by_host: 0, referred: 0, claimed: 0, stale: 0 },
  ...{ turns: 0, followed: 0, submitted: 0, rejected: 0 },
};

/** Work of agents, files, constraints. */
export type Level = 0 | 1 | 2;

export const firstDay = ({ since }: Pick<UsageFilter, 'since'>) => isoTime(Math.max(0, since)).slice(0, 10);
const inWorkspaces = (column = 'workspace_id') =>
  `(?1 IS NULL OR ${column} IN (SELECT value FROM json_each(?1)))`;
const listOf = ({ workspaces }: UsageFilter): string | null =>
  workspaces === null ? null : JSON.stringify(workspaces);

/** Workspaces that have evidence, or those that are asked for: each is a range of rows. */
function workspacesOf(database: Database, { workspaces }: UsageFilter): readonly string[] {
  return (
    workspaces ??
    database
      .all<{ workspace_id: string }>('SELECT DISTINCT workspace_id FROM library_evidence_session')
      .map(({ workspace_id }) => workspace_id)
  );
}

interface FileSums extends Sums {
  workspace_id: string;
  file_id: string;
  constraint_id: string;
}

const placeKey = (...parts: string[]) => parts.join('\0');

/** By workspace and file, and by constraint on that level. */
export function fileSums(database: Database, level: 1 | 2, filter: UsageFilter): Map<string, FileSums> {
  const { agent, model, fileId } = filter;
  const isWhole = agent === undefined && model === undefined && fileId === undefined;
  const found = new Map<string, FileSums>();
  for (const workspace of workspacesOf(database, filter)) {
    const rows = isWhole
      ? wholeSums(database, workspace, level, firstDay(filter))
      : narrowSums(database, workspace, level, filter);
    for (const row of rows) found.set(placeKey(row.workspace_id, row.file_id, row.constraint_id), row);
  }
  return found;
}

/** Whole months by the month, and what comes before the first of them by the day. */
function wholeSums(database: Database, workspace: string, level: Level, from: string): FileSums[] {
  const isWholeMonth = from.endsWith('-01');
  const month = isWholeMonth ? from.slice(0, 7) : nextMonth(from);
  return database.all<FileSums>(
    `SELECT ?1 AS workspace_id, file_id, constraint_id, ${SUMS} FROM (
       SELECT file_id, constraint_id, ${ALL} FROM library_evidence_total
         WHERE workspace_id = ?1 AND level = ?2 AND grain = 'month' AND period >= ?3
       UNION ALL
       SELECT file_id, constraint_id, ${ALL} FROM library_evidence_total
         WHERE workspace_id = ?1 AND level = ?2 AND grain = 'day' AND period >= ?4 AND period < ?3)
     GROUP BY file_id, constraint_id`,
    ...[workspace, level, month, from],
  );
}

function nextMonth(day: string): string {
  const [year, month] = day.split('-').map(Number) as [number, number];
  return month === 12 ? `${year + 1}-01` : `${year}-${String(month + 1).padStart(2, '0')}`;
}

function narrowSums(database: Database, workspace: string, level: Level, filter: UsageFilter): FileSums[] {
  const { agent, model, fileId } = filter;
  const ofFile = fileId === undefined ? '' : 'INDEXED BY library_evidence_day_file';
  return database.all<FileSums>(
    `SELECT workspace_id, file_id, constraint_id, ${SUMS} FROM library_evidence_day ${ofFile}
     WHERE workspace_id = ?1 AND level = ?2 AND day >= ?3 AND (?4 IS NULL OR agent = ?4)
       AND (?5 IS NULL OR model = ?5) AND ${fileId === undefined ? '?6 IS NULL' : 'file_id = ?6'}
     GROUP BY file_id, constraint_id`,
    ...[workspace, level, firstDay(filter), agent ?? null, model ?? null, fileId ?? null],
  );
}

export const sumsAt = (sums: Map<string, FileSums>, workspace: string, file: string, constraint = ''): Sums =>
  sums.get(placeKey(workspace, file, constraint)) ?? NOTHING;

interface LastUse {
  workspace_id: string;
  file_id: string;
  constraint_id: string;
  agents: number;
  last_loaded_at: number | null;
  last_referred_at: number | null;
}

/** How many agents used each file or constraint, and when last. */
export function lastUses(database: Database, level: 1 | 2, filter: UsageFilter): Map<string, LastUse> {
  const rows = database.all<LastUse>(
    `SELECT workspace_id, file_id, constraint_id, count(*) AS agents,
       max(CASE WHEN last_loaded_at >= ?3 THEN last_loaded_at END) AS last_loaded_at,
       max(CASE WHEN last_referred_at >= ?3 THEN last_referred_at END) AS last_referred_at
     FROM library_evidence_last
     WHERE ${inWorkspaces()} AND level = ?2 AND (last_loaded_at >= ?3 OR last_referred_at >= ?3)
       AND (?4 IS NULL OR agent = ?4) AND (?5 IS NULL OR file_id = ?5)
     GROUP BY workspace_id, file_id, constraint_id`,
    ...[listOf(filter), level, Date.parse(firstDay(filter)), filter.agent ?? null, filter.fileId ?? null],
  );
  return new Map(rows.map((row) => [placeKey(row.workspace_id, row.file_id, row.constraint_id), row]));
}

export const lastUseAt = (
  uses: Map<string, LastUse>,
  workspace: string,
  file: string,
  constraint = '',
): Pick<LastUse, 'agents' | 'last_loaded_at' | 'last_referred_at'> =>
  uses.get(placeKey(workspace, file, constraint)) ?? {
    agents: 0,
    last_loaded_at: null,
    last_referred_at: null,
  };

/** How many constraints of each file were referred to. */
export function constraintsReferred(database: Database, filter: UsageFilter): Map<string, number> {
  const rows = database.all<{ workspace_id: string; file_id: string; found: number }>(
    `SELECT workspace_id, file_id, count(DISTINCT constraint_id) AS found FROM library_evidence_last
     WHERE ${inWorkspaces()} AND level = 2 AND last_referred_at >= ?2 AND (?3 IS NULL OR agent = ?3)
     GROUP BY workspace_id, file_id`,
    ...[listOf(filter), Date.parse(firstDay(filter)), filter.agent ?? null],
  );
  return new Map(rows.map((row) => [placeKey(row.workspace_id, row.file_id), row.found]));
}

export const fileKey = placeKey;

/** What evidence is grouped by, where it is not by file. */
const GROUPS = {
  agent: 'agent, is_person',
  model: 'model',
  day: 'day',
  project: 'workspace_id',
} as const;

export interface GroupSums extends Sums {
  workspace_id: string;
  agent: string;
  is_person: number;
  model: string;
  day: string;
  agents: number;
}

/** All work, or with a file what was done with that. */
export function groupSums(database: Database, by: keyof typeof GROUPS, filter: UsageFilter): GroupSums[] {
  const { agent, model, fileId } = filter;
  const ofFile = fileId === undefined ? '' : 'INDEXED BY library_evidence_day_file';
  const values: SqlValue[] = [
    JSON.stringify(workspacesOf(database, filter)),
    fileId === undefined ? 0 : 1,
    firstDay(filter),
    agent ?? null,
    model ?? null,
    fileId ?? null,
  ];
  return database.all<GroupSums>(
    `SELECT workspace_id, agent, is_person, model, day, count(DISTINCT agent || is_person) AS agents, ${SUMS}
     FROM json_each(?1) AS place CROSS JOIN library_evidence_day ${ofFile}
     WHERE workspace_id = place.value AND level = ?2 AND day >= ?3 AND (?4 IS NULL OR agent = ?4)
       AND (?5 IS NULL OR model = ?5) AND ${fileId === undefined ? '?6 IS NULL' : 'file_id = ?6'}
     GROUP BY ${GROUPS[by]}`,
    ...values,
  );
}

/** How many sessions there were, by agent or by model. */
export function sessionCounts(
  database: Database,
  by: 'agent' | 'model',
  filter: UsageFilter,
): Map<string, number> {
  const rows = database.all<{ name: string; is_person: number; found: number }>(
    `SELECT ${by} AS name, ${by === 'agent' ? 'is_person' : '0 AS is_person'}, count(*) AS found
     FROM library_evidence_session WHERE ${inWorkspaces()} AND last_at >= ?2 GROUP BY 1, 2`,
    listOf(filter),
    Date.parse(firstDay(filter)),
  );
  return new Map(rows.map(({ name, is_person, found }) => [placeKey(name, String(is_person)), found]));
}

interface WordingSums extends Sums {
  hash: string;
  day: string;
}

/** What was done with each wording of a file, by day. */
export function wordingSums(
  database: Database,
  workspaceId: string,
  fileId: string,
  since: number,
): WordingSums[] {
  return database.all<WordingSums>(
    `SELECT hash, day, ${ALL} FROM library_evidence_wording
     WHERE workspace_id = ? AND file_id = ? AND day >= ? ORDER BY day, hash`,
    ...[workspaceId, fileId, firstDay({ since })],
  );
}

/** The turns of each day in each workspace. */
export function turnsByDay(
  database: Database,
  filter: UsageFilter,
): Map<string, { day: string; turns: number }[]> {
  const found = new Map<string, { day: string; turns: number }[]>();
  for (const workspace of workspacesOf(database, filter)) {
    const rows = database.all<{ day: string; turns: number }>(
      `SELECT day, sum(turns) AS turns FROM library_evidence_day
       WHERE workspace_id = ? AND level = 0 AND day >= ? GROUP BY day ORDER BY day`,
      ...[workspace, firstDay(filter)],
    );
    found.set(workspace, rows);
  }
  return found;
}

/** The first day that anything is on record of; null before that. */
export function firstEvidence(database: Database, filter: UsageFilter): string | null {
  const days = workspacesOf(database, filter).flatMap(
    (workspace) =>
      database.get<{ day: string | null }>(
        'SELECT min(day) AS day FROM library_evidence_day WHERE workspace_id = ? AND level = 0 AND day >= ?',
        ...[workspace, firstDay(filter)],
      )?.day ?? [],
  );
  return days.sort()[0] ?? null;
}

/** Evidence of earlier days has gone; undefined where all is kept. */
export function keptFrom(database: Database): string | undefined {
  return database.get<{ from_day: string }>('SELECT from_day FROM library_evidence_kept')?.from_day;
}

/** Principals that evidence is about. */
export function personsOnRecord(database: Database): string[] {
  return database
    .all<{ name: string }>(
      `SELECT agent AS name FROM library_evidence_session WHERE is_person = 1
       UNION SELECT whose FROM library_evidence_session WHERE whose <> ''
       UNION SELECT principal FROM library_turn`,
    )
    .map(({ name }) => name);
}
