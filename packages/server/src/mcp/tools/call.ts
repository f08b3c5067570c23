import { type ContextStateHeader, META } from '@infold/protocol';
import type { Answer } from '../../call/answer.ts';
import type { Content } from '../../call/content.ts';
import { type Call, type Outcome, perform } from '../../call/perform.ts';
import type { PromptSource } from '../../call/prompt.ts';
import type { CallServices } from '../../call/services.ts';
import { errorBody, InfoldError } from '../../kernel/errors.ts';
import { linedJson } from '../../kernel/pages.ts';
import { type ClientIdentity, shownHalf } from '../../trust/clients/client.ts';
import type { ResourceHub } from '../protocol/resources.ts';
import type { ToolRegistry } from './registry.ts';

export interface McpServices extends CallServices {
  registry: ToolRegistry;
  resources: ResourceHub;
  prompts?: readonly PromptSource[];
}

export type ToolCall = Omit<Call, 'input' | 'tellsUnknown' | 'readByModel'> & {
  name: string;
  arguments: unknown;
};

export interface CallResult {
  [key: string]: unknown;
  content: [{ type: 'text'; text: string }, ...Content[]];
  structuredContent: Record<string, unknown>;
  isError: boolean;
  _meta?: Record<string, unknown>;
}

/** A failure is here only where a seed document asks for a JSON-RPC error. */
export type ToolOutcome = ({ result: CallResult } | { failure: InfoldError }) & {
  state: ContextStateHeader | undefined;
};

/** Runs one tool call. A refused call is a result with `isError`; only the fold door's RPC errors are thrown. */
export async function callTool(services: McpServices, call: ToolCall): Promise<ToolOutcome> {
  const tool = services.registry.find(call.name);
  if (!tool) return unknownTool(services, call);
  const { name: _, arguments: input, ...around } = call;
  let rendered: { result: CallResult; notices: number } | undefined;
  const render = (outcome: Outcome): CallResult => {
    const result = outcome.failure
      ? errorResult(outcome.failure, outcome.notices)
      : answerResult(outcome.answer, outcome.notices, call.client);
    rendered = { result, notices: outcome.notices.length };
    return result;
  };
  const outcome = await perform(services, tool.action, {
    ...around,
    input,
    tellsUnknown: true,
    readByModel: (ended) => readBy(call.client, render(ended)),
  });
  const { failure, notices, state } = outcome;
  if (failure?.rpc) return { failure, state };
  const isCurrent = rendered?.notices === notices.length;
  return {
    result: withMeta(services, isCurrent ? rendered!.result : render(outcome), notices, state),
    state,
  };
}

function unknownTool(services: McpServices, { notices = [] }: ToolCall): ToolOutcome {
  services.observer?.called('unknown', 'error', 0, true);
  const result = errorResult(new InfoldError('unknown_tool', 'Unknown tool'), notices);
  return { result: withMeta(services, result, notices, undefined), state: undefined };
}

function withMeta(
  services: McpServices,
  result: CallResult,
  notices: readonly string[],
  state: ContextStateHeader | undefined,
): CallResult {
  result._meta = {
    ...result._meta,
    ...(state ? { [META.contextState]: state } : {}),
    [META.seq]: services.journal.head().seq,
    ...(notices.length > 0 ? { [META.notices]: notices } : {}),
  };
  return result;
}

/** What the client's model reads of a result: that is what it costs. */
function readBy(client: ClientIdentity | undefined, result: CallResult): string {
  return shownHalf(client) === 'data' ? JSON.stringify(result.structuredContent) : result.content[0].text;
}

/**
 * An answer in both halves. Some hosts show their model the data alone and some the text alone, and none shows
 * `_meta`: what the model must know is in each of the two, once.
 */
function answerResult(
  answer: Answer<unknown>,
  notices: readonly string[],
  client?: ClientIdentity,
): CallResult {
  const structured = withNotices(answer.structured as Record<string, unknown>, notices);
  // Who shows both halves unless they are the same must find them the same, to the letter.
  const json = shownHalf(client) === 'both' ? JSON.stringify : linedJson;
  return {
    content: [
      {
        type: 'text',
        text: answer.text === undefined ? json(structured) : withLines(answer.text, notices),
      },
      ...(answer.attachments ?? []),
    ],
    structuredContent: structured,
    isError: false,
    ...(answer.meta ? { _meta: answer.meta } : {}),
  };
}

function errorResult(error: InfoldError, notices: readonly string[] = []): CallResult {
  return {
    content: [{ type: 'text', text: withLines(error.message, notices) }],
    structuredContent: withNotices(errorBody(error), notices),
    isError: true,
  };
}

function withNotices(structured: Record<string, unknown>, notices: readonly string[]) {
  if (notices.length === 0) return structured;
  const own = Array.isArray(structured.notices) ? (structured.notices as string[]) : [];
  return { ...structured, notices: [...new Set([...notices, ...own])] };
}

/** Prose, and what is to be known beside it, unless it says so itself, as its last lines. */
function withLines(text: string, notices: readonly string[]): string {
  const unsaid = notices.filter((notice) => !text.includes(notice));
  return unsaid.length === 0 ? text : `${text}\n\n${unsaid.map((notice) => `Notice: ${notice}`).join('\n')}`;
}
