import type { ContextInput, ContextLayer, ContextPack, LimitName, Limits } from '@infold/protocol';
import type { Journal } from '../../journal/journal.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type GiveWay, goOn } from '../../kernel/give-way.ts';
import { readyToCount } from '../../kernel/tokens.ts';
import type { Caller } from '../../trust/caller.ts';
import { type ClientIdentity, shownHalf } from '../../trust/client.ts';
import { resolveProject } from '../../trust/projects.ts';
import type { Scrubber } from '../../trust/scrub/index.ts';
import type { Session } from '../../trust/sessions/queries.ts';
import { diaryDenied } from '../errors.ts';
import { diaryOwners, type Reader } from '../queries.ts';
import { auditPack } from './audit.ts';
import { selectItems } from './compile.ts';
import { layOut, type Reading } from './layout.ts';

export interface PackServices {
  journal: Journal;
  scrubber: Scrubber;
  clock: Clock;
  limits: Limits;
  giveWay?: GiveWay;
}

export interface Asker {
  caller: Caller;
  session?: Session | undefined;
  /** The project that the connection was opened for. */
  connectionProject?: string | undefined;
  client?: ClientIdentity | undefined;
  /** Notices that the answer carries already. */
  told?: readonly string[] | undefined;
}

/** Finds out what may be read, or refuses. */
export function readerFor(
  { journal: { database } }: Pick<PackServices, 'journal'>,
  { caller }: Asker,
  { project, agent_id }: { project?: string | undefined; agent_id?: string | undefined },
): Reader {
  const projectId = project === undefined ? null : resolveProject(database, caller, project).id;
  if (agent_id !== undefined) {
    const owners = diaryOwners(database, caller.org, agent_id);
    if (owners.length > 0 && !owners.includes(caller.principal)) throw diaryDenied(agent_id);
  }
  return { caller, projectId, agentId: agent_id ?? null };
}

/** The id of the connection's project, where it names one that is there and open to the caller. */
export function favouredProject(
  services: PackServices,
  { caller, connectionProject }: Asker,
): string | undefined {
  if (connectionProject === undefined) return undefined;
  try {
    return resolveProject(services.journal.database, caller, connectionProject).id;
  } catch {
    return undefined;
  }
}

const BUDGETS: Record<ContextLayer, LimitName> = {
  wake: 'wakeTokens',
  recall: 'recallTokens',
  deep_search: 'deepSearchTokens',
};

/** A model that is shown the data has its bodies once, in the Markdown; programs have the seed's shape. */
function readingOf({ limits }: PackServices, { client, told }: Asker, input: ContextInput): Reading {
  const half = shownHalf(client);
  const format = input.format ?? (half === 'text' ? 'full' : 'compact');
  const isProgram = half === 'text' && format === 'full';
  return {
    half,
    format,
    keepsSections: isProgram && input.token_budget === undefined && input.layer !== 'wake',
    budget: input.token_budget ?? limits[BUDGETS[input.layer]],
    ...(told ? { told } : {}),
  };
}

/** What `context`, `POST /api/packs` and `infold pack` do. */
export async function contextPack(
  services: PackServices,
  asker: Asker,
  input: ContextInput,
): Promise<{ pack: ContextPack; notices: string[] }> {
  await readyToCount();
  const started = performance.now();
  const { giveWay = goOn } = services;
  const { project, agent_id, token_budget: _budget, format: _format, ...rest } = input;
  const reader = readerFor(services, asker, { project, agent_id });
  const selection = await selectItems(services.journal.database, {
    ...rest,
    giveWay,
    reader,
    now: services.clock(),
    favouredProject: favouredProject(services, asker),
  });
  const { limit, relatedLimit, includeRelated } = selection;
  const { pack, notices } = await layOut(selection, readingOf(services, asker, input), giveWay);
  await giveWay();
  const audited = await auditPack(services, asker, {
    tool: 'context',
    goal_length: input.goal.length,
    intent: pack.intent,
    layer: pack.layer,
    domain: pack.domain,
    project_id: pack.project,
    agent_id: agent_id ?? null,
    limit,
    related_limit: relatedLimit,
    include_related: includeRelated,
    result_count: pack.total_items,
    section_count: pack.sections.length,
    accessible_project_count: asker.caller.projects?.length ?? null,
    ids: pack.sections.flatMap(({ items }) => items.map(({ id }) => id)),
    milliseconds: Math.round(performance.now() - started),
  });
  return { pack, notices: audited === undefined ? notices : [...notices, audited] };
}
