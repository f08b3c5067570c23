import {
  contextInput,
  contextOutput,
  type RememberAnswer,
  type RememberInput,
  rememberInput,
  rememberOutput,
  synthesisInput,
  synthesisOutput,
} from '@infold/protocol';
import type { CallContext } from '../call/context.ts';
import { defineTool, type ToolDefinition } from '../call/tool.ts';
import type { Journal } from '../journal/journal.ts';
import { digestHex, entryIdForKey, randomId } from '../kernel/ids.ts';
import type { Caller } from '../trust/caller.ts';
import { shownHalf } from '../trust/client.ts';
import { ensureProject, resolveProject } from '../trust/projects.ts';
import type { Scrubber } from '../trust/scrub/index.ts';
import { consumedMeta } from '../trust/sources.ts';
import { memoryStream } from '../trust/streams.ts';
import { remember } from './commands.ts';
import { keyReused } from './errors.ts';
import { type Asker, contextPack, type PackServices } from './pack/service.ts';
import { synthesisPlan } from './synthesis/plan.ts';
import { ITEM_NAMES, itemFrom, placeFor, writeState } from './write.ts';

export function memoryTools(scrubber: Scrubber): ToolDefinition[] {
  return [contextTool(scrubber), rememberTool, synthesisTool(scrubber)];
}

const askerOf = ({ caller, session, connection, client, notices }: CallContext): Asker => ({
  caller,
  session,
  connectionProject: connection.project,
  client,
  told: [...notices],
});

const servicesOf = ({ journal, clock, config, giveWay }: CallContext, scrubber: Scrubber): PackServices => ({
  journal,
  giveWay,
  clock,
  scrubber,
  limits: config.limits,
});

function contextTool(scrubber: Scrubber): ToolDefinition {
  return defineTool({
    name: 'context',
    door: 'memory',
    title: 'Compile a context pack',
    description:
      'Compile a precise context pack for an agent goal: the decisions, plans, rules, procedures, artifacts, gotchas and recent memory that matter for it, grouped for action.',
    searchHint: 'what is known, recall earlier sessions, history, past decisions, background, preferences',
    input: contextInput,
    output: contextOutput,
    annotations: { readOnlyHint: true, idempotentHint: true },
    scope: 'read',
    async run(input, context) {
      const { pack, notices } = await contextPack(servicesOf(context, scrubber), askerOf(context), input);
      context.notices.push(...notices);
      // Where both halves are shown unless they are the same, they are the same.
      return { structured: pack, ...(shownHalf(context.client) === 'both' ? {} : { text: pack.markdown }) };
    },
  });
}

const rememberTool = defineTool({
  name: 'remember',
  door: 'memory',
  title: 'Remember',
  description:
    'Store what future agents should not have to relearn: a decision, plan, idea, claim, artifact, procedure, rule, error pattern, task or note. Later context packs return it.',
  searchHint: 'save a fact, preference, lesson learned or decision for later sessions',
  input: rememberInput,
  output: rememberOutput,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  scope: 'write',
  identifiers: ITEM_NAMES,
  async run(input, context) {
    const { journal, caller, connection } = context;
    context.spend('remembers');
    const { item, replayed } = await rememberItem(journal, caller, input, connection.project);
    const used = await context.sources(input.sources);
    if (context.secrets.count > 0) {
      context.notices.push(
        `${context.secrets.count} secrets were replaced (${context.secrets.kinds.join(', ')})`,
      );
    }
    return { structured: item, ...(used && { meta: consumedMeta(replayed ? [] : used) }) };
  },
});

/** What `remember` and `POST /api/memory/items` do. The input has no secrets in it any more. */
export async function rememberItem(
  journal: Journal,
  caller: Caller,
  input: RememberInput,
  connectionProject?: string,
): Promise<{ item: RememberAnswer; replayed: boolean }> {
  const { project: spec, scope, agent_id: agentId, relations = [], idempotency_key: key, ...fields } = input;
  const wanted = spec ?? (scope === undefined || scope === 'project' ? connectionProject : undefined);
  const project = wanted === undefined ? undefined : resolveProject(journal.database, caller, wanted);
  const place = placeFor(caller, { scope, projectId: project?.id ?? null, agentId });
  const item = itemFrom(randomId('mem'), 'remember', fields);
  if (project) await ensureProject(journal, caller, project);
  // Only a key can bring back the answer to another request.
  const request =
    key === undefined ? '' : digestHex(32, JSON.stringify([place, { ...item, id: '' }, relations]));
  const { answer, replayed } = await journal.commit({
    stream: memoryStream(caller.org),
    actor: caller.actor,
    ...(key === undefined ? {} : { id: entryIdForKey('remember', caller.org, caller.principal, key) }),
    decide: (database) => {
      const state = writeState(database, { caller, place, item, relations, named: false });
      const decision = remember(state, item);
      return { events: decision.events, answer: { ...decision.answer, request } };
    },
  });
  if (answer.request !== request) throw keyReused();
  return { item: { id: answer.id, created: answer.created, conflicts: answer.conflicts }, replayed };
}

function synthesisTool(scrubber: Scrubber): ToolDefinition {
  return defineTool({
    name: 'synthesis_plan',
    door: 'memory',
    title: 'Plan a document',
    description:
      'Plan a source-grounded document for a goal: an outline whose sections name the items they rest on and what is missing. No model is used; the same memory gives the same plan.',
    searchHint: 'write a report, documentation, briefing, roadmap or release notes from what is known',
    input: synthesisInput,
    output: synthesisOutput,
    annotations: { readOnlyHint: true, idempotentHint: true },
    scope: 'read',
    async run(input, context) {
      const { plan, notices } = await synthesisPlan(servicesOf(context, scrubber), askerOf(context), input);
      context.notices.push(...notices);
      return { structured: plan };
    },
  });
}
