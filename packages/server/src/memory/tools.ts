import type { ToolDefinition } from '../call/tool.ts';
import { compilePack } from './actions/context.ts';
import { remember } from './actions/remember.ts';
import { planDocument } from './actions/synthesis-plan.ts';

const reads = { readOnlyHint: true, idempotentHint: true };

export const memoryTools: readonly ToolDefinition[] = [
  {
    action: compilePack,
    title: 'Compile a context pack',
    description:
      'Compile a precise context pack for an agent goal: the decisions, plans, rules, procedures, artifacts, gotchas and recent memory that matter for it, grouped for action.',
    searchHint: 'what is known, recall earlier sessions, history, past decisions, background, preferences',
    unlisted: ['explain', 'explanation'],
    annotations: reads,
  },
  {
    action: remember,
    title: 'Remember',
    description:
      'Store what future agents should not have to relearn: a decision, plan, idea, claim, artifact, procedure, rule, error pattern, task or note. Later context packs return it.',
    searchHint: 'save a fact, preference, lesson learned or decision for later sessions',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  },
  {
    action: planDocument,
    title: 'Plan a document',
    description:
      'Plan a source-grounded document for a goal: an outline whose sections name the items they rest on and what is missing. No model is used; the same memory gives the same plan.',
    searchHint: 'write a report, documentation, briefing, roadmap or release notes from what is known',
    annotations: reads,
  },
];
