import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Journal } from '../../journal/journal.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { admits, enforce } from '../access/rule.ts';
import { accessStream } from '../streams.ts';
import type { Caller } from './caller.ts';
import {
  addProject,
  describeOrganisation,
  describeProject,
  ORGANISATION_PROJECT,
  projectNameFor,
} from './commands.ts';
import type { AccessEvent } from './events.ts';
import { listProjects, type Project, projectById, projectByName, projectByPath } from './queries.ts';

const DEFAULT_PROJECT = 'default';
/** So many names help; more would only be long. */
const MOST_NAMED = 50;

export interface ResolvedProject extends Project {
  /** False for a folder that was met for the first time: it is registered with the first write. */
  registered: boolean;
}

/** Finds a project by id, name or absolute path, and refuses the ones that are not the caller's. */
export function resolveProject(
  database: Database,
  caller: Caller,
  spec: string | undefined,
): ResolvedProject {
  // Whose token opens one project means that one.
  const only = caller.projects?.length === 1 ? caller.projects[0] : undefined;
  const project = findProject(database, caller, spec || only);
  enforce(admits(caller, { kind: 'project', id: project.id }));
  return project;
}

/** The organisation's default project, whether or not the caller may open it. */
function defaultProject(database: Database, { org }: Caller): ResolvedProject {
  const known = projectByName(database, org, DEFAULT_PROJECT);
  return known
    ? { ...known, registered: true }
    : { ...describeProject(org, DEFAULT_PROJECT, null), registered: false };
}

function findProject(database: Database, caller: Caller, spec: string | undefined): ResolvedProject {
  const { org } = caller;
  // Every organisation has one, whether or not somebody has written to it yet.
  if (spec === undefined || spec === '' || spec === DEFAULT_PROJECT) return defaultProject(database, caller);
  if (isAbsolutePath(spec)) {
    const path = absolutePath(spec)!;
    const known = projectByPath(database, org, path);
    return known
      ? { ...known, registered: true }
      : { ...describeProject(org, projectNameFor(path), path), registered: false };
  }
  if (/[\\/]/.test(spec) || spec.startsWith('.')) {
    throw new InfoldError(
      'invalid_arguments',
      `"${spec}" is a relative path; give the project's absolute path, id or name`,
    );
  }
  const byId = spec.startsWith('proj_') ? projectById(database, org, spec) : undefined;
  const known = byId ?? projectByName(database, org, spec);
  if (known) return { ...known, registered: true };
  // Who administers an organisation begins its library by writing to it.
  if (spec === ORGANISATION_PROJECT && caller.scopes.includes('admin')) return organisationOf(database, org);
  const names = listProjects(database, org)
    .filter(({ id }) => admits(caller, { kind: 'project', id }).allowed)
    .map((project) => project.name);
  const options =
    names.length === 0 ? 'there are none yet' : `known are ${names.slice(0, MOST_NAMED).join(', ')}`;
  throw new InfoldError(
    'project_not_found',
    `Project not found: ${spec.slice(0, 200)} (give an id, a name or an absolute path; ${options})`,
    { details: { projects: names.slice(0, MOST_NAMED) } },
  );
}

/** The project whose library is the organisation's, whether or not somebody has written to it yet. */
export function organisationOf(database: Database, org: string): ResolvedProject {
  const described = describeOrganisation(org);
  const known = projectById(database, org, described.id);
  return known ? { ...known, registered: true } : { ...described, registered: false };
}

/** Absolute on this system, or a Windows path that a remote client sent. */
export function isAbsolutePath(text: string): boolean {
  return isAbsolute(text) || /^[A-Za-z]:[\\/]/.test(text);
}

/** As a project is known by it; undefined where it is not absolute. */
export function absolutePath(text: string): string | undefined {
  if (isAbsolute(text)) return resolve(text);
  return isAbsolutePath(text) ? text : undefined;
}

/** A path as it is shown: from the folder, where it is in there. */
export function withinFolder(folder: string | undefined, file: string): string {
  if (folder === undefined || !isAbsolute(file)) return file;
  const path = relative(folder, file);
  return path === '' || path.startsWith(`..${sep}`) || path === '..' || isAbsolute(path) ? file : path;
}

/** Registers a project that was met for the first time, when the caller may. */
export async function ensureProject(
  journal: Journal,
  caller: Caller,
  project: ResolvedProject,
): Promise<Project> {
  if (project.registered) return project;
  refuseReader(caller, project);
  const { answer } = await journal.commit({
    stream: accessStream(caller.org),
    actor: caller.actor,
    decide: (database) => addProject(database, caller.org, project),
  });
  return answer;
}

/**
 * What registers a project in the same entry as what is written for it, in whatever stream that is: its id follows
 * from its path, so that two such entries mean the same project.
 */
export function projectEvents(database: Database, caller: Caller, project: ResolvedProject): AccessEvent[] {
  if (project.registered) return [];
  refuseReader(caller, project);
  return addProject(database, caller.org, project).events;
}

function refuseReader(caller: Caller, { path, name }: ResolvedProject): void {
  if (caller.scopes.includes('write')) return;
  throw new InfoldError(
    'project_not_found',
    `Project not found: ${path ?? name} (making it needs the scope "write")`,
  );
}
