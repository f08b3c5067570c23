import type { Message } from '@infold/demo/script';
import { type AskedCall, type Dialect, inputFrom } from './dialect.ts';

interface Event {
  choices?: {
    delta?: {
      content?: unknown;
      tool_calls?: { index?: number; id?: unknown; function?: { name?: unknown; arguments?: unknown } }[];
    };
    finish_reason?: unknown;
  }[];
  error?: { message?: unknown };
}

/** Chat Completions, as OpenAI and many others speak it. */
export const openai: Dialect = {
  path: '/v1/chat/completions',
  headers: (key): Record<string, string> => (key === '' ? {} : { authorization: `Bearer ${key}` }),
  body: ({ model, system, messages, tools }) => ({
    model,
    stream: true,
    messages: [{ role: 'system', content: system }, ...messages.flatMap(chatMessages)],
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    })),
  }),
  reader(onText) {
    let text = '';
    let isCut = false;
    const calls = new Map<number, { id: string; name: string; json: string }>();
    return {
      read(given) {
        const { choices, error } = given as Event;
        if (error) throw new Error(String(error.message ?? 'The model failed'));
        const { delta, finish_reason } = choices?.[0] ?? {};
        if (typeof delta?.content === 'string' && delta.content !== '') {
          text += delta.content;
          onText(text);
        }
        for (const { index = 0, id, function: part } of delta?.tool_calls ?? []) {
          const call = calls.get(index) ?? { id: '', name: '', json: '' };
          calls.set(index, call);
          if (typeof id === 'string') call.id = id;
          if (typeof part?.name === 'string') call.name += part.name;
          if (typeof part?.arguments === 'string') call.json += part.arguments;
        }
        if (finish_reason === 'length') isCut = true;
      },
      answer: () => ({
        text,
        isCut,
        calls: [...calls.values()].map(
          ({ id, name, json }): AskedCall => ({ id, name, input: inputFrom(json) }),
        ),
      }),
    };
  },
};

/** A message of the history as this API takes it: each result is a message of its own. */
export function chatMessages({ role, content }: Message): object[] {
  if (typeof content === 'string') return [{ role, content }];
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  if (role === 'user') {
    const results = content.flatMap((block) =>
      block.type === 'tool_result'
        ? [{ role: 'tool', tool_call_id: block.tool_use_id, content: block.content }]
        : [],
    );
    return text === '' ? results : [...results, { role, content: text }];
  }
  const calls = content.flatMap((block) =>
    block.type === 'tool_use'
      ? [
          {
            id: block.id,
            type: 'function',
            function: { name: block.name, arguments: JSON.stringify(block.input) },
          },
        ]
      : [],
  );
  return [{ role, content: text === '' ? null : text, ...(calls.length > 0 && { tool_calls: calls }) }];
}
