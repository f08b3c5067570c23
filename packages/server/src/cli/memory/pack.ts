import { compilePack } from '../../memory/actions/context.ts';
import { act } from '../act.ts';
import type { Run } from '../command-line.ts';

export interface PackFlags {
  intent?: string;
  layer?: string;
  project?: string;
  domain?: string;
  agent?: string;
  limit?: string;
  budget?: string;
  format?: string;
}

/** Prints the Markdown; with `--json` the whole pack. */
export function pack(run: Run, goal: string, flags: PackFlags): Promise<number> {
  const { intent, layer, project, domain, agent, limit, budget, format } = flags;
  return act(
    run,
    compilePack,
    { goal, intent, layer, project, domain, agent_id: agent, limit, token_budget: budget, format },
    { show: ({ markdown }) => markdown.trimEnd() },
  );
}
