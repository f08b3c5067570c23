import { defineProjection } from '../journal/projector.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { TransientEvent } from './events.ts';

export const transientProjection = defineProjection<TransientEvent>({
  name: 'transient',
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
CREATE VIRTUAL TABLE analysis_text USING fts5(finding, category, metadata, tokenize = 'porter unicode61');
`,
  on: {
    'finding.stored': (database, stored, { entry }) => {
      // What has expired goes with the next write, by the journal's own time: a rebuild gives the same tables.
      const over = database.all<{ ordinal: number }>(
        'SELECT ordinal FROM analysis_finding WHERE expires_at <= ?',
        entry.at,
      );
      for (const { ordinal } of over) remove(database, ordinal);
      for (const { id, finding, category, metadata } of stored.findings) {
        const { ordinal } = database.get<{ ordinal: number }>(
          `INSERT INTO analysis_finding (id, org, principal, project_id, analysis_id, session_id, finding, category,
             metadata, persistent, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ordinal`,
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
        )!;
        database.run(
          'INSERT INTO analysis_text (rowid, finding, category, metadata) VALUES (?, ?, ?, ?)',
          ordinal,
          finding,
          category ?? '',
          metadata === null ? '' : JSON.stringify(metadata),
        );
      }
    },
    'finding.cleared': (database, { ids }) => {
      for (const id of ids) {
        const row = database.get<{ ordinal: number }>(
          'SELECT ordinal FROM analysis_finding WHERE id = ?',
          id,
        );
        if (row) remove(database, row.ordinal);
      }
    },
  },
});

function remove(database: Database, ordinal: number): void {
  database.run('DELETE FROM analysis_finding WHERE ordinal = ?', ordinal);
  database.run('DELETE FROM analysis_text WHERE rowid = ?', ordinal);
}
