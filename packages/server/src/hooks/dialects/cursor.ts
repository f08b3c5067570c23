import type { HookAnswer, HookCall, HookEvent } from '../hook-call.ts';
import { readCommon } from './common-events.ts';
import type { HookDialect, HostEvent, ReadPayload } from './dialect.ts';
import { eventOf, type Fields, fieldsOf, pathIn, present, sessionIn, textIn } from './fields.ts';
import { textOfResult } from './results.ts';
import { isForeign } from './running-host.ts';

/** More than this is dropped whole. */
const CONTEXT_CHARACTERS = 10_000;

const EVENTS: readonly HostEvent[] = [
  { name: 'sessionStart', kind: 'session-start' },
  { name: 'beforeSubmitPrompt', kind: 'prompt' },
  { name: 'postToolUse', kind: 'tool' },
  { name: 'postToolUseFailure', kind: 'tool' },
  { name: 'preCompact', kind: 'before-compaction' },
  { name: 'subagentStart', kind: 'subagent-start' },
  { name: 'subagentStop', kind: 'subagent-stop' },
  { name: 'sessionEnd', kind: 'session-end' },
];

/** From notes of others on its command line and its editor. An event that is not in its list would cost the whole file. */
export const cursor: HookDialect = {
  events: EVENTS,
  read(payload, eventName, environment) {
    const fields = fieldsOf(payload);
    if (!fields) return 'unknown';
    if (isForeign('cursor', fields, environment)) return 'foreign';
    const registered = eventOf(EVENTS, fields, eventName);
    const session = sessionIn(fields.session_id, fields.conversation_id);
    const roots = Array.isArray(fields.workspace_roots) ? fields.workspace_roots : [];
    const folder = pathIn(...roots, fields.cwd, environment.PWD);
    const event = registered && readEvent(registered, fields);
    if (!event || session === undefined || folder === undefined) return 'unknown';
    const told: ReadPayload = { session, folder, event };
    return Object.assign(told, present({ transcript: pathIn(fields.transcript_path) }));
  },
  write: writeAnswer,
};

function readEvent({ name, kind }: HostEvent, fields: Fields): HookEvent | undefined {
  switch (kind) {
    case 'tool':
      return readTool(fields, name === 'postToolUseFailure');
    case 'subagent-start':
    case 'subagent-stop': {
      const agent = textIn(fields.subagent_id, fields.agent_id);
      if (agent === undefined) return undefined;
      const type = textIn(fields.subagent_type, fields.agent_type);
      if (kind === 'subagent-start') return { kind, agent, ...present({ type, task: textIn(fields.task) }) };
      const transcript = pathIn(fields.agent_transcript_path);
      return {
        kind,
        agent,
        ...present({ type, lastMessage: textIn(fields.summary, fields.result), transcript }),
      };
    }
    default:
      return readCommon(kind, fields);
  }
}

/** It gives tools of MCP servers names of this kind, and those results alone can be replaced. */
const isOfMcp = (tool: string) => /^MCP:/.test(tool);

function readTool(fields: Fields, failed: boolean): HookEvent | undefined {
  const tool = textIn(fields.tool_name);
  if (tool === undefined) return undefined;
  const output = failed
    ? textIn(fields.error_message, fields.error)
    : textOfResult(unpacked(fields.tool_output));
  return {
    kind: 'tool',
    ...present({ callId: textIn(fields.tool_use_id), output }),
    tool,
    input: fields.tool_input,
    failed,
    isReplaceable: !failed && output !== undefined && isOfMcp(tool),
  };
}

/** The output is JSON within a text. */
function unpacked(output: unknown): unknown {
  if (typeof output !== 'string') return output;
  try {
    return JSON.parse(output);
  } catch {
    return output;
  }
}

function writeAnswer({ event }: HookCall, { context, output }: HookAnswer): string {
  const answer: Record<string, unknown> = {};
  const takesContext = ['session-start', 'prompt', 'tool'].includes(event.kind);
  if (context && takesContext && context.length <= CONTEXT_CHARACTERS) answer.additional_context = context;
  if (output !== undefined && event.kind === 'tool' && event.isReplaceable)
    answer.updated_mcp_tool_output = output;
  if (Object.keys(answer).length === 0) return '';
  return JSON.stringify(event.kind === 'prompt' ? { continue: true, ...answer } : answer);
}
