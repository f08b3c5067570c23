import { type Context, Hono } from 'hono';
import type { CallServices } from '../../call/services.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { pageOfTurns, turnRecord } from '../../library/queries/turns.ts';
import {
  agentUsage,
  constraintUsage,
  dayUsage,
  ruleUsage,
  type UsageFilter,
} from '../../library/queries/usage.ts';
import { requireScope } from '../../trust/access.ts';
import type { Caller } from '../../trust/caller.ts';
import { resolveProject } from '../../trust/projects.ts';
import { accepts, cursorNumber, pageLimit } from '../requests.ts';

const DAY = 86_400_000;
const MOST_DAYS = 3650;
const figures = accepts('project', 'days', 'agent', 'limit', 'cursor');

/** Which rules matter: evidence of what agents loaded, and what they said they applied. */
export function attestationRoutes(services: CallServices, callerOf: (context: Context) => Caller): Hono {
  const { database } = services.journal;
  const app = new Hono();

  const reader = (context: Context) => {
    const caller = callerOf(context);
    requireScope(caller, 'read');
    return { caller, project: resolveProject(database, caller, context.req.query('project')) };
  };
  const sinceOf = (context: Context): number => {
    const days = daysOf(context.req.query('days'));
    return days === null ? 0 : services.clock() - days * DAY;
  };
  const filterOf = (context: Context): UsageFilter => {
    const { caller, project } = reader(context);
    const agent = context.req.query('agent');
    // Everybody sees how often; who it was is for who reviews.
    if (agent !== undefined && agent !== caller.principal) requireScope(caller, 'review');
    return { workspaceId: project.workspace_id, since: sinceOf(context), agent };
  };

  const onlySelf = (context: Context): UsageFilter => {
    const filter = filterOf(context);
    const { scopes, principal } = callerOf(context);
    return scopes.includes('review') ? filter : { ...filter, agent: principal };
  };

  /** One's own turns; everybody's for who reviews. */
  app.get('/attestation/turns', accepts('project', 'days', 'limit', 'cursor'), (context) => {
    const { caller, project } = reader(context);
    const limit = pageLimit(context, 50, 200);
    const page = pageOfTurns(database, {
      workspaceId: project.workspace_id,
      principal: caller.scopes.includes('review') ? null : caller.principal,
      since: sinceOf(context),
      before: cursorNumber(context, Number.MAX_SAFE_INTEGER),
      limit,
    });
    const turns = page.slice(0, limit);
    const next = page.length > limit ? String(turns.at(-1)!.seq) : null;
    return context.json({ turns: turns.map((turn) => turnRecord(database, turn)), next });
  });

  app.get('/attestation/rules', figures, (context) =>
    page(context, 'rules', ruleUsage(database, filterOf(context))),
  );
  app.get('/attestation/constraints', figures, (context) =>
    page(context, 'constraints', constraintUsage(database, filterOf(context))),
  );
  app.get('/attestation/agents', figures, (context) =>
    page(context, 'agents', agentUsage(database, onlySelf(context))),
  );
  app.get('/attestation/days', figures, (context) =>
    page(context, 'days', dayUsage(database, filterOf(context))),
  );

  return app;
}

/** Figures are few enough to be made anew for each page. */
function page(context: Context, name: string, rows: readonly unknown[]): Response {
  const limit = pageLimit(context, 200, 1000);
  const start = cursorNumber(context, 0);
  const next = start + limit < rows.length ? String(start + limit) : null;
  return context.json({ [name]: rows.slice(start, start + limit), next });
}

/** Null for all time. */
export function daysOf(text: string | undefined): number | null {
  if (text === undefined || text === '') return null;
  const days = Number(text);
  if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS) {
    throw new InfoldError('invalid_arguments', `days must be a whole number from 1 to ${MOST_DAYS}`);
  }
  return days;
}
