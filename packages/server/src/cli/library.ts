import { resolve } from 'node:path';
import type { SqliteJournal } from '../journal/sqlite.ts';
import type { Config } from '../kernel/config.ts';
import type { Library } from '../library/service.ts';
import { localOwner } from '../trust/caller.ts';
import { projectByPath } from '../trust/identity/queries.ts';
import { type ResolvedProject, resolveProject } from '../trust/projects.ts';
import { createScrubber, type ScrubOptions } from '../trust/scrub/index.ts';
import { createLibrary, openJournal } from './services.ts';

export interface ProjectFlag {
  project?: string;
}

export interface LibraryWork {
  journal: SqliteJournal;
  library: Library;
  project: ResolvedProject;
}

/** Opens the data folder for one command on a project's library. */
export async function withLibrary<Answer>(
  config: Config,
  flags: ProjectFlag,
  work: (opened: LibraryWork) => Promise<Answer>,
): Promise<Answer> {
  const journal = await openJournal(config);
  try {
    const library = createLibrary(config, journal, createScrubber(config.scrub as ScrubOptions | undefined));
    return await work({ journal, library, project: projectFor(journal, flags.project) });
  } finally {
    await journal.close();
  }
}

/** The named project, else the working folder's if there is one, else the organisation's default. */
function projectFor(journal: SqliteJournal, named: string | undefined): ResolvedProject {
  const { database } = journal;
  if (named !== undefined) {
    const spec = named.startsWith('.') || named.includes('/') ? resolve(named) : named;
    return resolveProject(database, localOwner, spec);
  }
  const here = projectByPath(database, localOwner.org, process.cwd());
  return resolveProject(database, localOwner, here?.id);
}
