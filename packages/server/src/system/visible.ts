import type { Visibility, VisibleEvent } from '../call/visible.ts';
import type { JournalEvent } from '../journal/journal.ts';
import type { Caller } from '../trust/identity/caller.ts';

/**
 * Tokens, projects and denials, for who administers the organisation; for who administers some of its projects, what is
 * about those alone. Nobody is told what a token hashes to.
 */
export const visibleOfAccess: Visibility = ({ events, actor }, caller) => ({
  named: true,
  events:
    actor.org === caller.org && caller.scopes.includes('admin')
      ? events.flatMap((event) => shown(event, caller))
      : [],
});

function shown({ type, data }: JournalEvent, { projects: own }: Caller): VisibleEvent[] {
  if (type === 'token.created') {
    const { hash: _, ...told } = data;
    return own === null || told.projects?.every((id) => own.includes(id)) ? [{ type, data: told }] : [];
  }
  if (own === null) return [{ type, data }];
  const isOpen =
    (type === 'project.added' || type === 'project.configured' || type === 'project.linked') &&
    own.includes(data.id);
  return isOpen ? [{ type, data }] : [];
}
