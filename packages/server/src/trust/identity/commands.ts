import { basename } from 'node:path';
import type { Decision } from '../../journal/journal.ts';
import { Cache } from '../../kernel/cache.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { digestHex, randomId } from '../../kernel/ids.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { AccessEvent, ProjectLinked, Scope } from './events.ts';
import { checkName, isName, isReserved } from './names.ts';
import {
  freeName,
  type Project,
  projectById,
  projectByName,
  projectSettings,
  type SettingsOfProject,
  tokenById,
} from './queries.ts';
import { hashToken, newToken } from './tokens.ts';

export interface NewToken {
  name: string;
  org: string;
  projects: string[] | null;
  scopes: Scope[];
  capabilities: string[];
  expiresAt: number | null;
}

type AccessDecision<Answer> = Decision<Answer> & { events: AccessEvent[] };

/** The secret is made here and leaves in the answer alone: the event keeps its hash. */
export function createToken(now: number, input: NewToken): AccessDecision<{ id: string; token: string }> {
  checkName(input.name, 'token');
  checkName(input.org, 'organisation');
  if (isReserved(input.org, input.name)) {
    throw new InfoldError(
      'invalid_arguments',
      `"${input.name}" of "${input.org}" is who owns the data folder; a token needs another name`,
    );
  }
  if (input.expiresAt !== null && input.expiresAt <= now) {
    throw new InfoldError(
      'invalid_arguments',
      'A token must expire in the future; use a duration such as 30d',
    );
  }
  const id = randomId('tok');
  const token = newToken();
  const data = {
    id,
    org: input.org,
    name: input.name,
    hash: hashToken(token),
    projects: input.projects,
    scopes: input.scopes,
    capabilities: input.capabilities,
    expires_at: input.expiresAt,
  };
  return { events: [{ type: 'token.created', data }], answer: { id, token } };
}

export function revokeToken(
  database: Database,
  id: string,
): AccessDecision<{ id: string; already: boolean }> {
  const token = tokenById(database, id);
  if (!token) throw tokenNotFound(id);
  if (token.revoked_at !== null) return { events: [], answer: { id, already: true } };
  return { events: [{ type: 'token.revoked', data: { id } }], answer: { id, already: false } };
}

export function tokenNotFound(id: string): InfoldError {
  return new InfoldError('not_found', `There is no token ${id}; "infold token list" shows them`);
}

/**
 * What a project is or will be. Its id follows from the organisation and the path (or name), so that two
 * processes that meet a folder at the same time mean the same project, and asking does not register it.
 */
export function describeProject(org: string, name: string, path: string | null): Project {
  const key = `${org}\n${path ?? ''}\n${name}`;
  const known = described.get(key);
  if (known) return known;
  const id = `proj_${digestHex(16, org, path === null ? 'name' : 'path', path ?? name)}`;
  const hash = digestHex(16, path ?? name);
  const project = { id, name, path, hash, workspace_id: ownWorkspace(org, id) };
  described.set(key, project, 2 * key.length + DESCRIBED_EACH);
  return project;
}

/** The project whose library is the organisation's. */
export const ORGANISATION_PROJECT = 'organisation';

export function describeOrganisation(org: string): Project {
  const id = organisationId(org);
  const hash = digestHex(16, ORGANISATION_PROJECT, org);
  return { id, name: ORGANISATION_PROJECT, path: null, hash, workspace_id: organisationWorkspace(org) };
}

function organisationId(org: string): string {
  return `proj_${digestHex(16, org, 'organisation')}`;
}

/** Where an organisation's library is: its own name, unless that could be the id of a project's workspace. */
export function organisationWorkspace(org: string): string {
  return org.startsWith('ws-') ? digestHex(32, 'organisation', org) : org;
}

/** Where a project's library is, unless it is a copy of another one. */
function ownWorkspace(org: string, projectId: string): string {
  if (projectId === organisationId(org)) return organisationWorkspace(org);
  return `ws-${digestHex(32, 'workspace', projectId)}`;
}

/** Makes a project's library that of a project at a hub; without one it is its own again. */
export function linkProject(
  project: Pick<Project, 'id' | 'workspace_id'>,
  org: string,
  hub: (NonNullable<ProjectLinked['hub']> & { workspaceId: string }) | null,
): AccessDecision<{ workspaceId: string }> {
  const workspaceId = hub?.workspaceId ?? ownWorkspace(org, project.id);
  if (project.workspace_id === workspaceId) return { events: [], answer: { workspaceId } };
  const link = hub && { id: hub.id, url: hub.url, project_id: hub.project_id, project: hub.project };
  const data: ProjectLinked = { id: project.id, org, workspace_id: workspaceId, hub: link };
  return { events: [{ type: 'project.linked', data }], answer: { workspaceId } };
}

/** A folder that is not registered yet is described with every call that names it. */
const described = new Cache<Project>(1024 * 1024);
/** Its ids. */
const DESCRIBED_EACH = 200;

export function addProject(database: Database, org: string, project: Project): AccessDecision<Project> {
  const existing = projectById(database, org, project.id);
  if (existing) return { events: [], answer: existing };
  const name = freeName(database, org, project.name);
  const data = { ...project, name, org };
  return { events: [{ type: 'project.added', data }], answer: { ...project, name } };
}

/** A name asked for must be free; a name taken from a folder gets a number when another folder has it. */
export function addNamedProject(
  database: Database,
  org: string,
  name: string,
  path: string | null,
): AccessDecision<Project> {
  checkName(name, 'project');
  const project = describeProject(org, name, path);
  const taken = projectByName(database, org, name);
  if (taken && taken.id !== project.id) {
    throw new InfoldError('conflict', `There is already a project named "${name}" (${taken.id})`);
  }
  return addProject(database, org, project);
}

/** Answers the settings as they are then. Nothing is written where nothing changes. */
export function configureProject(
  database: Database,
  org: string,
  id: string,
  settings: Partial<SettingsOfProject>,
): AccessDecision<SettingsOfProject> {
  const before = projectSettings(database, org, id);
  const answer = { ...before, ...settings };
  const changes = JSON.stringify(answer) !== JSON.stringify(before);
  const data = { id, org, settings };
  return { events: changes ? [{ type: 'project.configured', data }] : [], answer };
}

export function projectNameFor(path: string): string {
  const name = basename(path)
    .replace(/[^\p{L}\p{N} ._@-]/gu, '-')
    .slice(0, 60);
  return isName(name) ? name : 'project';
}
