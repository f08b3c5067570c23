import { type AskedCall, type Dialect, inputFrom } from './dialect.ts';

const MOST_OUTPUT = 8192;

interface Event {
  type?: unknown;
  index?: number;
  content_block?: { type?: unknown; id?: unknown; name?: unknown };
  delta?: { type?: unknown; text?: unknown; partial_json?: unknown; stop_reason?: unknown };
  error?: { message?: unknown };
}

/** Anthropic's Messages API. */
export const anthropic: Dialect = {
  path: '/v1/messages',
  headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key !== '' && { 'x-api-key': key }) }),
  body: ({ model, system, messages, tools }) => ({
    model,
    max_tokens: MOST_OUTPUT,
    stream: true,
    // The list of tools before it is the same each time, and dear to read anew.
    system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
    messages,
    tools: tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      input_schema: inputSchema,
    })),
  }),
  reader(onText) {
    let text = '';
    let isCut = false;
    const calls = new Map<number, { id: string; name: string; json: string }>();
    return {
      read(given) {
        const { type, index = 0, content_block: block, delta, error } = given as Event;
        if (type === 'error') throw new Error(String(error?.message ?? 'The model failed'));
        if (type === 'content_block_start' && block?.type === 'tool_use') {
          calls.set(index, { id: String(block.id), name: String(block.name), json: '' });
        }
        if (typeof delta?.text === 'string') {
          text += delta.text;
          onText(text);
        }
        const call = calls.get(index);
        if (call && typeof delta?.partial_json === 'string') call.json += delta.partial_json;
        if (delta?.stop_reason === 'max_tokens') isCut = true;
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
