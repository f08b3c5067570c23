import { ALL_PROJECTS } from '@infold/protocol';
import type { CallContext } from '../call/context.ts';
import { resolveProject } from '../trust/identity/projects.ts';
import { diaryDenied } from './errors.ts';
import { diaryOwners, type Reader } from './queries.ts';

interface Whose {
  project?: string | undefined;
  agent_id?: string | undefined;
}

/** Finds out what may be read, or refuses. A call that names no project reads all that are open to it. */
export function readerFor(
  { database, caller }: Pick<CallContext, 'database' | 'caller'>,
  { project, agent_id }: Whose,
): Reader {
  const isNamed = project !== undefined && project !== ALL_PROJECTS;
  const projectId = isNamed ? resolveProject(database, caller, project).id : null;
  if (agent_id !== undefined) {
    const owners = diaryOwners(database, caller.org, agent_id);
    if (owners.length > 0 && !owners.includes(caller.principal)) throw diaryDenied(agent_id);
  }
  return { caller, projectId, agentId: agent_id ?? null };
}

/** Who searches: without a project of its own, a call is about that of its connection. */
export function searcherFor(context: CallContext, whose: Whose): Reader {
  const reader = readerFor(context, whose);
  if (whose.project !== undefined) return reader;
  return { ...reader, projectId: favouredProject(context) ?? null };
}

/** Who named a project is told of others where it has nothing; who did not, where it has little. */
export function enoughIn(project: string | undefined): number {
  return project === undefined ? 3 : 1;
}

/** The project whose use of items orders what is read: the one that was named, else the session's or the connection's. */
export function usedIn(context: CallContext, { projectId }: Reader): string | undefined {
  if (!context.config.memory.rankByUse) return undefined;
  return projectId ?? context.session?.project_id ?? favouredProject(context);
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
