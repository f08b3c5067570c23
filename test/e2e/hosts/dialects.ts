import type { ServerResponse } from 'node:http';

/** What a model that follows a script says in one turn, and how large it says that the prompt was, where that matters. */
export type Said = ({ text: string } | { tool: string; input: Record<string, unknown> }) & { used?: number };

type Json = Record<string, unknown>;
type Items = readonly Json[];

/** How one provider's API is spoken, as far as a scripted model needs it. */
export interface Dialect {
  matches: RegExp;
  /** Whether tools are offered: titles, classifiers and the like are asked without. */
  offersTools(body: Json): boolean;
  /** The conversation, without what stands before it. */
  conversation(body: Json): Items;
  /** What the newest results say, as one text. */
  newest(body: Json): string;
  /** Whether the history is to be made into a summary: no turn of the conversation. */
  isCompaction?(body: Json): boolean;
  /** Answers with a summary in the provider's own form; without it a summary is said as anything else is. */
  compact?(response: ServerResponse, summary: string): void;
  answer(response: ServerResponse, turn: number, said: Said, body: Json): void;
}

const list = (value: unknown): Items => (Array.isArray(value) ? (value as Items) : []);
const tokensOf = (body: unknown, { used }: Said) => used ?? Math.ceil(JSON.stringify(body).length / 4);

