import type { CallContext } from '../call/context.ts';
import { resolveProject } from '../trust/identity/projects.ts';
import { diaryDenied } from './errors.ts';
import { diaryOwners, type Reader } from './queries.ts';

/** Finds out what may be read, or refuses. */
export function readerFor(
  { database, caller }: Pick<CallContext, 'database' | 'caller'>,
  { project, agent_id }: { project?: string | undefined; agent_id?: string | undefined },
): Reader {
  const projectId = project === undefined ? null : resolveProject(database, caller, project).id;
  if (agent_id !== undefined) {
    const owners = diaryOwners(database, caller.org, agent_id);
    if (owners.length > 0 && !owners.includes(caller.principal)) throw diaryDenied(agent_id);
  }
  return { caller, projectId, agentId: agent_id ?? null };
}

/** The id of the connection's project, where it names one that is there and open to the caller. */
export function favouredProject({ database, caller, connection }: CallContext): string | undefined {
  if (connection.project === undefined) return undefined;
  try {
    return resolveProject(database, caller, connection.project).id;
  } catch {
    return undefined;
  }
}
