import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { FETCH, page, rows, STORE, step, stored, summaryOf } from '../collapse/fixtures.suite.ts';
import { createCollapser, resultText } from '../index.ts';
import { projectOpenAIChat } from './openai-chat.ts';
import { projectOpenAIResponses } from './openai-responses.ts';

function collapsed() {
  const collapser = createCollapser();
  collapser.observe({ server: 's', tool: 'get_workflow_step', callId: 'w', result: step() });
  collapser.observe({ server: 's', tool: FETCH, callId: 'a', result: page(1) });
  collapser.observe({ server: 's', tool: STORE, callId: 'b', result: stored() });
  return collapser;
}

/** The SDK with a server that only listens. */
function listening() {
  const bodies: Record<string, unknown>[] = [];
  const client = new OpenAI({
    apiKey: ['not', 'a', 'key'].join('-'),
    fetch: async (_address, init) => {
      bodies.push(JSON.parse(String(init?.body)) as Record<string, unknown>);
      return Response.json({ id: 'x', output: [], choices: [] });
    },
  });
  return { client, bodies };
}

test('Chat Completions are sent the projected messages', async () => {
  verifies('TCP-16');
  const { client, bodies } = listening();
  const messages: ChatCompletionMessageParam[] = [
    { role: 'system', content: 'You sort activities.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: FETCH, arguments: '{"page":1}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: resultText(page(1)) },
    { role: 'function', name: FETCH, content: resultText(page(1)) },
  ];
  await client.chat.completions.create({ model: 'x', messages: projectOpenAIChat(collapsed(), messages) });
  expect(bodies[0]!.messages).toEqual(
    messages.with(2, { role: 'tool', tool_call_id: 'a', content: summaryOf(1) }),
  );
});

test('Responses are sent the projected items, and a plain text as it is', async () => {
  verifies('TCP-16');
  const { client, bodies } = listening();
  const output = resultText(page(1));
  const input: ResponseInputItem[] = [
    { role: 'user', content: 'Sort.' },
    { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'abc' },
    { type: 'function_call', call_id: 'a', name: FETCH, arguments: '{"page":1}' },
    { type: 'function_call_output', call_id: 'a', output, status: 'completed' },
    { type: 'mcp_call', id: 'a', name: FETCH, arguments: '{}', server_label: 's', output: rows(15) },
  ];
  await client.responses.create({ model: 'x', input: projectOpenAIResponses(collapsed(), input) });
  expect(bodies[0]!.input).toEqual(
    input.with(3, { type: 'function_call_output', call_id: 'a', output: summaryOf(1), status: 'completed' }),
  );
  expect(projectOpenAIResponses(collapsed(), 'Sort.')).toBe('Sort.');
});

test('content in parts stays in parts', () => {
  const text = resultText(page(1));
  const parts = [{ type: 'text' as const, text }];
  expect(projectOpenAIChat(collapsed(), [{ role: 'tool', tool_call_id: 'a', content: parts }])).toEqual([
    { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: summaryOf(1) }] },
  ]);
  const output = [{ type: 'input_text' as const, text }];
  expect(
    projectOpenAIResponses(collapsed(), [{ type: 'function_call_output', call_id: 'a', output }]),
  ).toEqual([
    { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: summaryOf(1) }] },
  ]);
});
