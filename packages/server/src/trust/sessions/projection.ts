import type { Projection } from '../../journal/projector.ts';

export const sessionProjection: Projection = {
  name: 'session',
  version: 1,
  tables: `
CREATE TABLE session (
  id TEXT PRIMARY KEY,
  org TEXT NOT NULL,
  principal TEXT NOT NULL,
  project_id TEXT NOT NULL,
  stream TEXT NOT NULL UNIQUE,
  started_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
-- No index holds last_at: it changes with every event, and each index would be one more page to write.
CREATE INDEX session_live ON session (org, principal, project_id) WHERE ended_at IS NULL;
CREATE TABLE session_name (
  org TEXT NOT NULL,
  principal TEXT NOT NULL,
  project_id TEXT NOT NULL,
  host_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  PRIMARY KEY (org, principal, host_id, project_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_name_session ON session_name (session_id);
`,
  on: {
    'session.started': (database, session, { entry }) => {
      database.run(
        `INSERT INTO session (id, org, principal, project_id, stream, started_at, last_at)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        session.session_id,
        session.org,
        session.principal,
        session.project_id,
        entry.stream,
        entry.at,
        entry.at,
      );
      if (session.host_id !== null) {
        database.run(
          'INSERT OR REPLACE INTO session_name (org, principal, project_id, host_id, session_id) VALUES (?, ?, ?, ?, ?)',
          session.org,
          session.principal,
          session.project_id,
          session.host_id,
          session.session_id,
        );
      }
    },
    'session.named': (database, { session_id, host_id }) => {
      database.run(
        `INSERT OR REPLACE INTO session_name (org, principal, project_id, host_id, session_id)
         SELECT org, principal, project_id, ?, id FROM session WHERE id = ?`,
        host_id,
        session_id,
      );
    },
    'session.expired': (database, { session_id }, { entry }) => {
      database.run('UPDATE session SET ended_at = ? WHERE id = ?', entry.at, session_id);
    },
  },
  // Any event keeps its session alive. A clock that jumps back must not shorten a life. To the second is exact
  // enough for a day, and spares a busy session a page with every event.
  each: (database, entry) => {
    if (!entry.stream.startsWith('session.')) return;
    database.run(
      'UPDATE session SET last_at = ?1 WHERE stream = ?2 AND last_at <= ?1 - 1000',
      entry.at,
      entry.stream,
    );
  },
};
