import { systemApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { isoTime } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { VERSION } from '../../kernel/version.ts';
import { hostIdOf } from '../../trust/sessions/queries.ts';

declare module '../../call/parts.ts' {
  interface Parts {
    /** What is open now, with the names of its tools. */
    doors: { name: string; tools: string[] }[];
  }
}

export const status = defineAction(systemApi.infoldStatus, {
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
        doors: context.parts.doors,
        limits: limitsFor(context.config),
      },
    };
  },
});

/** The limits that an agent can plan with; `infold limits` has them all. */
function limitsFor({ limits, contextLimit }: Config): Record<string, number> {
  const { descriptionCharacters, promptBytes, summaryBytes, branchDepth, requestBytes } = limits;
  return { contextLimit, branchDepth, descriptionCharacters, promptBytes, summaryBytes, requestBytes };
}
