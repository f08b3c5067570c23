import { HOST_SESSION_ID, operationsInput } from '@infold/protocol';
import { type Context, Hono } from 'hono';
import { branchTrajectory } from '../../fold/archive.ts';
import type { Meter } from '../../fold/metering.ts';
import { branchById, isOpenTo, isOwnBranch, listBranches } from '../../fold/queries.ts';
import {
  branchView,
  pageOfSessions,
  type SessionPlace,
  sessionPlace,
  sessionView,
} from '../../fold/views.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { CallServices } from '../../mcp/call.ts';
import { requireScope } from '../../trust/access.ts';
import type { Caller } from '../../trust/caller.ts';
import { resolveProject } from '../../trust/projects.ts';
import { sessionNotFound } from '../../trust/sessions/errors.ts';
import { findSession, type Session } from '../../trust/sessions/queries.ts';
import { Connection, sessionOrNew } from '../../trust/sessions/resolve.ts';
import { accepts, badCursor, checkBody, cursorNumber, pageLimit, readJson } from '../requests.ts';

const DEFAULT_LIMIT = 50;

export interface FoldRouteServices extends CallServices {
  meter: Meter;
}

/** Sessions and branches for consoles, and the way in for what other tools of a host did. */
export function foldRoutes(services: FoldRouteServices, callerOf: (context: Context) => Caller): Hono {
  const { journal, config, clock } = services;
  const { database } = journal;
  const app = new Hono();
  const reportBody = operationsInput(config.limits);
  const lifetime = () => ({ now: clock(), lifetime: config.limits.sessionLifetime });

  const reader = (context: Context): Caller => {
    const caller = callerOf(context);
    requireScope(caller, 'read');
    return caller;
  };
  const sessionOf = (context: Context, caller: Caller): Session => {
    const id = context.req.param('id')!;
    const session = findSession(database, caller, id, undefined);
    if (!session) throw sessionNotFound(id);
    return session;
  };

  app.get('/sessions', accepts('project', 'limit', 'cursor'), (context) => {
    const caller = reader(context);
    const spec = context.req.query('project');
    const page = pageOfSessions(database, caller, {
      projectId: spec === undefined ? undefined : resolveProject(database, caller, spec).id,
      limit: pageLimit(context, DEFAULT_LIMIT, 200),
      after: placeOf(context.req.query('cursor')),
    });
    const sessions = page.sessions.map((session) =>
      sessionView(database, session, config.contextLimit, lifetime()),
    );
    return context.json({ sessions, next: page.next });
  });

  app.get('/sessions/:id', accepts(), (context) => {
    const session = sessionOf(context, reader(context));
    return context.json(sessionView(database, session, config.contextLimit, lifetime()));
  });

  app.get('/sessions/:id/branches', accepts(), (context) => {
    const caller = reader(context);
    const session = sessionOf(context, caller);
    const branches = listBranches(database, session.id).filter((branch) => isOpenTo(caller, branch));
    return context.json({ branches: branches.map(branchView), next: null });
  });

  app.get('/branches/:id', accepts('limit', 'cursor'), (context) => {
    const caller = reader(context);
    const id = context.req.param('id');
    const branch = branchById(database, id);
    if (!branch || !isOwnBranch({ database, caller }, branch)) {
      throw new InfoldError('not_found', `Branch not found: ${id}`);
    }
    const page = Math.max(1, cursorNumber(context, 1));
    const trajectory = branchTrajectory(journal, branch, page, pageLimit(context, DEFAULT_LIMIT, 200));
    const next = page < trajectory.total_pages ? String(page + 1) : null;
    return context.json({ ...branchView(branch), items: trajectory.items, next });
  });

  app.post('/sessions/:id/operations', accepts('project'), async (context) => {
    const caller = callerOf(context);
    requireScope(caller, 'write');
    const id = context.req.param('id');
    const { operations, collapsed } = checkBody(reportBody, await readJson(context, config.limits));
    const session = await reportedSession(context, caller, id);
    return context.json(await services.meter.report(caller, session, operations, collapsed));
  });

  /** A reporter (a hook, a proxy) may be the first to speak of its host's session: it begins then. */
  async function reportedSession(context: Context, caller: Caller, id: string): Promise<Session> {
    const known = findSession(database, caller, id, undefined);
    if (known && known.ended_at === null) return known;
    if (!HOST_SESSION_ID.test(id)) {
      throw new InfoldError('invalid_arguments', 'A session id has 1 to 128 letters, digits, "-" or "_"');
    }
    const project = resolveProject(database, caller, context.req.query('project'));
    return sessionOrNew(journal, {
      caller,
      connection: new Connection(),
      project,
      sessionId: id,
      limiter: services.limiter,
      ...lifetime(),
    });
  }

  return app;
}

function placeOf(cursor: string | undefined): SessionPlace | undefined {
  if (cursor === undefined) return undefined;
  const place = sessionPlace(cursor);
  if (!place) throw badCursor(cursor);
  return place;
}
