import { type ContextInput, type ContextLayer, type LimitName, memoryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';
import { readyToCount } from '../../kernel/tokens/count.ts';
import { shownHalf } from '../../trust/clients/client.ts';
import { auditPack } from '../pack/audit.ts';
import { selectItems } from '../pack/compile.ts';
import { explainPack } from '../pack/explain.ts';
import { layOut, type PackPresentation } from '../pack/layout.ts';
import { enoughIn, favouredProject, searcherFor, usedIn } from '../read-access.ts';

export const compilePack = defineAction(memoryApi.context, {
  async run(input, context) {
    await readyToCount();
    const started = performance.now();
    const { giveWay } = context;
    const { project, agent_id, token_budget: _budget, format: _format, explain, ...rest } = input;
    const reader = searcherFor(context, { project, agent_id });
    const selection = await selectItems(context.database, {
      ...rest,
      giveWay,
      findByMeaning: context.parts.meaning?.find,
      reader,
      now: context.clock(),
      favouredProject: favouredProject(context),
      enough: enoughIn(project),
      usedIn: usedIn(context, reader),
    });
    const { limit, relatedLimit, includeRelated } = selection;
    const { pack, notices, leftOut } = await layOut(selection, readingOf(context, input), giveWay);
    await giveWay();
    context.notices.push(...notices);
    // A connection's first call begins its session once it is answered; a pack is the session's from the start.
    await context.beginSession();
    await auditPack(context, {
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
      accessible_project_count: context.caller.projects?.length ?? null,
      ids: pack.sections.flatMap(({ items }) => items.map(({ id }) => id)),
      milliseconds: Math.round(performance.now() - started),
    });
    const explained = explain
      ? { ...pack, explanation: explainPack(context.database, selection, leftOut) }
      : pack;
    // Where both halves are shown unless they are the same, they are the same.
    return {
      structured: explained,
      ...(shownHalf(context.client) === 'both' ? {} : { text: pack.markdown }),
    };
  },
});

const BUDGETS: Record<ContextLayer, LimitName> = {
  wake: 'wakeTokens',
  recall: 'recallTokens',
  deep_search: 'deepSearchTokens',
};

/** A model that is shown the data has its bodies once, in the Markdown; programs have the seed's shape. */
function readingOf({ config, client, notices }: CallContext, input: ContextInput): PackPresentation {
  const half = shownHalf(client);
  const format = input.format ?? (half === 'text' ? 'full' : 'compact');
  const isProgram = half === 'text' && format === 'full';
  return {
    half,
    format,
    keepsSections: isProgram && input.token_budget === undefined && input.layer !== 'wake',
    budget: input.token_budget ?? config.limits[BUDGETS[input.layer]],
    told: [...notices],
  };
}
