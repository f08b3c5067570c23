import type { ChatMessage, ChatPart } from '@infold/client/host';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/requirements.ts';
import { applied, MODEL, TestWindow } from '../../client/src/host/window.suite.ts';
import { histories, hostNamed, requestsOf } from '../../client/src/window/histories.suite.ts';
import { problemsOf } from '../../client/src/window/validators.suite.ts';
import type { Block, HostMessage } from './host.ts';
import { arranged, chatOf, countedIn, resultText } from './messages.ts';

/** Pi's own messages of a conversation. */
function hostMessages(chat: readonly ChatMessage[]): HostMessage[] {
  return chat.map((message): HostMessage => {
    if (message.role === 'tool') {
      return { role: 'toolResult', toolCallId: message.tool_call_id, content: blocksOf(message.content) };
    }
    if (message.role !== 'assistant') return { role: 'user', content: blocksOf(message.content) };
    const calls = (message.tool_calls ?? []).map(
      ({ id, function: { name, arguments: input } }): Block => ({
        ...{ type: 'toolCall', id, name },
        arguments: JSON.parse(input),
      }),
    );
    return { role: 'assistant', content: [...blocksOf(message.content ?? []), ...calls] };
  });
}

function blocksOf(content: string | readonly ChatPart[]): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text } : { type: 'image', mimeType: 'image/png' },
  );
}

const histories_ = histories({ hosts: [hostNamed('opencode-chat')], episodes: 6 });

test("Pi's messages are sent valid, in whatever way the rules arrange them, and left alone where they stand", async () => {
  verifies('WIN-03');
  await fc.assert(
    fc.asyncProperty(histories_, async ({ script, host }) => {
      const window = new TestWindow();
      for (const { body, session, agent, at } of requestsOf(script, host)) {
        const said = (body.messages as ChatMessage[]).filter(({ role }) => role !== 'system');
        const messages = hostMessages(said);
        const before = JSON.stringify(messages);
        const chat = chatOf(messages);
        expect(chat.map(({ role }) => role)).toEqual(said.map(({ role }) => role));
        const request = { session: `${session} ${agent}`, messages: chat, model: MODEL, canExpand: true, at };
        const arrangement = await window.arrange(request);
        const sent = chatOf(arranged(messages, arrangement));
        expect(sent).toEqual(applied(chat, arrangement));
        expect(problemsOf('openai-chat', { messages: sent })).toEqual([]);
        expect(JSON.stringify(messages)).toBe(before);
      }
    }),
    { numRuns: 20 },
  );
});

test('what Pi adds itself stays, whatever it is', () => {
  const messages = [
    { role: 'compactionSummary', summary: 'Row 7 was empty.' },
    { role: 'bashExecution', command: 'ls', output: 'a.ts' },
    { role: 'custom', customType: 'x', content: 'y', display: true },
  ] as unknown as HostMessage[];
  expect(chatOf(messages).map(({ role }) => role)).toEqual(['user', 'user', 'user']);
  expect(arranged(messages, { dropped: new Set(), texts: new Map() })).toEqual(messages);
});

test('a picture in a result keeps it as it is', () => {
  const content: Block[] = [
    { type: 'text', text: 'chart.png' },
    { type: 'image', mimeType: 'image/png' },
  ];
  expect(chatOf([{ role: 'toolResult', toolCallId: '1', content }])).toEqual([
    {
      role: 'tool',
      tool_call_id: '1',
      content: [
        { type: 'text', text: 'chart.png' },
        { type: 'file', mime: 'image/png' },
      ],
    },
  ]);
  expect(resultText(content)).toBe('chart.png');
});

test('the last prompt has as many tokens as its provider counted, cached ones too', () => {
  const usage = { input: 10, cacheRead: 200, cacheWrite: 3 };
  expect(countedIn([{ role: 'assistant', content: [], usage }])).toBe(213);
  expect(countedIn([{ role: 'assistant', content: [], usage: {} }])).toBeUndefined();
  expect(countedIn([])).toBeUndefined();
});
