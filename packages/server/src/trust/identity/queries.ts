import type { Database } from '../../kernel/sqlite.ts';
import type { MirrorLevel, Scope } from './events.ts';

export interface Project {
  id: string;
  name: string;
  path: string | null;
  hash: string;
  workspace_id: string;
}

export interface Token {
  id: string;
  org: string;
  name: string;
  projects: string[] | null;
  scopes: Scope[];
  capabilities: string[];
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

interface TokenRow extends Omit<Token, 'projects' | 'scopes' | 'capabilities'> {
  projects: string | null;
  scopes: string;
  capabilities: string;
}

const TOKEN = 'id, org, name, projects, scopes, capabilities, created_at, expires_at, revoked_at';
const PROJECT = 'id, name, path, hash, workspace_id';

export function tokenByHash(database: Database, hash: string): Token | undefined {
  const row = database.get<TokenRow>(`SELECT ${TOKEN} FROM identity_token WHERE hash = ?`, hash);
  return row && tokenFromRow(row);
}

export function tokenById(database: Database, id: string): Token | undefined {
  const row = database.get<TokenRow>(`SELECT ${TOKEN} FROM identity_token WHERE id = ?`, id);
  return row && tokenFromRow(row);
}

/** When the first token of this name was made, whether or not it still opens anything; undefined for who has none. */
export function firstTokenAt(database: Database, org: string, name: string): number | undefined {
  const sql = 'SELECT min(created_at) AS at FROM identity_token WHERE org = ? AND name = ?';
  return database.get<{ at: number | null }>(sql, org, name)?.at ?? undefined;
}

export function listTokens(database: Database): Token[] {
  return database
    .all<TokenRow>(`SELECT ${TOKEN} FROM identity_token ORDER BY created_at, id`)
    .map(tokenFromRow);
}

/** Once a token was made, HTTP callers need one: revoking the last token does not open the door again. */
export function anyTokenMade(database: Database): boolean {
  return database.get('SELECT 1 FROM identity_token LIMIT 1') !== undefined;
}

export function projectById(database: Database, org: string, id: string): Project | undefined {
  return database.get<Project>(`SELECT ${PROJECT} FROM identity_project WHERE org = ? AND id = ?`, org, id);
}

export function projectByName(database: Database, org: string, name: string): Project | undefined {
  return database.get<Project>(
    `SELECT ${PROJECT} FROM identity_project WHERE org = ? AND name = ?`,
    org,
    name,
  );
}

/** The name itself, or with the first number that makes it free. */
export function freeName(database: Database, org: string, name: string): string {
  if (!projectByName(database, org, name)) return name;
  for (let number = 2; ; number++) {
    const candidate = `${name}-${number}`;
    if (!projectByName(database, org, candidate)) return candidate;
  }
}

export function projectByPath(database: Database, org: string, path: string): Project | undefined {
  return database.get<Project>(
    `SELECT ${PROJECT} FROM identity_project WHERE org = ? AND path = ?`,
    org,
    path,
  );
}

export function listProjects(database: Database, org: string): Project[] {
  return database.all<Project>(`SELECT ${PROJECT} FROM identity_project WHERE org = ? ORDER BY name`, org);
}

/** Of every organisation. */
export function everyProject(database: Database): Project[] {
  return database.all<Project>(`SELECT ${PROJECT} FROM identity_project ORDER BY org, name`);
}

/** Organisations that have a project of this name. */
export function orgsWithProject(database: Database, name: string): string[] {
  return database
    .all<{ org: string }>('SELECT DISTINCT org FROM identity_project WHERE name = ? ORDER BY org', name)
    .map(({ org }) => org);
}

/** The names of the projects of every organisation, by their ids. */
export function projectNames(database: Database): Map<string, string> {
  const rows = database.all<Pick<Project, 'id' | 'name'>>('SELECT id, name FROM identity_project');
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** By the numbers that stand in the table; the first two are those of earlier versions. */
export const MIRROR_NUMBERS: readonly MirrorLevel[] = ['off', 'full', 'summaries'];

export interface SettingsOfProject {
  mirrorBranches: MirrorLevel | null;
  rememberContexts: boolean | null;
}

/** Null where the project does not say. */
export function projectSettings(database: Database, org: string, id: string): SettingsOfProject {
  const row = database.get<{ mirror: number | null; remember: number | null }>(
    `SELECT mirror_branches AS mirror, remember_contexts AS remember FROM identity_project WHERE org = ? AND id = ?`,
    org,
    id,
  );
  const flag = (value: number | null | undefined) => (typeof value === 'number' ? value === 1 : null);
  return {
    mirrorBranches: MIRROR_NUMBERS[row?.mirror ?? -1] ?? null,
    rememberContexts: flag(row?.remember),
  };
}

export interface DenialCount {
  org: string;
  principal: string;
  action: string;
  resource: string;
  code: string;
  count: number;
  first_at: number;
  last_at: number;
}

export function listDenials(database: Database, most: number, org: string | null = null): DenialCount[] {
  return database.all<DenialCount>(
    'SELECT * FROM identity_denial WHERE ?1 IS NULL OR org = ?1 ORDER BY last_at DESC LIMIT ?2',
    org,
    most,
  );
}

function tokenFromRow(row: TokenRow): Token {
  return {
    ...row,
    projects: row.projects === null ? null : (JSON.parse(row.projects) as string[]),
    scopes: JSON.parse(row.scopes) as Scope[],
    capabilities: JSON.parse(row.capabilities) as string[],
  };
}
