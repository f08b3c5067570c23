import { meterTool } from '../../fold/actions/hooked.ts';
import { isOwnTool } from '../../trust/clients/own-tools.ts';
import type { HookAnswer, HookCall, ToolEvent } from '../hook-call.ts';
import type { HookContext } from '../hook-context.ts';
import { archiveOutput } from './archive-output.ts';
import { rulesForFiles } from './file-rules.ts';
import type { Handler } from './handler.ts';
import { hasSession } from './session-of.ts';

/** After each tool: it counts in the branch in which it was called, as long as the model sees it. */
export const afterTool: Handler<'tool'> = async (call, hook) => {
  const { tool, callId, input, output } = call.event;
  if (!hook.services.config.hooks.tools || !(await hasSession(call, hook))) return {};
  const isOwn = isOwnTool(tool);
  const archived = isOwn ? {} : await archive(call, hook);
  await hook.act(meterTool, {
    ...{ tool, input, own: isOwn, at: call.at, late: call.isLate },
    // Where the host tells no id, the report's own keeps it from counting twice.
    call_id: callId ?? `hook_${call.id}`,
    ...(call.agent !== undefined && { agent: call.agent }),
    ...(output !== undefined && { output: archived.shown ?? output }),
    ...(archived.shown !== undefined && { original: output }),
    ...(archived.kept !== undefined && { kept: archived.kept }),
  });
  const context = isOwn ? undefined : await tellRules(call, hook);
  const answer: HookAnswer = {
    ...(archived.shown !== undefined && { output: archived.shown }),
    ...(context !== undefined && { context }),
  };
  return answer;
};

/** An answer without them is better than none. */
async function tellRules(call: HookCall<ToolEvent>, hook: HookContext): Promise<string | undefined> {
  try {
    return await rulesForFiles(call, hook);
  } catch (error) {
    hook.services.log.warn({ err: error }, 'the rules for a file could not be named');
    return undefined;
  }
}

/** What cannot be archived stays as it is: a call is not lost because of it. */
async function archive(call: HookCall<ToolEvent>, hook: HookContext): ReturnType<typeof archiveOutput> {
  try {
    return await archiveOutput(call, hook);
  } catch (error) {
    hook.services.log.warn({ err: error }, 'the output of a tool could not be archived');
    return {};
  }
}
