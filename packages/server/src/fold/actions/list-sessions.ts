import { foldApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { badCursor } from '../../call/arguments.ts';
import { resolveProject } from '../../trust/identity/projects.ts';
import { lifetimeIn, type SessionCursor, sessionCursor } from '../../trust/sessions/queries.ts';
import { branchesNamed, pageOfSessions } from '../queries.ts';
import { branchView, sessionView } from '../views.ts';

export const listSessions = defineAction(foldApi.listSessions, {
  run({ project, q, limit, cursor }, { database, caller, config, clock }) {
    const page = pageOfSessions(database, caller, {
      projectId: project === undefined ? undefined : resolveProject(database, caller, project).id,
      words: wordsOf(q),
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

export const searchBranches = defineAction(foldApi.searchBranches, {
  run({ q, limit }, { database, caller }) {
    const branches = branchesNamed(database, caller, wordsOf(q), limit);
    return { structured: { branches: branches.map(branchView), next: null } };
  },
});

function wordsOf(text = ''): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function readCursor(text: string | undefined): SessionCursor | undefined {
  if (text === undefined) return undefined;
  const cursor = sessionCursor(text);
  if (!cursor) throw badCursor(foldApi.listSessions, text);
  return cursor;
}
