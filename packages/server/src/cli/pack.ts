import { contextInput } from '@infold/protocol';
import type { Config } from '../kernel/config.ts';
import { InfoldError } from '../kernel/errors.ts';
import { contextPack } from '../memory/pack/service.ts';
import { localOwner } from '../trust/caller.ts';
import { createScrubber, type ScrubOptions } from '../trust/scrub/index.ts';
import { parseCount, withMemory } from './memory.ts';
import type { Output } from './output.ts';

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
export function pack(config: Config, output: Output, goal: string, flags: PackFlags): Promise<void> {
  const { intent, layer, project, domain, agent, limit, budget, format } = flags;
  const input = contextInput(config.limits).safeParse({
    goal,
    intent,
    layer,
    project,
    domain,
    agent_id: agent,
    limit: limit === undefined ? undefined : parseCount(limit, '--limit'),
    token_budget: budget === undefined ? undefined : parseCount(budget, '--budget'),
    format,
  });
  if (!input.success) {
    const [issue] = input.error.issues;
    throw new InfoldError('invalid_arguments', `${issue!.path.join('.')}: ${issue!.message}`);
  }
  return withMemory(config, async (journal) => {
    const scrubber = createScrubber(config.scrub as ScrubOptions | undefined);
    const services = { journal, scrubber, clock: Date.now, limits: config.limits };
    const { pack: compiled, notices } = await contextPack(services, { caller: localOwner }, input.data);
    for (const notice of notices) if (!compiled.markdown.includes(notice)) output.note(notice);
    output.answer(compiled, () => compiled.markdown.trimEnd());
  });
}
