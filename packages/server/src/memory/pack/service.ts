import type { ContextInput, ContextPack } from '@infold/protocol';
import type { Journal } from '../../journal/journal.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Caller } from '../../trust/caller.ts';
import { resolveProject } from '../../trust/projects.ts';
import type { Scrubber } from '../../trust/scrub/index.ts';
import type { Session } from '../../trust/sessions/queries.ts';
import { diaryDenied } from '../errors.ts';
import { diaryOwners, type Reader } from '../queries.ts';
import { auditPack } from './audit.ts';
import { compilePack } from './compile.ts';

export interface PackServices {
  journal: Journal;
  scrubber: Scrubber;
  clock: Clock;
}

export interface Asker {
  caller: Caller;
  session?: Session | undefined;
  /** The project that the connection was opened for. */
  connectionProject?: string | undefined;
}

/** Finds out what may be read, or refuses. */
export function readerFor(
  { journal: { database } }: PackServices,
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

/** What `context`, `POST /api/packs` and `infold pack` do. */
export async function contextPack(
  services: PackServices,
  asker: Asker,
  input: ContextInput,
): Promise<{ pack: ContextPack; notices: string[] }> {
  const started = performance.now();
  const { project, agent_id, ...rest } = input;
  const reader = readerFor(services, asker, { project, agent_id });
  const compiled = compilePack(services.journal.database, {
    ...rest,
    reader,
    now: services.clock(),
    favouredProject: favouredProject(services, asker),
  });
  const { pack, notices, limit, relatedLimit, includeRelated } = compiled;
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
