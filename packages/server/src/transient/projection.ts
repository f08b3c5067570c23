import { FORGOTTEN } from '../journal/journal.ts';
import type { Projection } from '../journal/projections/projector.ts';
import type { Database } from '../kernel/sqlite.ts';
import { FORGOTTEN_TEXT } from '../trust/forget.ts';

/** Rows that an entry and an event may have: places follow from the journal, so that a rebuild gives the same ones. */
const ENTRY_ROWS = 1024;
const EVENT_ROWS = 32;

export const transientProjection: Projection = {
  name: 'transient',
  version: 1,
  tables: `
CREATE TABLE analysis_finding (
  ordinal INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  org TEXT NOT NULL,
  principal TEXT NOT NULL,
  project_id TEXT NOT NULL,
  analysis_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  finding TEXT NOT NULL,
  category TEXT,
  metadata TEXT,
  persistent INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;
CREATE INDEX analysis_finding_owner ON analysis_finding (org, principal, project_id, analysis_id, ordinal);
CREATE INDEX analysis_finding_end ON analysis_finding (expires_at) WHERE expires_at IS NOT NULL;
-- Sessions that hold findings which expire, until they end.
CREATE TABLE analysis_session (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE analysis_text USING fts5(finding, category, metadata, tokenize = 'porter unicode61');
`,
  on: {
    'finding.stored': (database, stored, { entry, index }) => {
      // What has expired goes with the next write, by the journal's own time: a rebuild gives the same tables.
      const over = database.all<{ ordinal: number }>(
        `SELECT ordinal FROM analysis_finding
         WHERE expires_at <= ? AND session_id NOT IN (SELECT id FROM analysis_session)`,
        entry.at,
      );
      for (const { ordinal } of over) remove(database, ordinal);
      if (stored.expires_at !== null) {
        database.run('INSERT OR IGNORE INTO analysis_session VALUES (?)', stored.session_id);
      }
      for (const [place, { id, finding, category, metadata }] of stored.findings.entries()) {
        if (finding === FORGOTTEN_TEXT) continue;
        const ordinal = entry.seq * ENTRY_ROWS + index * EVENT_ROWS + place;
        database.run(
          `INSERT INTO analysis_finding (ordinal, id, org, principal, project_id, analysis_id, session_id, finding, category,
             metadata, persistent, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          ordinal,
          id,
          stored.org,
          stored.principal,
          stored.project_id,
          stored.analysis_id,
          stored.session_id,
          finding,
          category,
          metadata === null ? null : JSON.stringify(metadata),
          Number(stored.persistent),
          entry.at,
          stored.expires_at,
        );
        database.run(
          'INSERT INTO analysis_text (rowid, finding, category, metadata) VALUES (?, ?, ?, ?)',
          ordinal,
          finding,
          category ?? '',
          metadata === null ? '' : JSON.stringify(metadata),
        );
      }
    },
    'session.expired': (database, { session_id }) => {
      database.run('DELETE FROM analysis_session WHERE id = ?', session_id);
    },
    'finding.cleared': (database, { ids }) => {
      for (const id of ids) removeById(database, id);
    },
    [FORGOTTEN]: (database, { entries }) => {
      for (const { type, data } of entries.flatMap(({ events }) => events)) {
        if (type !== 'finding.stored') continue;
        for (const { id, finding } of data.findings) if (finding === FORGOTTEN_TEXT) removeById(database, id);
      }
    },
  },
};

function removeById(database: Database, id: string): void {
  const row = database.get<{ ordinal: number }>('SELECT ordinal FROM analysis_finding WHERE id = ?', id);
  if (row) remove(database, row.ordinal);
}

function remove(database: Database, ordinal: number): void {
  database.run('DELETE FROM analysis_finding WHERE ordinal = ?', ordinal);
  database.run('DELETE FROM analysis_text WHERE rowid = ?', ordinal);
}
