import type { Visibility } from '../call/visible.ts';
import { admits } from '../trust/access/rule.ts';
import { draftById, maySee } from './queries/drafts.ts';

/** What was published, for the project's members; drafts, for who sees the draft. */
export const visibleOfLibrary: Visibility = ({ events }, caller, database) => ({
  named: true,
  events: events.filter(({ type, data }) => {
    if (type === 'library.published') {
      return data.org === caller.org && admits(caller, { kind: 'project', id: data.project_id }).allowed;
    }
    const { draft_id } = data as { draft_id?: string };
    const draft = draft_id === undefined ? undefined : draftById(database, draft_id);
    return draft !== undefined && maySee(caller, draft);
  }),
});
