import type { Entry } from '../../journal/journal.ts';
import type { EventPlace, Projection } from '../../journal/projections/projector.ts';
import { isoTime } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/sqlite.ts';
import {
  type Count,
  EvidenceCounter as Counter,
  type EvidenceCounter,
  type EvidenceEntry,
  type EvidenceEvent,
  type EvidenceSession,
  FIGURES,
  LEVEL,
  noUses,
} from './evidence-counter.ts';

const DAY = 86_400_000;
const COLUMNS = FIGURES.map((figure) => `${figure} INTEGER NOT NULL`).join(', ');

/** Counts by UTC day of what agents did with rules: in sessions here, and in those that edges told of. */
const TABLES = `
-- Sessions of agents, those of edges by whose they are.
CREATE TABLE library_evidence_session (
  org TEXT NOT NULL,
  whose TEXT NOT NULL,
  session_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  is_person INTEGER NOT NULL,
  model TEXT NOT NULL,
  is_open INTEGER NOT NULL,
  -- What was used in the turn that is open.
  uses TEXT NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (org, whose, session_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX library_evidence_session_last ON library_evidence_session (workspace_id, last_at);
-- Level 0 is all work of an agent, 1 what it did with a file, 2 with a constraint of it.
CREATE TABLE library_evidence_day (
  workspace_id TEXT NOT NULL,
  level INTEGER NOT NULL,
  day TEXT NOT NULL,
  file_id TEXT NOT NULL,
  constraint_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  is_person INTEGER NOT NULL,
  model TEXT NOT NULL,
  ${COLUMNS},
  PRIMARY KEY (workspace_id, level, day, file_id, constraint_id, agent, is_person, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX library_evidence_day_file ON library_evidence_day (workspace_id, file_id, day);
-- The same for files and constraints whoever it was, by day and by month: a report over years reads few rows.
CREATE TABLE library_evidence_total (
  workspace_id TEXT NOT NULL,
  level INTEGER NOT NULL,
  grain TEXT NOT NULL,
  period TEXT NOT NULL,
  file_id TEXT NOT NULL,
  constraint_id TEXT NOT NULL,
  ${COLUMNS},
  PRIMARY KEY (workspace_id, level, grain, period, file_id, constraint_id)
) STRICT, WITHOUT ROWID;
-- What was done with which wording of a file.
CREATE TABLE library_evidence_wording (
  workspace_id TEXT NOT NULL,
  file_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  day TEXT NOT NULL,
  ${COLUMNS},
  PRIMARY KEY (workspace_id, file_id, hash, day)
) STRICT, WITHOUT ROWID;
-- When each agent used something last.
CREATE TABLE library_evidence_last (
  workspace_id TEXT NOT NULL,
  level INTEGER NOT NULL,
  file_id TEXT NOT NULL,
  constraint_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  is_person INTEGER NOT NULL,
  last_loaded_at INTEGER,
  last_referred_at INTEGER,
  PRIMARY KEY (workspace_id, level, file_id, constraint_id, agent, is_person)
) STRICT, WITHOUT ROWID;
-- From which day on evidence is kept.
CREATE TABLE library_evidence_kept (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  from_day TEXT NOT NULL
) STRICT;
`;

const own =
  (sessionOf: (data: never) => string | null, workspaceOf: (data: never) => string) =>
  (type: EvidenceEvent['type']) =>
  (database: Database, data: object, { entry }: EventPlace) => {
    const sessionId = sessionOf(data as never);
    if (sessionId === null) return;
    const { org } = entry.actor;
    const work = {
      org,
      whose: '',
      sessionId,
      entry: ownEntry(entry, workspaceOf(data as never), type, data),
    };
    countAll(database, [work]);
  };

const attested = own(
  ({ session_id }: { session_id: string }) => session_id,
  ({ workspace_id }: { workspace_id: string }) => workspace_id,
);
const drafted = own(
  ({ session_id }: { session_id: string | null }) => session_id,
  ({ workspace_id }: { workspace_id: string }) => workspace_id,
)('draft');

