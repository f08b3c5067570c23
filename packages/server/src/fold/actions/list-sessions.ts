import { foldApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { badCursor } from '../../call/arguments.ts';
import { resolveProject } from '../../trust/identity/projects.ts';
import { lifetimeIn, type SessionCursor, sessionCursor } from '../../trust/sessions/queries.ts';
import { pageOfSessions } from '../queries.ts';
import { sessionView } from '../views.ts';

export const listSessions = defineAction(foldApi.listSessions, {
  run({ project, limit, cursor }, { database, caller, config, clock }) {
    const page = pageOfSessions(database, caller, {
      projectId: project === undefined ? undefined : resolveProject(database, caller, project).id,
      limit,
      after: readCursor(cursor),
    });
    const lifetime = lifetimeIn({ clock, config });
    const sessions = page.sessions.map((session) =>
      sessionView(database, session, config.contextLimit, lifetime),
    );
    return { structured: { sessions, next: page.next } };
  },
});

function readCursor(text: string | undefined): SessionCursor | undefined {
  if (text === undefined) return undefined;
  const cursor = sessionCursor(text);
  if (!cursor) throw badCursor(foldApi.listSessions, text);
  return cursor;
}
