import type { HookAnswer, HookCall, HookEvent } from '../hook-call.ts';
import { readCommon } from './common-events.ts';
import type { HookDialect, HostEvent, ReadPayload } from './dialect.ts';
import { eventOf, type Fields, fieldsOf, pathIn, present, sessionIn, textIn } from './fields.ts';
import { textOfResult } from './results.ts';
import { isForeign } from './running-host.ts';

const EVENTS: readonly HostEvent[] = [
  { name: 'sessionStart', kind: 'session-start' },
  { name: 'userPromptSubmitted', kind: 'prompt' },
  { name: 'postToolUse', kind: 'tool' },
  { name: 'postToolUseFailure', kind: 'tool' },
  { name: 'preCompact', kind: 'before-compaction' },
  { name: 'subagentStart', kind: 'subagent-start' },
  { name: 'subagentStop', kind: 'subagent-stop' },
  { name: 'sessionEnd', kind: 'session-end' },
];

/** Tools that show or change a file. */
const FILES = ['view', 'edit', 'create', 'str_replace_editor', 'apply_patch'];

/** From its documentation. Names of events that begin small bring payloads in camel case, which do not name the event. */
export const copilot: HookDialect = {
  events: EVENTS,
  read(payload, eventName, environment) {
    const fields = fieldsOf(payload);
    if (!fields) return 'unknown';
    if (isForeign('copilot', fields, environment)) return 'foreign';
    const registered = eventOf(EVENTS, fields, eventName);
    const session = sessionIn(fields.sessionId, fields.session_id);
    const folder = pathIn(fields.cwd, environment.PWD);
    const event = registered && readEvent(registered, fields);
    if (!event || session === undefined || folder === undefined) return 'unknown';
    const told: ReadPayload = { session, folder, event };
    const transcript = pathIn(fields.transcriptPath, fields.transcript_path);
    return Object.assign(told, present({ agent: textIn(fields.agentId), transcript }));
  },
  write: writeAnswer,
};

function readEvent({ name, kind }: HostEvent, fields: Fields): HookEvent | undefined {
  switch (kind) {
    case 'tool':
      return readTool(fields, name === 'postToolUseFailure');
    case 'subagent-start':
    case 'subagent-stop': {
      const agent = textIn(fields.agentId, fields.agentName);
      if (agent === undefined) return undefined;
      const type = textIn(fields.agentName, fields.agentType);
      if (kind === 'subagent-start')
        return { kind, agent, ...present({ type, task: textIn(fields.task, fields.prompt) }) };
      const lastMessage = textIn(fields.lastAssistantMessage, fields.response);
      return {
        kind,
        agent,
        ...present({ type, lastMessage, transcript: pathIn(fields.agentTranscriptPath) }),
      };
    }
    default:
      return readCommon(kind, fields);
  }
}

function readTool(fields: Fields, isFailure: boolean): HookEvent | undefined {
  const tool = textIn(fields.toolName);
  if (tool === undefined) return undefined;
  const result = fieldsOf(fields.toolResult);
  const failed = isFailure || (result !== undefined && result.resultType !== 'success');
  const output = textOfResult(fields.toolResult) ?? textIn(fields.error);
  const isText = typeof result?.textResultForLlm === 'string';
  return {
    kind: 'tool',
    ...present({ callId: textIn(fields.toolCallId, fields.toolUseId), output }),
    tool,
    input: argumentsIn(fields.toolArgs),
    failed,
    isReplaceable: !failed && isText && !FILES.includes(tool),
  };
}

/** Versions differ in whether they are JSON within a text. */
function argumentsIn(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

function writeAnswer({ event }: HookCall, { context, output }: HookAnswer, payload: unknown): string {
  const answer: Record<string, unknown> = {};
  if (context && ['session-start', 'tool', 'subagent-start'].includes(event.kind))
    answer.additionalContext = context;
  if (output !== undefined && event.kind === 'tool' && event.isReplaceable) {
    answer.modifiedResult = { ...fieldsOf(fieldsOf(payload)?.toolResult), textResultForLlm: output };
  }
  return Object.keys(answer).length > 0 ? JSON.stringify(answer) : '';
}