function ownEntry(
  { actor, at }: Entry,
  workspaceId: string,
  type: EvidenceEvent['type'],
  data: object,
): EvidenceEntry {
  const events = [{ type, data } as EvidenceEvent];
  return { workspaceId, principal: actor.principal, agent: actor.agent ?? null, at, events };
}

export const evidenceProjection: Projection = {
  name: 'evidence',
  version: 1,
  tables: TABLES,
  on: {
    'attest.setup': attested('attest.setup'),
    'attest.discover': attested('attest.discover'),
    'attest.load': attested('attest.load'),
    'attest.instructions': attested('attest.instructions'),
    'attest.refer': attested('attest.refer'),
    'attest.agent_report': attested('attest.agent_report'),
    'attest.reject': attested('attest.reject'),
    'draft.staged': drafted,
    'draft.submitted': drafted,
    'draft.discarded': drafted,
    'hub.received': (database, { org, principal, entries }) => {
      countAll(
        database,
        entries.map(({ workspace_id, session_id, agent, at, events }) => ({
          ...{ org, whose: principal, sessionId: session_id },
          entry: { workspaceId: workspace_id, principal, agent, at, events },
        })),
      );
    },
    'library.evidence_expired': (database, { before }) => expire(database, before),
  },
};

interface SessionWork {
  org: string;
  whose: string;
  sessionId: string;
  entry: EvidenceEntry;
}

interface SessionRow {
  workspace_id: string;
  agent: string;
  is_person: number;
  model: string;
  is_open: number;
  uses: string;
  last_at: number;
}

/** Each row is written once, however many of the entries are about it. */
function countAll(database: Database, all: readonly SessionWork[]): void {
  const from =
    database.get<{ from_day: string }>('SELECT from_day FROM library_evidence_kept')?.from_day ?? '';
  const counter = new Counter(from);
  const days = new Map<number, string>();
  const sessions = new Map<string, { work: SessionWork; state: EvidenceSession }>();
  for (const work of all) {
    const key = `${work.whose}\0${work.sessionId}`;
    let session = sessions.get(key);
    if (!session) {
      session = { work, state: sessionState(database, work) };
      sessions.set(key, session);
    }
    const number = Math.floor(work.entry.at / DAY);
    const day = days.get(number) ?? isoTime(work.entry.at).slice(0, 10);
    days.set(number, day);
    counter.count(session.state, work.entry, day);
  }
  for (const { work, state } of sessions.values()) writeSession(database, work, state);
  writeCounts(database, counter);
}

function sessionState(database: Database, { org, whose, sessionId, entry }: SessionWork): EvidenceSession {
  const row = database.get<SessionRow>(
    'SELECT * FROM library_evidence_session WHERE org = ? AND whose = ? AND session_id = ?',
    ...[org, whose, sessionId],
  );
  return {
    workspaceId: entry.workspaceId,
    agent: '',
    isPerson: false,
    model: row?.model ?? '',
    isOpen: row?.is_open === 1,
    uses: row && row.uses !== '' ? readUses(row.uses) : noUses(),
    lastAt: row?.last_at ?? 0,
  };
}

/** Names come from agents: none of them may be taken for a property that every object has. */
function readUses(text: string): EvidenceSession['uses'] {
  const { files, constraints } = JSON.parse(text) as EvidenceSession['uses'];
  const plain = <Value>(record: Record<string, Value>) =>
    Object.assign(Object.create(null) as Record<string, Value>, record);
  const read = Object.entries(files).map(
    ([file, used]) => [file, { ...used, wordings: plain(used.wordings) }] as const,
  );
  return { files: plain(Object.fromEntries(read)), constraints: plain(constraints) };
}

