import { evidenceApi, type Thresholds } from '@infold/protocol';
import { type Action, defineAction } from '../../call/action.ts';
import { badArguments, cursorNumber } from '../../call/arguments.ts';
import type { CallContext } from '../../call/context.ts';
import { admits, requireScope } from '../../trust/access/rule.ts';
import { isLocalOwner } from '../../trust/identity/caller.ts';
import { everyProject, listProjects, type Project } from '../../trust/identity/queries.ts';
import { evidenceNames } from '../evidence/names.ts';
import { COLUMNS, judgedRules } from '../evidence/report.ts';
import { firstKept } from '../evidence/retention.ts';
import { trendSince } from '../evidence/trend.ts';
import { firstDay, firstEvidence, keptFrom, type UsageFilter, wordingSums } from '../queries/evidence.ts';
import { itemDays, revisionUsage } from '../queries/item-usage.ts';
import { pageOfTurns, turnRecord } from '../queries/turns.ts';
import { agentUsage, constraintUsage, dayUsage, modelUsage, projectUsage } from '../queries/usage.ts';
import { requireHistory } from './items.ts';

const DAY = 86_400_000;
const DEFAULTS: Thresholds = { published_days: 30, min_turns: 20, fought_share: 0.2, min_edits: 4 };

/** From when on evidence counts: what is asked for, and never what is older than it is kept. */
function sinceIn(
  { clock, config, database }: CallContext,
  { days, since }: { days?: number | undefined; since?: string | undefined },
): number {
  const { retentionDays } = config.evidence;
  const kept = [keptFrom(database), retentionDays && firstKept(clock(), retentionDays)];
  return Math.max(
    days === undefined ? 0 : clock() - days * DAY,
    since === undefined ? 0 : Date.parse(since),
    ...kept.map((day) => (day ? Date.parse(day) : 0)),
  );
}

export const listTurns = defineAction(evidenceApi.listTurns, {
  run({ project: spec, days, limit, cursor }, context) {
    const { database, caller } = context;
    const project = context.project(spec);
    const page = pageOfTurns(database, {
      workspaceId: project.workspace_id,
      principal: caller.scopes.includes('review') ? null : caller.principal,
      since: sinceIn(context, { days }),
      before: cursorNumber(evidenceApi.listTurns, cursor, Number.MAX_SAFE_INTEGER),
      limit,
    });
    const shown = page.slice(0, limit);
    const next = page.length > limit ? String(shown.at(-1)!.seq) : null;
    const names = evidenceNames(context);
    const turns = shown.map((turn) => {
      const agent = names.shown(turn.agent, turn.agent === turn.principal);
      return { ...turnRecord(database, turn), agent };
    });
    return { structured: { project: project.name, turns, next } };
  },
});

interface Asked {
  agent?: string | undefined;
  model?: string | undefined;
  days?: number | undefined;
  since?: string | undefined;
}

/** Everybody sees how often; who it was is for who reviews. */
function filterOf(
  context: CallContext,
  { agent, model, ...asked }: Asked,
  workspaces: readonly string[] | null,
): UsageFilter {
  if (agent !== undefined && agent !== context.caller.principal) requireScope(context.caller, 'review');
  const meant = agent === undefined ? undefined : evidenceNames(context).meant(agent);
  return { workspaces, since: sinceIn(context, asked), agent: meant, model };
}

type Rows = (
  context: CallContext,
  filter: UsageFilter,
  thresholds: Thresholds,
) => readonly Record<string, unknown>[];

const ROWS: Record<(typeof evidenceApi)['reportUsage']['output']['shape']['by']['options'][number], Rows> = {
  rule: ({ database, clock }, filter, thresholds) => judgedRules(database, filter, thresholds, clock()),
  constraint: ({ database }, filter) => constraintUsage(database, filter),
  project: ({ database }, filter) => projectUsage(database, filter),
  agent: agentRows,
  model: ({ database }, filter) => modelUsage(database, filter),
  day: ({ database }, filter) => dayUsage(database, filter),
};

function agentRows(context: CallContext, filter: UsageFilter): readonly Record<string, unknown>[] {
  const { database, caller } = context;
  const isReviewer = caller.scopes.includes('review');
  const names = evidenceNames(context);
  const rows = agentUsage(database, isReviewer ? filter : { ...filter, agent: caller.principal });
  return rows.map((row) => ({ ...row, agent: names.shown(row.agent, row.is_person) }));
}

