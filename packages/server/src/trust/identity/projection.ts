import type { Projection } from '../../journal/projections/projector.ts';
import { freeName, MIRROR_NUMBERS, projectById } from './queries.ts';

export const identityProjection: Projection = {
  name: 'identity',
  version: 2,
  tables: `
CREATE TABLE identity_token (
  id TEXT PRIMARY KEY,
  org TEXT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  projects TEXT,
  scopes TEXT NOT NULL,
  capabilities TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE TABLE identity_project (
  id TEXT PRIMARY KEY,
  org TEXT NOT NULL,
  name TEXT NOT NULL,
  path TEXT,
  hash TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  mirror_branches INTEGER,
  remember_contexts INTEGER
) STRICT;
CREATE UNIQUE INDEX identity_project_name ON identity_project (org, name);
CREATE UNIQUE INDEX identity_project_path ON identity_project (org, path) WHERE path IS NOT NULL;
CREATE TABLE identity_denial (
  org TEXT NOT NULL,
  principal TEXT NOT NULL,
  action TEXT NOT NULL,
  resource TEXT NOT NULL,
  code TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (org, principal, action, resource, code)
) STRICT, WITHOUT ROWID;
`,
  on: {
    'access.denied': (database, denial, { entry }) => {
      database.run(
        `INSERT INTO identity_denial VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
         ON CONFLICT DO UPDATE SET count = count + ?6, last_at = ?7`,
        denial.org,
        denial.principal,
        denial.action,
        denial.resource,
        denial.code,
        denial.count,
        entry.at,
      );
    },
    'token.created': (database, token, { entry }) => {
      database.run(
        `INSERT INTO identity_token (id, org, name, hash, projects, scopes, capabilities, created_at, expires_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        token.id,
        token.org,
        token.name,
        token.hash,
        token.projects === null ? null : JSON.stringify(token.projects),
        JSON.stringify(token.scopes),
        JSON.stringify(token.capabilities),
        entry.at,
        token.expires_at,
      );
    },
    'token.revoked': (database, { id }, { entry }) => {
      database.run('UPDATE identity_token SET revoked_at = ? WHERE id = ?', entry.at, id);
    },
    // Whoever needs a project adds it, in whatever stream; of two who did at the same time the first one counts.
    'project.added': (database, project, { entry }) => {
      if (projectById(database, project.org, project.id)) return;
      database.run(
        `INSERT INTO identity_project (id, org, name, path, hash, workspace_id, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        project.id,
        project.org,
        freeName(database, project.org, project.name),
        project.path,
        project.hash,
        project.workspace_id,
        entry.at,
      );
    },
    'project.linked': (database, { org, id, workspace_id }) => {
      database.run(
        'UPDATE identity_project SET workspace_id = ? WHERE org = ? AND id = ?',
        workspace_id,
        org,
        id,
      );
    },
    'project.configured': (database, { org, id, settings }) => {
      const { mirrorBranches, rememberContexts } = settings;
      const column = (value: boolean | null) => (value === null ? null : Number(value));
      if (mirrorBranches !== undefined) {
        database.run(
          'UPDATE identity_project SET mirror_branches = ? WHERE org = ? AND id = ?',
          mirrorBranches === null ? null : MIRROR_NUMBERS.indexOf(mirrorBranches),
          org,
          id,
        );
      }
      if (rememberContexts !== undefined) {
        database.run(
          'UPDATE identity_project SET remember_contexts = ? WHERE org = ? AND id = ?',
          column(rememberContexts),
          org,
          id,
        );
      }
    },
  },
};
