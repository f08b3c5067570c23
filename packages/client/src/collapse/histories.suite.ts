import type { ContentBlockParam, MessageParam } from '@anthropic-ai/sdk/resources/messages';
import type { ModelMessage, ToolResultPart } from 'ai';
import fc from 'fast-check';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { aiSdkMessages } from '../formats/ai-sdk.ts';
import { anthropicMessages } from '../formats/anthropic.ts';
import { openaiChatMessages } from '../formats/openai-chat.ts';
import { openaiResponsesItems } from '../formats/openai-responses.ts';
import type { MessageFormat } from '../index.ts';
import { FETCH, hint, page, rows, STORE, step, stored, text } from './fixtures.suite.ts';

/** Random conversations, and how each SDK writes them down. */

export interface Call {
  callId: string;
  server: string;
  tool: string;
  result: { content: { type: string; text: string }[]; isError?: boolean; _meta?: unknown };
  /** How the application puts the result into a message: one text, several parts, data, or with a picture. */
  as: 'text' | 'parts' | 'data' | 'picture';
}

export interface Turn {
  words: string;
  thinking: boolean;
  calls: Call[];
  /** What a person says after it, if anything. */
  reply: string;
}

const number = fc.nat({ max: 9 });
const transient = fc.oneof(
  number.map((one) => page(one, { 'infold/handle': `rs_${one}` })),
  number.map((one) => page(one)),
);
const consumed = fc.oneof(
  { weight: 3, arbitrary: fc.constant(stored()) },
  { weight: 3, arbitrary: number.map((one) => stored(`rs_${one}`, 'rs_404')) },
  {
    weight: 1,
    arbitrary: fc.constant({ ...stored(), _meta: { context: { consumed: true }, 'infold/consumes': [] } }),
  },
);
/** A few records, which no server marks. */
const lookup = fc.constant(text(rows(3)));
const odd = fc.oneof(
  fc.constant({ ...stored(), isError: true }),
  fc.constant({ ...page(1), isError: true }),
  fc.string({ maxLength: 80 }).map((value) => ({ ...text(value), _meta: page(1)._meta })),
  fc.jsonValue().map((_meta) => ({ ...text(rows(4)), _meta })),
);
const anyTool = fc.constantFrom(FETCH, 'find_records', STORE, 'get_workflow_step', 'Read');
const hints = fc.constant(step(hint(), hint('find_records')));

/** Mostly what a loop does, so that much collapses, and some of everything else. */
const told = fc.oneof(
  { weight: 6, arbitrary: fc.record({ tool: fc.constantFrom(FETCH, 'find_records'), result: transient }) },
  { weight: 6, arbitrary: fc.record({ tool: fc.constant(STORE), result: consumed }) },
  { weight: 1, arbitrary: fc.record({ tool: fc.constantFrom(FETCH, 'find_records'), result: lookup }) },
  { weight: 2, arbitrary: fc.record({ tool: fc.constant('get_workflow_step'), result: hints }) },
  { weight: 2, arbitrary: fc.record({ tool: anyTool, result: fc.oneof(transient, consumed, hints, odd) }) },
);
const server = fc.oneof(
  { weight: 6, arbitrary: fc.constant('infold') },
  { weight: 1, arbitrary: fc.constant('other') },
);
const call = fc
  .tuple(told, fc.record({ server, as: fc.constantFrom('text', 'parts', 'data', 'picture') }))
  .map(([what, where]) => ({ ...what, ...where }));

export const history: fc.Arbitrary<Turn[]> = fc
  .array(
    fc.record({
      words: fc.string({ maxLength: 20 }),
      thinking: fc.boolean(),
      calls: fc.array(call, { maxLength: 3 }),
      reply: fc.constantFrom('', '', 'Go on.'),
    }),
    { maxLength: 20, size: 'max' },
  )
  .map((turns) =>
    turns.map(({ calls, ...turn }, index) => ({
      ...turn,
      calls: calls.map((one, place) => ({ ...one, callId: `call_${index}_${place}` }) as Call),
    })),
  );

const textOf = ({ result: { content } }: Call) => content.map((part) => part.text).join('');
const halves = (value: string) => [value.slice(0, value.length / 2), value.slice(value.length / 2)];
const PICTURE = 'iVBORw0KGgo=';
const PICTURE_ADDRESS = `data:image/png;base64,${PICTURE}`;

export interface Rendering<Message> {
  name: string;
  format: MessageFormat<Message>;
  render(turns: readonly Turn[]): Message[];
  /** Ids of calls and results in a message, in order, as `call:ID` and `result:ID`. */
  ids(message: Message): string[];
}

