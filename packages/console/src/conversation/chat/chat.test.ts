import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { Conversation } from '../conversation.ts';
import { hintsOf } from '../entries.ts';
import { fakeServer } from '../mcp/connection.suite.ts';
import { anthropic } from './anthropic.ts';
import { type Ask, Chat } from './chat.ts';
import type { AskedCall, ModelAnswer } from './dialect.ts';
import { eventData } from './events.ts';
import { chatMessages, openai } from './openai.ts';

const call = (id: string, name: string, input: Record<string, unknown> = {}): AskedCall => ({
  id,
  name,
  input,
});
const answer = (text: string, ...calls: AskedCall[]): ModelAnswer => ({
  text,
  calls,
  isCut: false,
});

function begin(...answers: (ModelAnswer | Error)[]) {
  const conversation = new Conversation();
  const chat = new Chat(conversation);
  const server = fakeServer();
  const asked: Parameters<Ask>[0]['messages'][] = [];
  const ask: Ask = async ({ messages }, { onText }) => {
    asked.push(messages);
    const next = answers.shift();
    if (next instanceof Error) throw next;
    if (next!.text !== '') onText(next!.text);
    return next!;
  };
  return {
    conversation,
    chat,
    asked,
    say: (text: string) => chat.say(text, ask, async () => server),
    ask,
    server,
  };
}

describe('a chat', () => {
  test('makes the calls that the model wants, and collapses what they answered', async () => {
    const { conversation, chat, asked, say } = begin(
      answer('I look.', call('a', 'get_workflow_step')),
      answer('', call('b', 'search_records', { page: 1 })),
      answer('', call('c', 'store_analysis_memory')),
      answer('Done.'),
    );
    await say('Reclassify');
    expect(chat.state.read()).toEqual({ isBusy: false, isAnswered: true, problem: undefined });
    const { entries, turns } = conversation.state.read();
    expect(entries.map((entry) => (entry.kind === 'said' ? entry.text : entry.tool))).toEqual([
      'Reclassify',
      'I look.',
      'get_workflow_step',
      'search_records',
      'store_analysis_memory',
      'Done.',
    ]);
    expect(entries.map((entry) => (entry.kind === 'said' ? [] : hintsOf(entry)))[3]).toEqual(['collapsed']);
    expect(turns).toHaveLength(4);
    expect(JSON.stringify(asked[2])).toContain('Fixed a page');
    expect(JSON.stringify(asked[3])).not.toContain('Fixed a page');
    expect(JSON.stringify(asked[3])).toContain('15 records (page 1/3)');
  });

  test('tells why there is no answer, and asks again', async () => {
    const { chat, conversation, say, ask, server } = begin(new Error('Overloaded'), answer('Hello.'));
    await say('Hi');
    expect(chat.state.read()).toEqual({ isBusy: false, isAnswered: false, problem: 'Overloaded' });
    await chat.again(ask, async () => server);
    expect(conversation.history).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello.' },
    ]);
  });

  test('tells the model what is wrong with its call', async () => {
    const { asked, say } = begin(
      answer('', { id: 'a', name: 'search_records', input: undefined }),
      answer('Sorry.'),
    );
    await say('Go');
    expect(JSON.stringify(asked[1])).toContain('not a JSON object');
  });

  test('tells calls apart whose ids are the same', async () => {
    const { conversation, say } = begin(
      answer('', call('call_0', 'get_workflow_step')),
      answer('', call('call_0', 'search_records', { page: 1 }), call('', 'store_analysis_memory')),
      answer('Done.'),
    );
    await say('Go');
    const ids = conversation.state.read().entries.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('stops, and leaves a history that a model API takes', async () => {
    const { conversation, chat, server } = begin();
    const ask: Ask = (_, { signal, onText }) => {
      onText('Well,');
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const said = chat.say('Hi', ask, async () => server);
    await vi.waitFor(() => expect(conversation.state.read().entries).toHaveLength(2));
    expect(conversation.state.read().entries[1]).toMatchObject({ text: 'Well,', isOpen: true });
    chat.stop();
    await said;
    expect(chat.state.read()).toEqual({ isBusy: false, isAnswered: false, problem: undefined });
    expect(conversation.state.read().entries[1]).toMatchObject({ text: 'Well,', isOpen: false });
    expect(conversation.history.at(-1)).toEqual({ role: 'assistant', content: 'Well,' });
  });
});

describe('answers that come piece by piece', () => {
  const read = (dialect: typeof anthropic, events: object[]) => {
    const texts: string[] = [];
    const reader = dialect.reader((text) => texts.push(text));
    for (const event of events) reader.read(event);
    return { texts, answer: reader.answer() };
  };

  test('of Anthropic', () => {
    const { texts, answer: whole } = read(anthropic, [
      { type: 'message_start', message: {} },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'I ' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'look.' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't1', name: 'x' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a"' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: ':1}' } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    ]);
    expect(texts).toEqual(['I ', 'I look.']);
    expect(whole).toEqual({
      text: 'I look.',
      isCut: false,
      calls: [{ id: 't1', name: 'x', input: { a: 1 } }],
    });
    expect(() => read(anthropic, [{ type: 'error', error: { message: 'Overloaded' } }])).toThrow(
      'Overloaded',
    );
  });

  test('of OpenAI', () => {
    const delta = (part: object, finish_reason: string | null = null) => ({
      choices: [{ delta: part, finish_reason }],
    });
    const { texts, answer: whole } = read(openai, [
      delta({ role: 'assistant', content: '' }),
      delta({ content: 'I ' }),
      delta({ content: 'look.' }),
      delta({ tool_calls: [{ index: 0, id: 't1', function: { name: 'x', arguments: '' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] }),
      delta({ tool_calls: [{ index: 1, id: 't2', function: { name: 'y', arguments: 'nonsense' } }] }),
      delta({}, 'length'),
      { choices: [], usage: {} },
    ]);
    expect(texts).toEqual(['I ', 'I look.']);
    expect(whole).toEqual({
      text: 'I look.',
      isCut: true,
      calls: [
        { id: 't1', name: 'x', input: { a: 1 } },
        { id: 't2', name: 'y', input: undefined },
      ],
    });
  });

  test('are the same however they were cut on the way', async () => {
    const text =
      'event: a\ndata: {"a":1}\n\ndata: two\r\ndata: lines\r\n\r\n: remark\n\ndata:[DONE]\n\ndata: ä😀';
    const bytes = new TextEncoder().encode(text);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        const places = [0, ...cuts.sort((one, other) => one - other), bytes.length];
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            for (const [index, end] of places.slice(1).entries())
              controller.enqueue(bytes.slice(places[index], end));
            controller.close();
          },
        });
        const data: string[] = [];
        for await (const one of eventData(body)) data.push(one);
        expect(data).toEqual(['{"a":1}', 'two\nlines', '[DONE]', 'ä😀']);
      }),
    );
  });
});

test('the history as OpenAI takes it: every call is followed by its result', () => {
  const messages = [
    { role: 'user' as const, content: 'Go' },
    {
      role: 'assistant' as const,
      content: [
        { type: 'text' as const, text: 'I look.' },
        { type: 'tool_use' as const, id: 'a', name: 'x', input: { b: 1 } },
      ],
    },
    { role: 'user' as const, content: [{ type: 'tool_result' as const, tool_use_id: 'a', content: 'r' }] },
  ];
  expect(messages.flatMap(chatMessages)).toEqual([
    { role: 'user', content: 'Go' },
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'x', arguments: '{"b":1}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'r' },
  ]);
});
