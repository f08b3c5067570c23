import { defineProjection } from '../../journal/projector.ts';
import type { AccessEvent } from './events.ts';

export const identityProjection = defineProjection<AccessEvent>({
  name: 'identity',
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
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX identity_project_name ON identity_project (org, name);
CREATE UNIQUE INDEX identity_project_path ON identity_project (org, path) WHERE path IS NOT NULL;
`,
  on: {
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
    'project.added': (database, project, { entry }) => {
      database.run(
        `INSERT INTO identity_project (id, org, name, path, hash, workspace_id, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        project.id,
        project.org,
        project.name,
        project.path,
        project.hash,
        project.workspace_id,
        entry.at,
      );
    },
  },
});
