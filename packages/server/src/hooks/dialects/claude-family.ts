import type { HostName } from '@infold/protocol';
import type { EventKind, EventOf, HookAnswer, HookCall, HookEvent, ToolEvent } from '../hook-call.ts';
import { readCommon } from './common-events.ts';
import type { HookDialect, HostEvent, ReadPayload } from './dialect.ts';
import { eventOf, type Fields, fieldsOf, pathIn, present, sessionIn, textIn } from './fields.ts';
import { type Replace, textOfResult } from './results.ts';
import { isForeign, runningHost } from './running-host.ts';

/** What sets a host of this family apart from the others. */
export interface ClaudeFamily {
  host: HostName;
  events: readonly HostEvent[];
  /** Events at which the model is shown `additionalContext`. */
  context: readonly EventKind[];
  /** How the result of a tool is given another text; undefined for those that are never touched. */
  replaceOf(tool: string, callId: string | undefined): Replace | undefined;
  /** The fields that make the host take `replaced`, or `text` where it knows no shapes. */
  replacement(replaced: unknown, text: string): { top?: object; specific?: object };
  /** How whoever writes a summary is told something, where the host has a way. */
  instructions?(text: string): string;
  /** The person's own words in a prompt, where the host adds to them. */
  promptOf?(text: string): string;
  /** Whether a payload that says nothing of its host may be another one's. */
  isSuspect?(payload: Fields): boolean;
}

/** Claude Code's way with hooks, which others took over: `hook_event_name` in, `hookSpecificOutput` out. */
export function claudeFamily(family: ClaudeFamily): HookDialect {
  const { host, events } = family;
  return {
    events,
    read(payload, eventName, environment) {
      const fields = fieldsOf(payload);
      if (!fields) return 'unknown';
      if (isForeign(host, fields, environment)) return 'foreign';
      if (runningHost(fields, environment) !== host && family.isSuspect?.(fields)) return 'foreign';
      const registered = eventOf(events, fields, eventName);
      const session = sessionIn(fields.session_id, fields.sessionId);
      const folder = pathIn(fields.cwd, environment.PWD);
      const event = registered && readEvent(family, registered, fields);
      if (!event || session === undefined || folder === undefined) return 'unknown';
      const told: ReadPayload = { session, folder, event };
      return Object.assign(
        told,
        present({ agent: textIn(fields.agent_id), transcript: pathIn(fields.transcript_path) }),
      );
    },
    write: (call, answer, payload) => writeAnswer(family, call, answer, fieldsOf(payload) ?? {}),
  };
}

function readEvent(family: ClaudeFamily, { name, kind }: HostEvent, fields: Fields): HookEvent | undefined {
  switch (kind) {
    case 'prompt': {
      const prompt = readCommon(kind, fields) as EventOf<'prompt'> | undefined;
      return prompt && { ...prompt, text: family.promptOf?.(prompt.text) ?? prompt.text };
    }
    case 'after-compaction':
      return { kind, ...present({ summary: textIn(fields.compact_summary) }) };
    case 'instructions-loaded': {
      const path = pathIn(fields.file_path);
      return path === undefined
        ? undefined
        : { kind, path, ...present({ reason: textIn(fields.load_reason) }) };
    }
    case 'subagent-start':
    case 'subagent-stop':
      return readSubagent(kind, fields);
    case 'originals':
      return readOriginals(fields);
    case 'tool':
      return readTool(family, fields, name === 'PostToolUseFailure');
    default:
      return readCommon(kind, fields);
  }
}

/** All of them, or none: a plugin that leaves something out must know that it is kept. */
function readOriginals({ originals }: Fields): HookEvent | undefined {
  if (!Array.isArray(originals)) return undefined;
  const read = originals.flatMap((one) => {
    const { handle, text } = fieldsOf(one) ?? {};
    return typeof handle === 'string' && typeof text === 'string' ? [{ handle, text }] : [];
  });
  return read.length === originals.length ? { kind: 'originals', originals: read } : undefined;
}

function readSubagent(kind: 'subagent-start' | 'subagent-stop', fields: Fields): HookEvent | undefined {
  const agent = textIn(fields.agent_id);
  if (agent === undefined) return undefined;
  const type = textIn(fields.agent_type);
  if (kind === 'subagent-start')
    return { kind, agent, ...present({ type, task: textIn(fields.prompt, fields.task) }) };
  const lastMessage = textIn(fields.last_assistant_message);
  const transcript = pathIn(fields.agent_transcript_path);
  return { kind, agent, ...present({ type, lastMessage, transcript }) };
}

function readTool(family: ClaudeFamily, fields: Fields, failed: boolean): ToolEvent | undefined {
  const tool = textIn(fields.tool_name);
  if (tool === undefined) return undefined;
  const callId = textIn(fields.tool_use_id);
  const result = fields.tool_response;
  const output = failed ? textIn(fields.error) : textOfResult(result);
  return {
    kind: 'tool',
    ...present({ callId, output }),
    tool,
    input: fields.tool_input,
    failed: failed || fieldsOf(result)?.isError === true || fieldsOf(fieldsOf(result)?.error) !== undefined,
    isReplaceable:
      !failed && output !== undefined && family.replaceOf(tool, callId)?.(result, '') !== undefined,
  };
}

function writeAnswer(family: ClaudeFamily, { event }: HookCall, answer: HookAnswer, payload: Fields): string {
  if (event.kind === 'before-compaction') {
    return answer.instructions ? (family.instructions?.(answer.instructions) ?? '') : '';
  }
  if (event.kind === 'originals') return JSON.stringify({ kept: answer.kept ?? 0 });
  const specific: Record<string, unknown> = {};
  const top: Record<string, unknown> = {};
  if (answer.context && family.context.includes(event.kind)) specific.additionalContext = answer.context;
  if (answer.output !== undefined && event.kind === 'tool' && event.isReplaceable) {
    const replaced = family.replaceOf(event.tool, event.callId)?.(payload.tool_response, answer.output);
    if (replaced !== undefined) {
      const fields = family.replacement(replaced, answer.output);
      Object.assign(specific, fields.specific);
      Object.assign(top, fields.top);
    }
  }
  if (Object.keys(specific).length > 0) {
    const hookEventName = eventOf(family.events, payload, '')?.name ?? nameOf(family, event.kind);
    top.hookSpecificOutput = { hookEventName, ...specific };
  }
  return Object.keys(top).length > 0 ? JSON.stringify(top) : '';
}

/** Where the payload did not say it. */
function nameOf({ events }: ClaudeFamily, kind: EventKind): string {
  return events.find((event) => event.kind === kind)!.name;
}
