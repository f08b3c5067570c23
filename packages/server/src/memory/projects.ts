import type { Journal } from '../journal/journal.ts';
import { InfoldError } from '../kernel/errors.ts';
import type { Caller } from '../trust/caller.ts';
import { addNamedProject } from '../trust/identity/commands.ts';
import type { Project } from '../trust/identity/queries.ts';
import { ensureProject, resolveProject } from '../trust/projects.ts';
import { accessStream } from '../trust/streams.ts';

/** The project to write to: found by id, name or path; a name that is new makes one when the caller may. */
export async function projectForImport(journal: Journal, caller: Caller, spec: string): Promise<Project> {
  try {
    return await ensureProject(journal, caller, resolveProject(journal.database, caller, spec));
  } catch (error) {
    const isNew = InfoldError.isInstance(error) && error.code === 'project_not_found';
    const may = caller.projects === null && caller.scopes.includes('write');
    if (!isNew || !may || spec.startsWith('proj_')) throw error;
    const { answer } = await journal.commit({
      stream: accessStream(caller.org),
      actor: caller.actor,
      decide: (database) => addNamedProject(database, caller.org, spec, null),
    });
    return answer;
  }
}