function writeSession(
  database: Database,
  { org, whose, sessionId }: SessionWork,
  state: EvidenceSession,
): void {
  database.run(
    `INSERT OR REPLACE INTO library_evidence_session
       (org, whose, session_id, workspace_id, agent, is_person, model, is_open, uses, last_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[org, whose, sessionId, state.workspaceId, state.agent, state.isPerson ? 1 : 0, state.model],
    ...[state.isOpen ? 1 : 0, state.isOpen ? JSON.stringify(state.uses) : '', state.lastAt],
  );
}

const ADD = FIGURES.map((figure) => `${figure} = ${figure} + excluded.${figure}`).join(', ');
const places = (count: number) => Array.from({ length: count }, () => '?').join(', ');
const INSERT_DAY = `INSERT INTO library_evidence_day VALUES (${places(8 + FIGURES.length)})
  ON CONFLICT DO UPDATE SET ${ADD}`;
const INSERT_TOTAL = `INSERT INTO library_evidence_total VALUES (${places(6 + FIGURES.length)})
  ON CONFLICT DO UPDATE SET ${ADD}`;
const INSERT_WORDING = `INSERT INTO library_evidence_wording VALUES (${places(4 + FIGURES.length)})
  ON CONFLICT DO UPDATE SET ${ADD}`;
const INSERT_LAST = `INSERT INTO library_evidence_last VALUES (${places(8)}) ON CONFLICT DO UPDATE SET
  last_loaded_at = coalesce(max(last_loaded_at, excluded.last_loaded_at), last_loaded_at, excluded.last_loaded_at),
  last_referred_at =
    coalesce(max(last_referred_at, excluded.last_referred_at), last_referred_at, excluded.last_referred_at)`;

function writeCounts(database: Database, { days, wordings, last }: EvidenceCounter): void {
  const totals = new Map<string, Count>();
  for (const { keys, figures } of days.values()) {
    database.run(INSERT_DAY, ...keys, ...figures);
    const [workspaceId, level, day, file, constraint] = keys as [string, number, string, string, string];
    if (level === LEVEL.work) continue;
    for (const [grain, period] of [['day', day] as const, ['month', day.slice(0, 7)] as const]) {
      const key = `${workspaceId}\0${level}\0${period}\0${file}\0${constraint}`;
      const total = totals.get(key);
      if (total)
        for (let index = 0; index < figures.length; index++) total.figures[index]! += figures[index]!;
      else
        totals.set(key, {
          keys: [workspaceId, level, grain, period, file, constraint],
          figures: [...figures],
        });
    }
  }
  for (const { keys, figures } of totals.values()) database.run(INSERT_TOTAL, ...keys, ...figures);
  for (const { keys, figures } of wordings.values()) database.run(INSERT_WORDING, ...keys, ...figures);
  for (const { keys, loadedAt, referredAt } of last.values()) {
    database.run(INSERT_LAST, ...keys, loadedAt, referredAt);
  }
}

/** What is older goes, and is not counted if it arrives later. The first month that is left is added up anew. */
function expire(database: Database, before: string): void {
  const moment = Date.parse(before);
  const month = before.slice(0, 7);
  database.run(
    `INSERT INTO library_evidence_kept VALUES (1, ?1) ON CONFLICT DO UPDATE SET from_day = max(from_day, ?1)`,
    before,
  );
  database.run('DELETE FROM library_evidence_day WHERE day < ?', before);
  database.run('DELETE FROM library_evidence_wording WHERE day < ?', before);
  database.run(`DELETE FROM library_evidence_total WHERE grain = 'day' AND period < ?`, before);
  database.run(`DELETE FROM library_evidence_total WHERE grain = 'month' AND period <= ?`, month);
  database.run(
    `INSERT INTO library_evidence_total SELECT workspace_id, level, 'month', ?1, file_id, constraint_id,
       ${FIGURES.map((figure) => `sum(${figure})`).join(', ')}
     FROM library_evidence_total WHERE grain = 'day' AND substr(period, 1, 7) = ?1
     GROUP BY workspace_id, level, file_id, constraint_id`,
    month,
  );
  database.run('DELETE FROM library_evidence_session WHERE last_at < ?', moment);
  database.run(
    'DELETE FROM library_evidence_last WHERE max(coalesce(last_loaded_at, 0), coalesce(last_referred_at, 0)) < ?',
    moment,
  );
}
