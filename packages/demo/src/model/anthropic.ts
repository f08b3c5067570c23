import type { TokenCounter } from '@infold/client';
import { projectAnthropic } from '@infold/client/anthropic';
import { z } from 'zod';
import { callText } from '../tokens.ts';
import { asObject, type ModelApi } from './api.ts';
import { type Endpoint, post } from './post.ts';

/** Blocks of the model go back as they came: thinking has a signature. */
interface Block {
  type: string;
  [field: string]: unknown;
}

interface BlockMessage {
  role: 'user' | 'assistant';
  content: string | Block[];
}

const MOST_OUTPUT = 8192;

const answer = z.object({
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullish(),
  usage: z
    .object({
      input_tokens: z.number().optional(),
      cache_read_input_tokens: z.number().nullish(),
      cache_creation_input_tokens: z.number().nullish(),
    })
    .nullish(),
});

/** The Messages API. */
export function anthropicMessages(
  endpoint: Endpoint,
  model: string,
  count: TokenCounter,
): ModelApi<BlockMessage> {
  return {
    name: 'anthropic',
    begin: (task) => [{ role: 'user', content: task }],
    async ask(system, messages, tools) {
      const body = {
        model,
        max_tokens: MOST_OUTPUT,
        system,
        messages,
        tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
      };
      const { content, stop_reason, usage } = await post(endpoint, body, answer);
      const calls = content
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name, input }) => ({
          id: String(id),
          name: String(name),
          input: asObject(input),
        }));
      const texts = content.flatMap(({ type, text }) => (type === 'text' ? [String(text)] : []));
      const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage ?? {};
      return {
        message: { role: 'assistant', content },
        calls,
        text: texts.join('\n'),
        cut: stop_reason === 'max_tokens',
        reported:
          input_tokens === undefined
            ? undefined
            : input_tokens + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0),
      };
    },
    results: (outcomes) => [
      {
        role: 'user',
        content: outcomes.map(({ id, text, failed }) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: text,
          ...(failed && { is_error: true }),
        })),
      },
    ],
    project: (collapser, history) => projectAnthropic(collapser, history as never) as BlockMessage[],
    tokens: (messages) =>
      messages
        .flatMap(({ content }) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content))
        .reduce((sum: number, block: Block) => sum + count(blockText(block)), 0),
  };
}

function blockText({ type, name, input, text, content, thinking }: Block): string {
  if (type === 'tool_use') return callText(String(name), input);
  return String((type === 'tool_result' ? content : (text ?? thinking)) ?? '');
}
