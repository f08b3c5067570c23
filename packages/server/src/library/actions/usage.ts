import { libraryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { cursorNumber } from '../../call/arguments.ts';
import type { CallContext } from '../../call/context.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { requireScope } from '../../trust/access/rule.ts';
import { type Caller, isLocalOwner } from '../../trust/identity/caller.ts';
import { pageOfTurns, turnRecord } from '../queries/turns.ts';
import {
  agentUsage,
  constraintUsage,
  dayUsage,
  projectUsage,
  ruleUsage,
  type UsageFilter,
} from '../queries/usage.ts';

const DAY = 86_400_000;

const since = ({ clock }: CallContext, days: number | undefined): number =>
  days === undefined ? 0 : clock() - days * DAY;

export const listTurns = defineAction(libraryApi.listTurns, {
  run({ project: spec, days, limit, cursor }, context) {
    const { database, caller } = context;
    const project = context.project(spec);
    const page = pageOfTurns(database, {
      workspaceId: project.workspace_id,
      principal: caller.scopes.includes('review') ? null : caller.principal,
      since: since(context, days),
      before: cursorNumber(libraryApi.listTurns, cursor, Number.MAX_SAFE_INTEGER),
      limit,
    });
    const shown = page.slice(0, limit);
    const next = page.length > limit ? String(shown.at(-1)!.seq) : null;
    const turns = shown.map((turn) => turnRecord(database, turn));
    return { structured: { project: project.name, turns, next } };
  },
});

type UsageShape = (typeof libraryApi)[
  | 'listRuleUsage'
  | 'listConstraintUsage'
  | 'listAgentUsage'
  | 'listDayUsage'];

/** Everybody sees how often; who it was is for who reviews. */
function defineUsage(
  shape: UsageShape,
  rowsOf: (database: Database, filter: UsageFilter, caller: Caller) => readonly object[],
) {
  return defineAction(shape, {
    run({ project, days, agent, limit, cursor }, context) {
      const { database, caller } = context;
      if (agent !== undefined && agent !== caller.principal) requireScope(caller, 'review');
      const workspaceId = context.project(project).workspace_id;
      const rows = rowsOf(database, { workspaceId, since: since(context, days), agent }, caller);
      // Figures are few enough to be made anew for each page.
      const start = cursorNumber(shape, cursor, 0);
      const next = start + limit < rows.length ? String(start + limit) : null;
      return { structured: { [shape.route.list]: rows.slice(start, start + limit), next } as never };
    },
  });
}

export const listRuleUsage = defineUsage(libraryApi.listRuleUsage, ruleUsage);
export const listConstraintUsage = defineUsage(libraryApi.listConstraintUsage, constraintUsage);
export const listDayUsage = defineUsage(libraryApi.listDayUsage, dayUsage);
export const listAgentUsage = defineUsage(libraryApi.listAgentUsage, (database, filter, caller) =>
  agentUsage(database, caller.scopes.includes('review') ? filter : { ...filter, agent: caller.principal }),
);

const REPORTS = {
  rule: ruleUsage,
  constraint: constraintUsage,
  agent: agentUsage,
  day: dayUsage,
  project: projectUsage,
};

/** Without a project: of all of them, whoever's they are. */
export const reportUsage = defineAction(libraryApi.reportUsage, {
  run({ by, project, days, agent }, context) {
    if (project === undefined && !isLocalOwner(context.caller)) {
      throw new InfoldError(
        'forbidden',
        'Only the owner of the data folder can see the usage of all projects; name a project',
      );
    }
    const workspaceId = project === undefined ? null : context.project(project).workspace_id;
    const rows = REPORTS[by](context.database, { workspaceId, since: since(context, days), agent });
    return { structured: { by, days: days ?? null, rows } };
  },
});
