import { startSubagent, stopSubagent } from '../../fold/actions/hooked.ts';
import type { Handler } from './handler.ts';
import { hasSession } from './session-of.ts';

/** A subagent begins: its calls count in a branch beside the active one. */
export const subagentStarts: Handler<'subagent-start'> = async (call, hook) => {
  const { agent, type, task } = call.event;
  if (!hook.services.config.hooks.tools || !(await hasSession(call, hook))) return {};
  // Where the host tells who of its agents speaks, that may be the new one itself.
  const startedBy = call.agent === agent ? undefined : call.agent;
  await hook.act(startSubagent, {
    ...{ agent, at: call.at },
    ...(startedBy !== undefined && { started_by: startedBy }),
    ...(type !== undefined && { type }),
    ...(task !== undefined && { task }),
  });
  return {};
};

/** It is done: what it said last is what its branch came to. An answer would make some hosts' subagents go on. */
export const subagentStops: Handler<'subagent-stop'> = async (call, hook) => {
  const { agent, type, lastMessage = '' } = call.event;
  if (!hook.services.config.hooks.tools) return {};
  await hook.act(stopSubagent, { agent, message: lastMessage, ...(type !== undefined && { type }) });
  return {};
};