type UsageShape = (typeof evidenceApi)[
  | 'listRuleUsage'
  | 'listConstraintUsage'
  | 'listAgentUsage'
  | 'listModelUsage'
  | 'listDayUsage'];

function defineUsage(shape: UsageShape, rowsOf: Rows): Action & Pick<UsageShape, 'output'> {
  return defineAction(shape, {
    run({ project: spec, days, agent, limit, cursor }, context) {
      const project = context.project(spec);
      const filter = filterOf(context, { days, agent }, [project.workspace_id]);
      const rows = rowsOf(context, filter, DEFAULTS);
      // Figures are few enough to be made anew for each page.
      const start = cursorNumber(shape, cursor, 0);
      const next = start + limit < rows.length ? String(start + limit) : null;
      const shown = rows.slice(start, start + limit).map((row) => inProject(row, [project]));
      return { structured: { [shape.route.list]: shown, next } as never };
    },
  });
}

/** A row about a workspace says which project that is. */
function inProject(row: Record<string, unknown>, projects: readonly Project[]): Record<string, unknown> {
  if (!('workspace_id' in row)) return row;
  const project = projects.find(({ workspace_id }) => workspace_id === row.workspace_id);
  return { ...row, project: project?.name ?? null };
}

export const listRuleUsage = defineUsage(evidenceApi.listRuleUsage, ROWS.rule);
export const listConstraintUsage = defineUsage(evidenceApi.listConstraintUsage, ROWS.constraint);
export const listAgentUsage = defineUsage(evidenceApi.listAgentUsage, ROWS.agent);
export const listModelUsage = defineUsage(evidenceApi.listModelUsage, ROWS.model);
export const listDayUsage = defineUsage(evidenceApi.listDayUsage, ROWS.day);

export const readItemUsage = defineAction(evidenceApi.readItemUsage, {
  run({ id: wanted, project: spec, revision, min_turns }, context) {
    const { database } = context;
    const { workspace_id: workspaceId, name: project } = context.project(spec);
    const { id, path, history } = requireHistory(database, workspaceId, wanted);
    const compared = revision ?? history.at(-1)!.revision;
    if (!history.some((one) => one.revision === compared)) {
      const has = history.map((one) => one.revision).join(', ');
      throw badArguments(
        evidenceApi.readItemUsage.name,
        [`revision: this file has the revisions ${has}`],
        'revision',
      );
    }
    const since = sinceIn(context, {});
    const wordings = wordingSums(database, workspaceId, id, since);
    const constraints = constraintUsage(database, { workspaces: [workspaceId], since, fileId: id });
    return {
      structured: {
        ...{ project, id, path },
        revisions: revisionUsage(history, wordings),
        trend: trendSince(history, compared, wordings, min_turns),
        days: itemDays(wordings),
        constraints: constraints.map((row) => ({ ...row, project })),
      },
    };
  },
});

/** Without a project: of all that are open to the caller, for the owner of the data folder whoever's they are. */
export const reportUsage = defineAction(evidenceApi.reportUsage, {
  run({ by, project: spec, days, since, agent, model, rule, only, format: _, ...thresholds }, context) {
    const { database } = context;
    const named = spec === undefined ? undefined : context.project(spec);
    const projects = named ? [named] : openProjects(context);
    const isAll = !named && isLocalOwner(context.caller);
    const workspaces = isAll ? null : projects.map(({ workspace_id }) => workspace_id);
    const filter = filterOf(context, { days, since, agent, model }, workspaces);
    if (rule !== undefined) {
      if (!named) throw badArguments(evidenceApi.reportUsage.name, ['rule: needs a project'], 'rule');
      filter.fileId = requireHistory(database, named.workspace_id, rule).id;
    }
    const rows = ROWS[by](context, filter, thresholds)
      .filter((row) => by !== 'rule' || only === undefined || row.verdict === only)
      .map((row) => inProject(row, projects));
    const from = filter.since === 0 ? null : firstDay(filter);
    return {
      structured: {
        ...{ by, since: from, first_day: firstEvidence(database, filter) },
        anonymous: context.config.evidence.anonymous,
        ...{ columns: [...COLUMNS[by]!], rows: rows as never },
      },
    };
  },
});

function openProjects({ database, caller }: CallContext): Project[] {
  if (isLocalOwner(caller)) return everyProject(database);
  return listProjects(database, caller.org).filter(
    ({ id }) => admits(caller, { kind: 'project', id }).allowed,
  );
}
