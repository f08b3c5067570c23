import type { Visibility } from '../call/visible.ts';
import { admits } from '../trust/access/rule.ts';
import { runsServer } from '../trust/identity/caller.ts';
import { draftById, maySee } from './queries/drafts.ts';

/** What an edge sent, for who sent it and for who administers the organisation. */
export const visibleOfHub: Visibility = ({ events, actor }, caller) => {
  const isOwn = actor.org === caller.org && actor.principal === caller.principal;
  const isAdmin = actor.org === caller.org && caller.scopes.includes('admin') && caller.projects === null;
  return { named: true, events: isOwn || isAdmin ? events : [] };
};

/** What was sent to whom is the affair of who runs the server. */
export const visibleOfWebhooks: Visibility = ({ events }, caller) => ({
  events: runsServer(caller) ? events : [],
});

/** What was published, for the project's members; drafts, for who sees the draft. */
export const visibleOfLibrary: Visibility = ({ events }, caller, database) => ({
  named: true,
  events: events.filter(({ type, data }) => {
    if (type === 'library.published' || type === 'library.selected' || type === 'library.protected') {
      return data.org === caller.org && admits(caller, { kind: 'project', id: data.project_id }).allowed;
    }
    const { draft_id } = data as { draft_id?: string };
    const draft = draft_id === undefined ? undefined : draftById(database, draft_id);
    return draft !== undefined && maySee(caller, draft);
  }),
});
