import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { SqliteJournal } from '../journal/sqlite.ts';
import type { Config } from '../kernel/config.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { Library } from '../library/service.ts';
import { localOwner } from '../trust/caller.ts';
import { type Project, projectByPath } from '../trust/identity/queries.ts';
import { type ResolvedProject, resolveProject } from '../trust/projects.ts';
import { createScrubber, type ScrubOptions } from '../trust/scrub/index.ts';
import type { Output } from './output.ts';
import { createLibrary, openJournal } from './services.ts';

export interface ProjectFlag {
  project?: string;
}

export interface LibraryWork {
  journal: SqliteJournal;
  library: Library;
  project: ResolvedProject;
}

/** Opens the data folder for one command on a project's library, and says which it took where nothing tells. */
export function withLibrary<Answer>(
  config: Config,
  output: Output,
  flags: ProjectFlag,
  work: (opened: LibraryWork) => Promise<Answer>,
): Promise<Answer> {
  return open(config, work, ({ database }) => {
    const known = knownProject(database, flags.project);
    if (known) return known;
    const project = resolveProject(database, localOwner, undefined);
    if (!output.json) {
      output.note(
        `${process.cwd()} is not a project yet, so this is about "${project.name}" (--project names another).`,
      );
    }
    return project;
  });
}

/** For what a library begins with: the working folder becomes a project, as it does for an agent's host. */
export function withFolderLibrary<Answer>(
  config: Config,
  flags: ProjectFlag,
  work: (opened: LibraryWork) => Promise<Answer>,
): Promise<Answer> {
  return open(
    config,
    work,
    ({ database }) =>
      knownProject(database, flags.project) ?? resolveProject(database, localOwner, process.cwd()),
  );
}

/** Where the agents of a project work. */
export function placeText({ name, path }: Project): string {
  return path === null
    ? `"${name}" is no folder's project: agents reach it over HTTP, or with --project ${name}.`
    : `"${name}" is the project of ${path}.`;
}

async function open<Answer>(
  config: Config,
  work: (opened: LibraryWork) => Promise<Answer>,
  projectIn: (journal: SqliteJournal) => ResolvedProject,
): Promise<Answer> {
  const journal = await openJournal(config);
  try {
    const library = createLibrary(config, journal, createScrubber(config.scrub as ScrubOptions | undefined));
    return await work({ journal, library, project: projectIn(journal) });
  } finally {
    await journal.close();
  }
}

/** The named project, else the working folder's, else that of the nearest folder above it in its repository. */
function knownProject(database: Database, named: string | undefined): ResolvedProject | undefined {
  if (named !== undefined) {
    const spec = named.startsWith('.') || named.includes('/') ? resolve(named) : named;
    return resolveProject(database, localOwner, spec);
  }
  for (const folder of foldersFrom(process.cwd())) {
    const known = projectByPath(database, localOwner.org, folder);
    if (known) return resolveProject(database, localOwner, known.id);
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
