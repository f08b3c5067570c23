import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Database } from '../../kernel/sqlite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { resolveProject } from '../../trust/identity/projects.ts';
import { projectByPath } from '../../trust/identity/queries.ts';
import type { ProjectFlag } from '../command-line.ts';
import type { Output } from '../output.ts';

/** The input of an action on a project's library. Says which project it is about where nothing tells. */
export function inLibrary(output: Output, { project }: ProjectFlag, input: object = {}) {
  return (database: Database) => {
    const known = knownProject(database, project);
    if (known === undefined && !output.json) {
      const { name } = resolveProject(database, localOwner, undefined);
      output.note(
        `${process.cwd()} is not a project yet, so this is about "${name}" (--project names another).`,
      );
    }
    return { ...input, project: known };
  };
}

/** For what a library begins with: the working folder becomes a project, as it does for an agent's host. */
export function inFolderLibrary({ project }: ProjectFlag, input: object) {
  return (database: Database) => ({ ...input, project: knownProject(database, project) ?? process.cwd() });
}

/** Where the agents of a project work. */
export function placeText({
  project,
  project_path,
}: {
  project: string;
  project_path: string | null;
}): string {
  return project_path === null
    ? `"${project}" does not belong to a folder: agents reach it over HTTP, or with --project ${project}.`
    : `"${project}" is the project of ${project_path}.`;
}

/** A project as an action takes it: relative paths are about this folder. */
export function projectNamed(named: string | undefined): string | undefined {
  return named?.startsWith('.') || named?.includes('/') ? resolve(named) : named;
}

/** The named project, else the working folder's, else that of the nearest folder above it in its repository. */
function knownProject(database: Database, named: string | undefined): string | undefined {
  if (named !== undefined) return projectNamed(named);
  for (const folder of foldersFrom(process.cwd())) {
    const known = projectByPath(database, localOwner.org, folder);
    if (known) return known.id;
  }
  return undefined;
}

/** The folder and those above it, up to the root of its repository: what lies beyond has nothing to do with it. */
function foldersFrom(folder: string): string[] {
  const above = [folder];
  for (let at = folder; !existsSync(join(at, '.git')); at = dirname(at)) {
    if (dirname(at) === at) return [folder];
    above.push(dirname(at));
  }
  return above;
}
