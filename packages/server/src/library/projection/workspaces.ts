import type { Projection } from '../../journal/projections/projector.ts';
import type { Database } from '../../kernel/sqlite.ts';

/** What workspaces have from their organisation's library, and who must approve what in them. */
const TABLES = `
CREATE TABLE library_selection (
  workspace_id TEXT PRIMARY KEY,
  org TEXT NOT NULL,
  project_id TEXT NOT NULL,
  paths TEXT NOT NULL,
  tags TEXT NOT NULL,
  -- Null: the latest.
  revision INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX library_selection_org ON library_selection (org);
CREATE TABLE library_protection (
  workspace_id TEXT NOT NULL,
  pattern TEXT NOT NULL,
  reviewers TEXT NOT NULL,
  approvals INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, pattern)
) STRICT, WITHOUT ROWID;
-- Of drafts as they are: one that is changed has none.
CREATE TABLE library_approval (
  draft_id TEXT NOT NULL,
  principal TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (draft_id, principal)
) STRICT, WITHOUT ROWID;
`;

export const workspacesProjection: Projection = {
  name: 'workspaces',
  version: 1,
  tables: TABLES,
  on: {
    'library.selected': (database, { workspace_id, org, project_id, selection }) => {
      database.run('DELETE FROM library_selection WHERE workspace_id = ?', workspace_id);
      if (!selection) return;
      const { paths, tags, revision } = selection;
      database.run(
        `INSERT INTO library_selection (workspace_id, org, project_id, paths, tags, revision) VALUES (?, ?, ?, ?, ?, ?)`,
        ...[workspace_id, org, project_id, JSON.stringify(paths), JSON.stringify(tags)],
        revision === 'latest' ? null : revision,
      );
    },
    'library.protected': (database, { workspace_id, pattern, reviewers, approvals, lifted }) => {
      database.run(
        'DELETE FROM library_protection WHERE workspace_id = ? AND pattern = ?',
        workspace_id,
        pattern,
      );
      if (lifted) return;
      database.run(
        'INSERT INTO library_protection (workspace_id, pattern, reviewers, approvals) VALUES (?, ?, ?, ?)',
        ...[workspace_id, pattern, JSON.stringify(reviewers), approvals],
      );
    },
    'draft.approved': (database, { draft_id }, { entry }) => {
      database.run(
        'INSERT OR REPLACE INTO library_approval (draft_id, principal, seq) VALUES (?, ?, ?)',
        ...[draft_id, entry.actor.principal, entry.seq],
      );
    },
    'draft.staged': (database, { draft_id }) => dropApprovals(database, draft_id),
    'draft.rebased': (database, { draft_id }) => dropApprovals(database, draft_id),
    'draft.declined': (database, { draft_id }) => dropApprovals(database, draft_id),
  },
};

function dropApprovals(database: Database, draftId: string): void {
  database.run('DELETE FROM library_approval WHERE draft_id = ?', draftId);
}
