import type { Visibility } from '../call/visible.ts';
import { admits } from '../trust/access/rule.ts';
import type { Caller } from '../trust/identity/caller.ts';
import type { MemoryPlace } from './events.ts';

/** Items of places that the caller reads; a pack is seen by who asked for it. */
export const visibleOfMemory: Visibility = ({ events, actor }, caller) => {
  const isOwn = actor.org === caller.org && actor.principal === caller.principal;
  return {
    events: events.filter(({ data }) => {
      const { org, place } = data as { org?: string; place?: MemoryPlace };
      return place ? org === caller.org && isRead(caller, place) : isOwn;
    }),
  };
};

function isRead(caller: Caller, { scope, project_id, principal }: MemoryPlace): boolean {
  if (scope === 'organisation') return true;
  if (scope === 'project') return admits(caller, { kind: 'project', id: project_id }).allowed;
  return principal === caller.principal;
}
