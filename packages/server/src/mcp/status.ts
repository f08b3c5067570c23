import { statusOutput } from '@infold/protocol';
import { z } from 'zod';
import { defineTool, type ToolDefinition } from '../call/tool.ts';
import { isoTime } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import { VERSION } from '../kernel/version.ts';
import { hostIdOf } from '../trust/sessions/queries.ts';

/** The tool that an agent calls to learn what it can do here. `doors` is asked when called: the registry knows. */
export function statusTool(doors: () => { name: string; tools: string[] }[]): ToolDefinition {
  return defineTool({
    name: 'infold_status',
    title: 'What Infold offers here',
    description:
      'Show the project and session that calls belong to, the doors and their tools, and the limits.',
    searchHint: 'which project, session, tools and limits; what can Infold do',
    input: z.object({ project: z.string().optional().describe('Id, name or absolute path') }),
    output: statusOutput,
    annotations: { readOnlyHint: true, idempotentHint: true },
    scope: 'read',
    run(input, context) {
      const session = context.sessionIfAny();
      const { registered: _, ...project } = context.project(input.project);
      const lifetime = context.config.limits.sessionLifetime;
      return {
        structured: {
          version: VERSION,
          organisation: context.caller.org,
          principal: context.caller.principal,
          scopes: [...context.caller.scopes],
          project,
          session: session
            ? {
                id: session.id,
                host_id: hostIdOf(context.database, session.id),
                last_at: isoTime(session.last_at),
                expires_at: isoTime(session.last_at + lifetime),
              }
            : null,
          doors: doors(),
          limits: limitsFor(context.config),
        },
      };
    },
  });
}

/** The limits that an agent can plan with; `infold limits` has them all. */
function limitsFor({ limits, contextLimit }: Config): Record<string, number> {
  const { descriptionCharacters, promptBytes, summaryBytes, branchDepth, requestBytes } = limits;
  return { contextLimit, branchDepth, descriptionCharacters, promptBytes, summaryBytes, requestBytes };
}
