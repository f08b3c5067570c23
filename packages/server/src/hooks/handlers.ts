import { answerAfterCompaction, answerBeforeCompaction } from './answers/compaction.ts';
import type { Handler } from './answers/handler.ts';
import { noteInstructions } from './answers/instructions.ts';
import { keepOriginals } from './answers/originals.ts';
import { answerPrompt } from './answers/prompt.ts';
import { sessionEnds } from './answers/session-end.ts';
import { answerSessionStart } from './answers/session-start.ts';
import { subagentStarts, subagentStops } from './answers/subagent.ts';
import { afterTool } from './answers/tool.ts';
import type { EventKind, HookAnswer, HookCall } from './hook-call.ts';
import type { HookContext } from './hook-context.ts';

type Handlers = { readonly [Kind in EventKind]?: Handler<Kind> };

export const HANDLERS: Handlers = {
  tool: afterTool,
  'subagent-start': subagentStarts,
  'subagent-stop': subagentStops,
  'session-end': sessionEnds,
  'session-start': answerSessionStart,
  prompt: answerPrompt,
  'before-compaction': answerBeforeCompaction,
  'after-compaction': answerAfterCompaction,
  'instructions-loaded': noteInstructions,
  originals: keepOriginals,
};

/** Does what an event asks for. An event that nothing follows from is answered with nothing. */
export async function handleEvent(call: HookCall, hook: HookContext): Promise<HookAnswer> {
  const handler = HANDLERS[call.event.kind] as Handler<EventKind> | undefined;
  hook.noteProcesses();
  const answer = await handler?.(call as never, hook);
  if (call.event.kind === 'session-end') await hook.leave();
  return answer ?? {};
}
