import { compilePack } from '../../memory/actions/context.ts';
import { act } from '../act.ts';
import type { Run } from '../command-line.ts';
import { showExplanation } from './explanation.ts';

export interface PackFlags {
  intent?: string;
  layer?: string;
  project?: string;
  domain?: string;
  agent?: string;
  limit?: string;
  budget?: string;
  format?: string;
  explain?: boolean;
}

/** Prints the Markdown, or how it came about; with `--json` the whole pack. */
export function pack(run: Run, goal: string, flags: PackFlags): Promise<number> {
  const { intent, layer, project, domain, agent, limit, budget, format, explain } = flags;
  return act(
    run,
    compilePack,
    {
      ...{ goal, intent, layer, project, domain, agent_id: agent, limit, token_budget: budget, format },
      explain,
    },
    {
      show: ({ markdown, query, notices = [], explanation }) =>
        explanation ? [showExplanation(query, explanation), ...notices].join('\n\n') : markdown.trimEnd(),
    },
  );
}