function stream(response: ServerResponse, events: readonly (Json | string)[], named = false): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    if (typeof event === 'string') response.write(`data: ${event}\n\n`);
    else response.write(`${named ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

function json(response: ServerResponse, body: Json): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const messages: Dialect = {
  matches: /\/v1\/messages$/,
  offersTools: ({ tools }) => list(tools).length > 0,
  conversation: (body) => list(body.messages),
  newest: (body) =>
    JSON.stringify(list(body.messages).findLast(({ content }) => list(content).some(isToolResult)) ?? ''),
  // Claude Code asks with all its tools, and says that none is to be used.
  isCompaction: (body) =>
    /Respond with TEXT ONLY/.test(
      JSON.stringify(list(body.messages).findLast(({ role }) => role === 'user') ?? ''),
    ),
  answer: (response, turn, said, body) => {
    const call = 'tool' in said;
    const block = call
      ? { type: 'tool_use', id: `toolu_${turn}`, name: said.tool, input: said.input }
      : { type: 'text', text: said.text };
    const stop_reason = call ? 'tool_use' : 'end_turn';
    const usage = { input_tokens: tokensOf(body, said), output_tokens: 40, cache_read_input_tokens: 0 };
    const message = { id: `msg_${turn}`, type: 'message', role: 'assistant', model: body.model };
    if (body.stream !== true) {
      json(response, { ...message, content: [block], stop_reason, stop_sequence: null, usage });
      return;
    }
    stream(
      response,
      [
        {
          type: 'message_start',
          message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage },
        },
        {
          type: 'content_block_start',
          index: 0,
          content_block: call ? { ...block, input: {} } : { type: 'text', text: '' },
        },
        {
          type: 'content_block_delta',
          index: 0,
          delta: call
            ? { type: 'input_json_delta', partial_json: JSON.stringify(said.input) }
            : { type: 'text_delta', text: said.text },
        },
        { type: 'content_block_stop', index: 0 },
        {
          type: 'message_delta',
          delta: { stop_reason, stop_sequence: null },
          usage: { output_tokens: 40 },
        },
        { type: 'message_stop' },
      ],
      true,
    );
  },
};

function isToolResult({ type }: Json): boolean {
  return type === 'tool_result';
}

const isOutput = ({ type }: Json) => String(type).endsWith('_output');

const responses: Dialect = {
  matches: /\/responses$/,
  // Newer models of Codex are told of their tools in an item.
  offersTools: ({ tools, input }) =>
    list(tools).length > 0 || list(input).some(({ type }) => type === 'additional_tools'),
  conversation: (body) => list(body.input),
  newest: (body) => JSON.stringify(list(body.input).findLast(isOutput) ?? ''),
  isCompaction: (body) => list(body.input).at(-1)?.type === 'compaction_trigger',
  compact: (response, summary) => {
    const item = {
      type: 'compaction',
      id: 'cmp_1',
      encrypted_content: Buffer.from(summary).toString('base64'),
    };
    const whole = { id: 'resp_compaction', object: 'response', status: 'completed', output: [item] };
    const usage = { input_tokens: 1000, output_tokens: 40, total_tokens: 1040 };
    stream(
      response,
      [
        { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response: { ...whole, usage } },
      ],
      true,
    );
  },
  answer: (response, turn, said, body) => {
    const reasoning = {
      type: 'reasoning',
      id: `rs_${turn}`,
      summary: [],
      encrypted_content: `sealed-${turn}`,
    };
    const item = 'tool' in said ? responsesCall(turn, said) : responsesMessage(turn, said.text);
    const usage = {
      input_tokens: tokensOf(body, said),
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 40,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: tokensOf(body, said) + 40,
    };
    const whole = { id: `resp_${turn}`, object: 'response', model: body.model, status: 'completed' };
    const output = [reasoning, item];
    stream(
      response,
      [
        { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
        ...output.map((one, index) => ({
          type: 'response.output_item.done',
          output_index: index,
          item: one,
        })),
        { type: 'response.completed', response: { ...whole, output, usage } },
      ],
      true,
    );
  },
};

/** A tool of an MCP server is called by its namespace and its name. */
function responsesCall(turn: number, { tool, input }: { tool: string; input: Json }): Json {
  if (tool === 'tool_search') {
    return {
      type: 'tool_search_call',
      id: `ts_${turn}`,
      call_id: `call_${turn}`,
      status: 'completed',
      execution: 'client',
      arguments: input,
    };
  }
  // A script that calls tools.
  if (tool === 'exec') {
    return {
      type: 'custom_tool_call',
      id: `ctc_${turn}`,
      call_id: `call_${turn}`,
      status: 'completed',
      namespace: 'functions',
      name: 'exec',
      input: input.script,
    };
  }
  const [namespace, name] = tool.includes('/') ? tool.split('/') : [undefined, tool];
  return {
    type: 'function_call',
    id: `fc_${turn}`,
    call_id: `call_${turn}`,
    status: 'completed',
    ...(namespace && { namespace }),
    name,
    arguments: JSON.stringify(input),
  };
}

function responsesMessage(turn: number, text: string): Json {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id: `msg_${turn}`, role: 'assistant', status: 'completed', content };
}

const chat: Dialect = {
  matches: /\/chat\/completions$/,
  offersTools: ({ tools }) => list(tools).length > 0,
  conversation: (body) => list(body.messages).filter(({ role }) => role !== 'system'),
  newest: (body) => JSON.stringify(list(body.messages).findLast(({ role }) => role === 'tool') ?? ''),
  answer: (response, turn, said, body) => {
    const call = 'tool' in said;
    const message = call
      ? {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              index: 0,
              id: `call_${turn}`,
              type: 'function',
              function: { name: said.tool, arguments: JSON.stringify(said.input) },
            },
          ],
        }
      : { role: 'assistant', content: said.text };
    const finish_reason = call ? 'tool_calls' : 'stop';
    const usage = {
      prompt_tokens: tokensOf(body, said),
      completion_tokens: 40,
      total_tokens: tokensOf(body, said) + 40,
    };
    const whole = { id: `chatcmpl_${turn}`, created: 1, model: body.model };
    if (body.stream !== true) {
      const choices = [{ index: 0, message, finish_reason }];
      json(response, { ...whole, object: 'chat.completion', choices, usage });
      return;
    }
    const chunk = (delta: Json, reason: string | null) => ({
      ...whole,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason }],
    });
    stream(response, [
      chunk(message, null),
      chunk({}, finish_reason),
      { ...whole, object: 'chat.completion.chunk', choices: [], usage },
      '[DONE]',
    ]);
  },
};

const parts = (content: Json) => list(content.parts);

const gemini: Dialect = {
  matches: /:(streamG|g)enerateContent$/,
  offersTools: ({ tools }) =>
    list(tools).some(({ functionDeclarations }) => list(functionDeclarations).length > 0),
  conversation: (body) => list(body.contents),
  newest: (body) =>
    JSON.stringify(
      list(body.contents).findLast((one) => parts(one).some((part) => 'functionResponse' in part)) ?? '',
    ),
  // Gemini CLI asks for it under this name, and once more whether all is in it.
  isCompaction: (body) => JSON.stringify(body.systemInstruction ?? '').includes('state_snapshot'),
  answer: (response, turn, said, body) => {
    const part =
      'tool' in said
        ? {
            functionCall: { id: `call_${turn}`, name: said.tool, args: said.input },
            thoughtSignature: Buffer.from(`signed-${turn}`).toString('base64'),
          }
        : { text: said.text };
    const answered = {
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: tokensOf(body, said),
        candidatesTokenCount: 40,
        totalTokenCount: tokensOf(body, said) + 40,
      },
      modelVersion: 'scripted',
    };
    if (response.req.url?.includes(':streamGenerateContent')) stream(response, [answered]);
    else json(response, answered);
  },
};

export const DIALECTS = {
  anthropic: messages,
  'openai-responses': responses,
  'openai-chat': chat,
  gemini,
} as const;
