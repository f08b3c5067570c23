import { projectsOfBranches } from '../../fold/queries.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Session } from '../../trust/sessions/queries.ts';

/** The session's own project first, then those of its branches. */
export function projectsOf({ database }: Journal, { id, project_id }: Session): string[] {
  return [...new Set([project_id, ...projectsOfBranches(database, id)])];
}
