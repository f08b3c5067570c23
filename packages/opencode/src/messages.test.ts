import type { ChatMessage } from '@infold/client/host';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements.ts';
import { applied, TestWindow } from '../../client/src/host/window.suite.ts';
import { histories, hostNamed, requestsOf } from '../../client/src/window/histories.suite.ts';
import { problemsOf } from '../../client/src/window/validators.suite.ts';
import type { HostMessage, ToolState } from './host.ts';
import { hostMessages } from './messages.suite.ts';
import { arranged, chatOf } from './messages.ts';

const said = (messages: unknown) => (messages as ChatMessage[]).filter(({ role }) => role !== 'system');
const opencode = histories({ hosts: [hostNamed('opencode-chat')], episodes: 6 });

describe("OpenCode's messages", () => {
  test('are read as what its model is asked', () => {
    fc.assert(
      fc.property(opencode, ({ script, host }) => {
        for (const { body } of requestsOf(script, host)) {
          const chat = said(body.messages);
          const names = (messages: readonly ChatMessage[]) => messages.map(({ role }) => role);
          const read = chatOf(hostMessages(chat)).messages;
          expect(names(read)).toEqual(names(chat));
          const results = (messages: readonly ChatMessage[]) =>
            messages.flatMap((one) => (one.role === 'tool' ? [`${one.tool_call_id} ${one.content}`] : []));
          expect(results(read)).toEqual(results(chat));
        }
      }),
      { numRuns: 10 },
    );
  });

  test('are sent valid, in whatever way the rules arrange them, and left alone where they stand', async () => {
    verifies('WIN-03');
    await fc.assert(
      fc.asyncProperty(opencode, async ({ script, host }) => {
        const window = new TestWindow();
        for (const { body, session, agent, at } of requestsOf(script, host)) {
          const messages = hostMessages(said(body.messages));
          const before = JSON.stringify(messages);
          const chat = chatOf(messages);
          const model = { name: 'a', prices: { read: 0.1, write: 1 }, wantsMarks: false };
          const request = {
            session: `${session} ${agent}`,
            messages: chat.messages,
            model,
            canExpand: true,
            at,
          };
          const arrangement = await window.arrange(request);
          const sent = chatOf(arranged(messages, chat, arrangement)).messages;
          expect(sent).toEqual(applied(chat.messages, arrangement));
          expect(problemsOf('openai-chat', { messages: sent })).toEqual([]);
          expect(JSON.stringify(messages)).toBe(before);
        }
      }),
      { numRuns: 20 },
    );
  });
});

const tool = (callID: string, state: ToolState) => ({ type: 'tool', tool: 'bash', callID, state }) as const;
const answer = (...parts: HostMessage['parts']): HostMessage => ({
  info: { id: 'msg_2', sessionID: 'ses_1', role: 'assistant' },
  parts,
});
const resultsOf = (message: HostMessage) =>
  chatOf([message]).messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []));

test('a result is what the host shows of it', () => {
  const input = {};
  expect(
    resultsOf(
      answer(
        tool('1', { status: 'completed', input, output: 'done' }),
        tool('2', { status: 'error', input, error: 'It failed' }),
        tool('3', { status: 'running', input }),
        tool('4', { status: 'completed', input, output: 'done', time: { compacted: 1 } }),
        tool('5', { status: 'completed', input, output: 'a chart', attachments: [{}] }),
      ),
    ),
  ).toEqual([
    'done',
    'It failed',
    '[Tool execution was interrupted]',
    '[Old tool result content cleared]',
    [
      { type: 'text', text: 'a chart' },
      { type: 'file', mime: '' },
    ],
  ]);
});

test('an answer of several steps loses those that go', () => {
  const input = {};
  const message = answer(
    ...([{ type: 'step-start' }, { type: 'text', text: 'First.' }] as const),
    tool('1', { status: 'completed', input, output: 'one' }),
    ...([{ type: 'step-finish' }, { type: 'step-start' }] as const),
    tool('2', { status: 'error', input, error: 'two' }),
  );
  const chat = chatOf([message]);
  expect(chat.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant', 'tool']);
  const texts = new Map([['2', 'short']]);
  const [left] = arranged([message], chat, { dropped: new Set([0, 1]), texts });
  expect(left!.parts).toEqual([
    { type: 'step-start' },
    tool('2', { status: 'error', input, error: 'short' }),
  ]);
  expect(arranged([message], chat, { dropped: new Set([0, 1, 2, 3]), texts })).toEqual([]);
});
