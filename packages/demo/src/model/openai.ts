import type { TokenCounter } from '@infold/client';
import { projectOpenAIChat } from '@infold/client/openai-chat';
import { z } from 'zod';
import { callText } from '../tokens.ts';
import { asObject, type ModelApi } from './api.ts';
import { type Endpoint, post } from './post.ts';

interface ToolCallPart {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

type ChatMessage =
  | { role: 'user'; content: string }
  | { role: 'assistant'; content: string | null; tool_calls?: ToolCallPart[] }
  | { role: 'tool'; tool_call_id: string; content: string };

const toolCall = z.object({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z.string().nullish(),
          tool_calls: z.array(toolCall).nullish(),
        }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: z.number().optional() }).nullish(),
});

/** Chat Completions, as OpenAI and many others speak it. */
export function openaiChat(endpoint: Endpoint, model: string, count: TokenCounter): ModelApi<ChatMessage> {
  return {
    name: 'openai',
    begin: (task) => [{ role: 'user', content: task }],
    async ask(system, messages, tools) {
      const body = {
        model,
        messages: [{ role: 'system', content: system }, ...messages],
        tools: tools.map(({ name, description, schema }) => ({
          type: 'function',
          function: { name, description, parameters: schema },
        })),
      };
      const { choices, usage } = await post(endpoint, body, completion);
      const { message, finish_reason } = choices[0]!;
      const calls = message.tool_calls ?? [];
      const content = message.content ?? null;
      // Only what the API takes back: answers of some servers have fields that their requests may not have.
      const parts = calls.map(({ id, function: { name, arguments: text } }) => {
        return { id, type: 'function' as const, function: { name, arguments: text } };
      });
      return {
        message: { role: 'assistant', content, ...(parts.length > 0 && { tool_calls: parts }) },
        calls: calls.map(({ id, function: { name, arguments: text } }) => ({
          id,
          name,
          input: argumentsFrom(text),
        })),
        text: content ?? '',
        cut: finish_reason === 'length',
        reported: usage?.prompt_tokens,
      };
    },
    results: (outcomes) =>
      outcomes.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text })),
    project: (collapser, history) => projectOpenAIChat(collapser, history) as ChatMessage[],
    tokens: (messages) => messages.flatMap(textsOf).reduce((sum, text) => sum + count(text), 0),
  };
}

/** What a model reads of a message. */
function textsOf(message: ChatMessage): string[] {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return [
    message.content ?? '',
    ...calls.map(({ function: { name, arguments: text } }) => callText(name, text)),
  ];
}

/** A call without arguments is written as an empty text by some. */
function argumentsFrom(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}
