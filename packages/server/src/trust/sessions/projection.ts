import { FORGOTTEN } from '../../journal/journal.ts';
import type { Projection } from '../../journal/projections/projector.ts';
import type { Database } from '../../kernel/sqlite.ts';

export const sessionProjection: Projection = {
  name: 'session',
  version: 2,
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
-- Where its host has it, as hooks told.
CREATE TABLE session_host (
  session_id TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  folder TEXT NOT NULL,
  transcript TEXT,
  bound_at INTEGER NOT NULL,
  -- Whether it was summed up, and has not been told since what the summary may have lost.
  is_compacted INTEGER NOT NULL DEFAULT 0,
  -- Whether it was told what it begins with, be it nothing.
  is_woken INTEGER NOT NULL DEFAULT 0,
  is_left INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE session_told (
  session_id TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (session_id, id)
) STRICT, WITHOUT ROWID;
`,
  on: {
    [FORGOTTEN]: (database, { entries }) => {
      for (const { type, data } of entries.flatMap(({ events }) => events)) {
        if (type !== 'session.bound') continue;
        database.run(
          'UPDATE session_host SET folder = ?, transcript = ? WHERE session_id = ?',
          data.folder,
          data.transcript,
          data.session_id,
        );
      }
    },
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
      database.run('DELETE FROM session_told WHERE session_id = ?', session_id);
    },
    'session.bound': (database, { session_id, host, folder, transcript, source }, { entry }) => {
      database.run(
        `INSERT INTO session_host (session_id, host, folder, transcript, bound_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (session_id) DO UPDATE SET host = ?2, folder = ?3, transcript = ?4, bound_at = ?5, is_left = 0`,
        session_id,
        host,
        folder,
        transcript,
        entry.at,
      );
      // A window that was cleared knows nothing of what it was told.
      if (source !== 'clear') return;
      database.run('DELETE FROM session_told WHERE session_id = ?', session_id);
      database.run('UPDATE session_host SET is_woken = 0, is_compacted = 0 WHERE session_id = ?', session_id);
    },
    'session.left': (database, { session_id }) => {
      database.run('UPDATE session_host SET is_left = 1 WHERE session_id = ?', session_id);
    },
    'session.compacting': (database, { session_id }) => {
      database.run('UPDATE session_host SET is_compacted = 1 WHERE session_id = ?', session_id);
    },
    'session.told': (database, { session_id, occasion, ids }) => {
      for (const id of ids) tell(database, session_id, id);
      if (occasion === 'prompt' || occasion === 'tool') return;
      const done = occasion === 'wake' ? 'is_woken = 1' : 'is_compacted = 0';
      database.run(`UPDATE session_host SET ${done} WHERE session_id = ?`, session_id);
    },
    // What an agent asked for itself it knows, too.
    'pack.compiled': (database, { ids }, { entry }) => {
      const session = database.get<{ id: string }>('SELECT id FROM session WHERE stream = ?', entry.stream);
      if (session) for (const id of ids) tell(database, session.id, id);
    },
  },
  // Any event keeps its session alive. A clock that jumps back must not shorten a life. To the second is exact
  // enough for a day, and spares a busy session a page with every event.
  each: {
    streams: 'session.',
    apply: (database, entry) => {
      database.run(
        'UPDATE session SET last_at = ?1 WHERE stream = ?2 AND last_at <= ?1 - 1000',
        entry.at,
        entry.stream,
      );
    },
  },
};

function tell(database: Database, sessionId: string, id: string): void {
  database.run('INSERT OR IGNORE INTO session_told (session_id, id) VALUES (?, ?)', sessionId, id);
}
