import { foldApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { badCursor } from '../../call/arguments.ts';
import { resolveProject } from '../../trust/identity/projects.ts';
import { lifetimeIn } from '../../trust/sessions/queries.ts';
import { pageOfSessions, type SessionPlace, sessionPlace } from '../queries.ts';
import { sessionView } from '../views.ts';

export const listSessions = defineAction(foldApi.listSessions, {
  run({ project, limit, cursor }, { database, caller, config, clock }) {
    const page = pageOfSessions(database, caller, {
      projectId: project === undefined ? undefined : resolveProject(database, caller, project).id,
      limit,
      after: placeOf(cursor),
    });
    const lifetime = lifetimeIn({ clock, config });
    const sessions = page.sessions.map((session) =>
      sessionView(database, session, config.contextLimit, lifetime),
    );
    return { structured: { sessions, next: page.next } };
  },
});

function placeOf(cursor: string | undefined): SessionPlace | undefined {
  if (cursor === undefined) return undefined;
  const place = sessionPlace(cursor);
  if (!place) throw badCursor(foldApi.listSessions, cursor);
  return place;
}
