import type { Journal } from '../journal/journal.ts';
import { InfoldError } from '../kernel/errors.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { Caller } from '../trust/identity/caller.ts';
import { addNamedProject, describeProject } from '../trust/identity/commands.ts';
import { ensureProject, resolveProject } from '../trust/identity/projects.ts';
import type { Project } from '../trust/identity/queries.ts';
import { accessStream } from '../trust/streams.ts';

/** The project that an import would write to, without making it. */
export function projectForRehearsal(database: Database, caller: Caller, spec: string): Project {
  try {
    return resolveProject(database, caller, spec);
  } catch (error) {
    if (!mayMake(error, caller, spec)) throw error;
    return describeProject(caller.org, spec, null);
  }
}

/** A name that is new makes a project where the caller may open all of them. */
function mayMake(error: unknown, caller: Caller, spec: string): boolean {
  const isNew = InfoldError.isInstance(error) && error.code === 'project_not_found';
  return isNew && caller.projects === null && caller.scopes.includes('write') && !spec.startsWith('proj_');
}

/** The project to write to: found by id, name or path; a name that is new makes one when the caller may. */
export async function projectForImport(journal: Journal, caller: Caller, spec: string): Promise<Project> {
  try {
    return await ensureProject(journal, caller, resolveProject(journal.database, caller, spec));
  } catch (error) {
    if (!mayMake(error, caller, spec)) throw error;
    const { answer } = await journal.commit({
      stream: accessStream(caller.org),
      actor: caller.actor,
      decide: (database) => addNamedProject(database, caller.org, spec, null),
    });
    return answer;
  }
}
