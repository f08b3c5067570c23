import type { ModelMessage, ToolResultPart } from 'ai';
import type { Collapser } from '../collapse/collapser.ts';
import { checkNames } from '../collapse/tools.ts';
import { type MessageFormat, replaceParts, type Shrink } from './format.ts';

type ToolPart = Extract<ModelMessage, { role: 'tool' }>['content'][number];

/** `ModelMessage`s of the AI SDK: tool results are parts of tool messages. */
export const aiSdkMessages: MessageFormat<ModelMessage> = {
  name: 'ai-sdk',
  project(message, shrink) {
    if (message.role !== 'tool' || !Array.isArray(message.content)) return message;
    const content = replaceParts<ToolPart>(message.content, (part) =>
      part.type === 'tool-result' ? collapsedPart(part, shrink) : undefined,
    );
    return content ? { ...message, content } : message;
  },
};

function collapsedPart(part: ToolResultPart, shrink: Shrink): ToolResultPart | undefined {
  const { output } = part;
  // Errors and refusals are told in full.
  if (output?.type !== 'text' && output?.type !== 'json' && output?.type !== 'content') return undefined;
  const text = shrink(part.toolCallId, output.value, output, output.type === 'json');
  if (text === undefined) return undefined;
  const options = 'providerOptions' in output ? output.providerOptions : undefined;
  return { ...part, output: { type: 'text', value: text, ...(options && { providerOptions: options }) } };
}

/** What to send: a copy of the history in which consumed results are their summaries. */
export function projectAiSdk(collapser: Collapser, messages: readonly ModelMessage[]): ModelMessage[] {
  return collapser.project(messages, aiSdkMessages);
}

export interface PrepareStepOptions {
  /**
   * The MCP server that a tool belongs to, or undefined for a tool of the application. With it, results of finished
   * steps are observed here; leave it out when they are observed where the tools are called.
   */
  serverOf?: (toolName: string) => string | undefined;
  /** The server's own name for a tool, where the application gave the model another one. */
  nameOf?: (toolName: string) => string;
}

/** Looks at the names of a tool set that goes to `generateText`; answers it as it is. */
export function aiSdkTools<Tools extends object>(collapser: Collapser, tools: Tools): Tools {
  checkNames(
    collapser,
    Object.keys(tools).map((name) => ({ name })),
  );
  return tools;
}

/** What is needed of what the SDK hands to a `prepareStep`, whatever the tools. */
export interface StepInput {
  steps: readonly { toolResults: readonly StepToolResult[] }[];
  messages: ModelMessage[];
}

interface StepToolResult {
  toolCallId: string;
  toolName: string;
  input: unknown;
  output: unknown;
}

/**
 * A `prepareStep` for `generateText`, `streamText` and agents: each step sees the projected messages. To set more than
 * the messages, call it from your own and add to what it returns.
 */
export function prepareStep(
  collapser: Collapser,
  { serverOf, nameOf = (name) => name }: PrepareStepOptions = {},
): (step: StepInput) => { messages: ModelMessage[] } {
  return ({ steps, messages }) => {
    for (const { toolCallId, toolName, input, output } of steps.flatMap(({ toolResults }) => toolResults)) {
      const server = serverOf?.(toolName);
      // Those of earlier steps were observed then: doing so again would only warn.
      if (server === undefined || collapser.has(toolCallId)) continue;
      collapser.observe({ server, tool: nameOf(toolName), callId: toolCallId, result: output, input });
    }
    return { messages: projectAiSdk(collapser, messages) };
  };
}
