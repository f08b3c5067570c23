import type { Visibility } from '../call/visible.ts';
import { sessionsOf } from '../trust/streams.ts';
import { branchById, isOpenTo } from './queries.ts';

/** One's own sessions, as far as their branches work for projects that are open. */
export const visibleOfSession: Visibility = ({ stream, events }, caller, database) => {
  if (!stream.startsWith(sessionsOf(caller.org, caller.principal))) return { events: [] };
  if (caller.projects === null) return { events };
  const project = stream.split('.')[2]!;
  return {
    events: events.filter(({ data }) => {
      const { branch_id } = data as { branch_id?: string | null };
      const branch = branch_id ? branchById(database, branch_id) : undefined;
      return branch ? isOpenTo(caller, branch) : caller.projects!.includes(project);
    }),
  };
};