const anthropic: Rendering<MessageParam> = {
  name: 'Anthropic Messages',
  format: anthropicMessages,
  render: (turns) =>
    turns.flatMap(({ words, thinking, calls, reply }): MessageParam[] => {
      const blocks: ContentBlockParam[] = [
        ...(thinking ? [{ type: 'thinking' as const, thinking: 'hm', signature: 'sig' }] : []),
        { type: 'text', text: words },
        ...calls.map(({ callId, tool }) => ({
          type: 'tool_use' as const,
          id: callId,
          name: tool,
          input: {},
        })),
      ];
      const results = calls.map((one): ContentBlockParam => {
        const base = { type: 'tool_result' as const, tool_use_id: one.callId };
        const parts = halves(textOf(one)).map((half) => ({ type: 'text' as const, text: half }));
        if (one.result.isError) return { ...base, is_error: true, content: textOf(one) };
        if (one.as === 'text' || one.as === 'data') return { ...base, content: textOf(one) };
        const source = { type: 'base64' as const, media_type: 'image/png' as const, data: PICTURE };
        return { ...base, content: one.as === 'parts' ? parts : [...parts, { type: 'image', source }] };
      });
      const said: ContentBlockParam[] = reply ? [{ type: 'text', text: reply }] : [];
      const answers: MessageParam[] =
        [...results, ...said].length > 0 ? [{ role: 'user', content: [...results, ...said] }] : [];
      return [{ role: 'assistant', content: blocks }, ...answers];
    }),
  ids: ({ content }) =>
    (typeof content === 'string' ? [] : content).flatMap((block) => {
      if (block.type === 'tool_use') return [`call:${block.id}`];
      return block.type === 'tool_result' ? [`result:${block.tool_use_id}`] : [];
    }),
};

const openaiChat: Rendering<ChatCompletionMessageParam> = {
  name: 'OpenAI Chat',
  format: openaiChatMessages,
  render: (turns) =>
    turns.flatMap(({ words, calls, reply }): ChatCompletionMessageParam[] => {
      const asked = calls.map(({ callId, tool }) => ({
        id: callId,
        type: 'function' as const,
        function: { name: tool, arguments: '{}' },
      }));
      return [
        { role: 'assistant', content: words, ...(asked.length > 0 && { tool_calls: asked }) },
        ...calls.map((one): ChatCompletionMessageParam => {
          const parts = halves(textOf(one)).map((half) => ({ type: 'text' as const, text: half }));
          return {
            role: 'tool',
            tool_call_id: one.callId,
            content: one.as === 'parts' ? parts : textOf(one),
          };
        }),
        ...(reply ? [{ role: 'user' as const, content: reply }] : []),
      ];
    }),
  ids: (message) => {
    if (message.role === 'tool') return [`result:${message.tool_call_id}`];
    return message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => `call:${id}`) : [];
  },
};

const openaiResponses: Rendering<ResponseInputItem> = {
  name: 'OpenAI Responses',
  format: openaiResponsesItems,
  render: (turns) =>
    turns.flatMap(({ words, thinking, calls, reply }): ResponseInputItem[] => [
      ...(thinking ? [{ type: 'reasoning' as const, id: 'rs', summary: [], encrypted_content: 'hm' }] : []),
      { role: 'assistant', content: words },
      ...calls.map(({ callId, tool }) => ({
        type: 'function_call' as const,
        call_id: callId,
        name: tool,
        arguments: '{}',
      })),
      ...calls.map((one): ResponseInputItem => {
        const parts = halves(textOf(one)).map((half) => ({ type: 'input_text' as const, text: half }));
        const picture = { type: 'input_image' as const, detail: 'auto' as const, image_url: PICTURE_ADDRESS };
        if (one.as === 'data')
          return { type: 'custom_tool_call_output', call_id: one.callId, output: textOf(one) };
        const output = one.as === 'text' ? textOf(one) : one.as === 'parts' ? parts : [...parts, picture];
        return { type: 'function_call_output', call_id: one.callId, output };
      }),
      ...(reply ? [{ role: 'user' as const, content: reply }] : []),
    ]),
  ids: (item) => {
    if (item.type === 'function_call') return [`call:${item.call_id}`];
    const isResult = item.type === 'function_call_output' || item.type === 'custom_tool_call_output';
    return isResult ? [`result:${item.call_id}`] : [];
  },
};

const aiSdk: Rendering<ModelMessage> = {
  name: 'AI SDK',
  format: aiSdkMessages,
  render: (turns) =>
    turns.flatMap(({ words, thinking, calls, reply }): ModelMessage[] => [
      {
        role: 'assistant',
        content: [
          ...(thinking ? [{ type: 'reasoning' as const, text: 'hm' }] : []),
          { type: 'text', text: words },
          ...calls.map(({ callId, tool }) => ({
            type: 'tool-call' as const,
            toolCallId: callId,
            toolName: tool,
            input: {},
          })),
        ],
      },
      ...(calls.length > 0 ? [{ role: 'tool' as const, content: calls.map(aiSdkResult) }] : []),
      ...(reply ? [{ role: 'user' as const, content: reply }] : []),
    ]),
  ids: ({ content }) =>
    (typeof content === 'string' ? [] : content).flatMap((part) => {
      if (part.type === 'tool-call') return [`call:${part.toolCallId}`];
      return part.type === 'tool-result' ? [`result:${part.toolCallId}`] : [];
    }),
};

function aiSdkResult(one: Call): ToolResultPart {
  const base = { type: 'tool-result' as const, toolCallId: one.callId, toolName: one.tool };
  const parts = halves(textOf(one)).map((half) => ({ type: 'text' as const, text: half }));
  if (one.result.isError) return { ...base, output: { type: 'error-text', value: textOf(one) } };
  if (one.as === 'text') return { ...base, output: { type: 'text', value: textOf(one) } };
  if (one.as === 'data') return { ...base, output: { type: 'json', value: textOf(one).split('\n') } };
  const picture = { type: 'image-data' as const, data: PICTURE, mediaType: 'image/png' };
  return { ...base, output: { type: 'content', value: one.as === 'parts' ? parts : [...parts, picture] } };
}

export const RENDERINGS = [
  anthropic,
  openaiChat,
  openaiResponses,
  aiSdk,
] as unknown as readonly Rendering<object>[];
