import { type ContextStateHeader, META } from '@infold/protocol';
import { type Call, type Outcome, perform } from '../../call/perform.ts';
import type { PromptSource } from '../../call/prompt.ts';
import type { CallServices } from '../../call/services.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { type ClientIdentity, shownHalf } from '../../trust/clients/client.ts';
import type { ResourceHub } from '../protocol/resources.ts';
import type { ToolRegistry } from './registry.ts';
import { answerResult, type CallResult, errorResult } from './result.ts';

export interface McpServices extends CallServices {
  registry: ToolRegistry;
  resources: ResourceHub;
  prompts?: readonly PromptSource[];
}

export type ToolCall = Omit<Call, 'input' | 'tellsUnknown' | 'readByModel'> & {
  name: string;
  arguments: unknown;
};

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
