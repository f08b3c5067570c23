import type { Projection } from '../../journal/projections/projector.ts';

/** What a data folder has to do with a hub, as its edge; and what a hub has of its edges. */
const TABLES = `
CREATE TABLE library_joined (
  edge_id TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  org TEXT NOT NULL,
  principal TEXT NOT NULL,
  from_seq INTEGER NOT NULL,
  from_hash TEXT NOT NULL,
  joined_seq INTEGER NOT NULL,
  left_at INTEGER
) STRICT;
-- Projects whose library is that of a project at the hub.
CREATE TABLE library_link (
  workspace_id TEXT NOT NULL,
  org TEXT NOT NULL,
  project_id TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  hub_url TEXT NOT NULL,
  hub_project_id TEXT NOT NULL,
  hub_project TEXT NOT NULL,
  PRIMARY KEY (org, project_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX library_link_workspace ON library_link (workspace_id);
-- Up to where a workspace has the hub's library.
CREATE TABLE library_mirror (
  workspace_id TEXT PRIMARY KEY,
  revision INTEGER NOT NULL,
  digest TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE library_sent_draft (
  draft_id TEXT PRIMARY KEY,
  hub_draft_id TEXT NOT NULL,
  state TEXT NOT NULL,
  staged INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- What goes apart from the rest since the hub did not take it, after which position.
CREATE TABLE library_held (
  edge_id TEXT NOT NULL,
  what TEXT NOT NULL,
  project_id TEXT NOT NULL,
  from_seq INTEGER NOT NULL,
  from_hash TEXT NOT NULL,
  PRIMARY KEY (edge_id, what, project_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE library_edge (
  org TEXT NOT NULL,
  id TEXT NOT NULL,
  principal TEXT NOT NULL,
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL,
  entries INTEGER NOT NULL,
  events INTEGER NOT NULL,
  skew INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  refused_reason TEXT,
  refused_seq INTEGER,
  refused_hash TEXT,
  refused_at INTEGER,
  PRIMARY KEY (org, id)
) STRICT, WITHOUT ROWID;
-- Which entries of whom are here: each counts once.
CREATE TABLE library_received (
  org TEXT NOT NULL,
  principal TEXT NOT NULL,
  id TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (org, principal, id)
) STRICT, WITHOUT ROWID;
`;

export const hubProjection: Projection = {
  name: 'hub',
  version: 2,
  tables: TABLES,
  on: {
    'hub.joined': (database, { edge_id, url, hub_id, org, principal, from }, { entry }) => {
      database.run('UPDATE library_joined SET left_at = ? WHERE left_at IS NULL', entry.at);
      database.run(
        `INSERT OR REPLACE INTO library_joined
           (edge_id, url, hub_id, org, principal, from_seq, from_hash, joined_seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[edge_id, url, hub_id, org, principal, from.seq, from.hash, entry.seq],
      );
    },
    'hub.left': (database, { edge_id }, { entry }) => {
      database.run('UPDATE library_joined SET left_at = ? WHERE edge_id = ?', entry.at, edge_id);
    },
    'project.linked': (database, { id, org, workspace_id, hub }) => {
      database.run('DELETE FROM library_link WHERE org = ? AND project_id = ?', org, id);
      if (!hub) return;
      database.run(
        `INSERT INTO library_link (workspace_id, org, project_id, hub_id, hub_url, hub_project_id, hub_project)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        ...[workspace_id, org, id, hub.id, hub.url, hub.project_id, hub.project],
      );
    },
    'library.published': (database, { workspace_id, hub }) => {
      if (!hub) return;
      database.run(
        'INSERT OR REPLACE INTO library_mirror (workspace_id, revision, digest) VALUES (?, ?, ?)',
        ...[workspace_id, hub.revision, hub.digest],
      );
    },
    'hub.draft_sent': (database, { draft_id, hub_draft_id, state, staged }) => {
      database.run(
        'INSERT OR REPLACE INTO library_sent_draft (draft_id, hub_draft_id, state, staged) VALUES (?, ?, ?, ?)',
        ...[draft_id, hub_draft_id, state, staged],
      );
    },
    'hub.held': (database, { edge_id, what, project_id, from }) => {
      // The first time counts: what waits since then was not sent by anything else.
      database.run(
        'INSERT OR IGNORE INTO library_held (edge_id, what, project_id, from_seq, from_hash) VALUES (?, ?, ?, ?, ?)',
        ...[edge_id, what, project_id, from.seq, from.hash],
      );
    },
    'hub.received': (database, { org, edge_id, principal, upto, skew, entries }, { entry: { at } }) => {
      // In one statement: they are many, and everything else about them is cheap.
      database.run(
        `INSERT INTO library_received SELECT ?1, ?2, value ->> 0, value ->> 1 FROM json_each(?3)`,
        ...[org, principal, JSON.stringify(entries.map(({ id, hash }) => [id, hash]))],
      );
      const events = entries.reduce((sum, one) => sum + one.events.length, 0);
      database.run(
        `INSERT INTO library_edge (org, id, principal, seq, hash, entries, events, skew, first_at, last_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)
         ON CONFLICT (org, id) DO UPDATE SET seq = ?4, hash = ?5, entries = entries + ?6, events = events + ?7,
           skew = ?8, last_at = ?9`,
        ...[org, edge_id, principal, upto.seq, upto.hash, entries.length, events, skew, at],
      );
    },
    'hub.refused': (database, { org, edge_id, reason, told }, { entry }) => {
      database.run(
        `UPDATE library_edge SET refused_reason = ?, refused_seq = ?, refused_hash = ?, refused_at = ?
         WHERE org = ? AND id = ?`,
        ...[reason, told.seq, told.hash, entry.at, org, edge_id],
      );
    },
  },
};
