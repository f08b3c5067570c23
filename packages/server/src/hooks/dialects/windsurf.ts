import type { HookEvent } from '../hook-call.ts';
import type { HookDialect, HostEvent } from './dialect.ts';
import { type Fields, fieldsOf, pathIn, present, sessionIn, textIn } from './fields.ts';
import { textOfResult } from './results.ts';
import { isForeign } from './running-host.ts';

const EVENTS: readonly HostEvent[] = [
  { name: 'pre_user_prompt', kind: 'prompt' },
  { name: 'post_read_code', kind: 'tool' },
  { name: 'post_write_code', kind: 'tool' },
  { name: 'post_run_command', kind: 'tool' },
  { name: 'post_mcp_tool_use', kind: 'tool' },
];

/** From its documentation. It takes nothing from a hook but whether it may go on: these only watch. */
export const windsurf: HookDialect = {
  events: EVENTS,
  read(payload, eventName, environment) {
    const fields = fieldsOf(payload);
    if (!fields) return 'unknown';
    if (isForeign('windsurf', fields, environment)) return 'foreign';
    const name = EVENTS.find((event) => event.name === fields.agent_action_name)?.name ?? eventName;
    const about = fieldsOf(fields.tool_info) ?? {};
    const session = sessionIn(fields.trajectory_id);
    const folder = pathIn(environment.PWD, about.cwd);
    const event = readEvent(name, about);
    return event && session !== undefined && folder !== undefined ? { session, folder, event } : 'unknown';
  },
  write: () => '',
};

function readEvent(name: string, about: Fields): HookEvent | undefined {
  const tool = (called: string, result?: unknown): HookEvent => ({
    kind: 'tool',
    tool: called,
    input: about.mcp_tool_arguments ?? about,
    ...present({ output: textOfResult(result) }),
    failed: false,
    isReplaceable: false,
  });
  switch (name) {
    case 'pre_user_prompt':
      return typeof about.user_prompt === 'string' ? { kind: 'prompt', text: about.user_prompt } : undefined;
    case 'post_read_code':
      return tool('read_code');
    case 'post_write_code':
      return tool('write_code');
    case 'post_run_command':
      return tool('run_command');
    case 'post_mcp_tool_use': {
      const [server, called] = [textIn(about.mcp_server_name), textIn(about.mcp_tool_name)];
      return called === undefined
        ? undefined
        : tool(server === undefined ? called : `mcp__${server}__${called}`, about.mcp_result);
    }
    default:
      return undefined;
  }
}
