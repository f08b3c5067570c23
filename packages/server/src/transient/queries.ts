import type { RecalledFinding } from '@infold/protocol';
import { isoTime } from '../kernel/clock.ts';
import type { Database } from '../kernel/sqlite.ts';
import { sessionById, sessionIsOpen } from '../trust/sessions/queries.ts';

interface FindingRow {
  ordinal: number;
  id: string;
  analysis_id: string;
  finding: string;
  category: string | null;
  metadata: string | null;
  persistent: number;
  created_at: number;
  expires_at: number | null;
}

interface Owner {
  org: string;
  principal: string;
  project_id: string;
}

export interface Recall {
  analysisId: string | undefined;
  category: string | undefined;
  query: string | undefined;
  limit: number;
  offset: number;
}

/** TCP-08: findings stay as long as their session, however old they are. */
const SESSION_LIVES = sessionIsOpen('analysis_finding.session_id');
const LIVE = `org = ?1 AND principal = ?2 AND project_id = ?3 
  AND (expires_at IS NULL OR expires_at > ?4 OR ${SESSION_LIVES})
  AND (?5 IS NULL OR analysis_id = ?5) AND (?6 IS NULL OR analysis_finding.category = ?6)`;
/** Less than this share of a query is not an answer to it. */
const LEAST_MATCH = 0.5;
const MOST_TERMS = 24;
const MOST_CANDIDATES = 1000;

/** Findings that have not expired: the best matches of a query first, else the oldest. */
export function recallFindings(
  database: Database,
  { org, principal, project_id }: Owner,
  { analysisId, category, query, limit, offset }: Recall,
  now: number,
): { findings: RecalledFinding[]; total: number } {
  const scope = [org, principal, project_id, now, analysisId ?? null, category ?? null] as const;
  if (query === undefined) {
    const rows = database.all<FindingRow>(
      `SELECT * FROM analysis_finding WHERE ${LIVE} ORDER BY ordinal LIMIT ?7 OFFSET ?8`,
      ...scope,
      limit,
      offset,
    );
    const { total } = database.get<{ total: number }>(
      `SELECT count(*) AS total FROM analysis_finding WHERE ${LIVE}`,
      ...scope,
    )!;
    return { findings: rows.map((row) => findingFrom(row)), total };
  }
  const terms = termsOf(query);
  if (terms.length === 0) return { findings: [], total: 0 };
  const candidates = database.all<FindingRow>(
    `SELECT analysis_finding.* FROM analysis_text JOIN analysis_finding ON ordinal = analysis_text.rowid
     WHERE analysis_text MATCH ?7 AND ${LIVE} ORDER BY bm25(analysis_text) LIMIT ${MOST_CANDIDATES}`,
    ...scope,
    terms.map(phrase).join(' OR '),
  );
  const hits = hitsOf(database, terms, candidates);
  const found = candidates
    .map((row) => ({ row, match: (hits.get(row.ordinal) ?? 0) / terms.length }))
    .filter(({ match }) => match >= LEAST_MATCH)
    // Sorting is stable: of equal shares the better ranked stays first.
    .sort((a, b) => b.match - a.match);
  return {
    findings: found.slice(offset, offset + limit).map(({ row, match }) => findingFrom(row, match)),
    total: found.length,
  };
}

/** How many of the terms each candidate has, by the index's own idea of a word. */
function hitsOf(
  database: Database,
  terms: readonly string[],
  candidates: readonly FindingRow[],
): Map<number, number> {
  const ordinals = JSON.stringify(candidates.map(({ ordinal }) => ordinal));
  const hits = new Map<number, number>();
  for (const term of terms) {
    const rows = database.all<{ rowid: number }>(
      'SELECT rowid FROM analysis_text WHERE analysis_text MATCH ? AND rowid IN (SELECT value FROM json_each(?))',
      phrase(term),
      ordinals,
    );
    for (const { rowid } of rows) hits.set(rowid, (hits.get(rowid) ?? 0) + 1);
  }
  return hits;
}

const STOPWORDS = new Set(
  'a an and are as at be by can did do does for from had has have how i in is it its me my of on or our s so that the their them then there these this to us was we were what when where which who why will with you your'.split(
    ' ',
  ),
);

/** The words of a query that say something; all of them when none does. */
export function termsOf(query: string): string[] {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])];
  const telling = words.filter((word) => !STOPWORDS.has(word));
  return (telling.length > 0 ? telling : words).slice(0, MOST_TERMS);
}

function phrase(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}

export function idsOfAnalysis(
  database: Database,
  { org, principal, project_id }: Owner,
  analysisId: string,
  now: number,
): string[] {
  return database
    .all<{ id: string }>(
      `SELECT id FROM analysis_finding WHERE ${LIVE} ORDER BY ordinal`,
      org,
      principal,
      project_id,
      now,
      analysisId,
      null,
    )
    .map(({ id }) => id);
}

/** What a session found out itself, the newest first. */
export function findingsOfSession(database: Database, sessionId: string, limit: number): RecalledFinding[] {
  const session = sessionById(database, sessionId);
  if (!session) return [];
  return database
    .all<FindingRow>(
      `SELECT * FROM analysis_finding WHERE org = ? AND principal = ? AND project_id = ? AND session_id = ?
       ORDER BY ordinal DESC LIMIT ?`,
      ...[session.org, session.principal, session.project_id, sessionId, limit],
    )
    .map((row) => findingFrom(row));
}

/** The stream in which a finding was stored. */
export function streamOfFinding(database: Database, org: string, id: string): string | undefined {
  const finding = database.get<{ session_id: string }>(
    'SELECT session_id FROM analysis_finding WHERE id = ? AND org = ?',
    id,
    org,
  );
  return finding && sessionById(database, finding.session_id)?.stream;
}

function findingFrom(row: FindingRow, match?: number): RecalledFinding {
  return {
    id: row.id,
    analysis_id: row.analysis_id,
    finding: row.finding,
    category: row.category,
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as Record<string, unknown>),
    persistent: row.persistent === 1,
    created_at: isoTime(row.created_at),
    expires_at: row.expires_at === null ? null : isoTime(row.expires_at),
    ...(match === undefined ? {} : { match }),
  };
}
