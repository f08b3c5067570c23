import { describe, expect, test } from 'vitest';
import { openConversation, recordAnswered, recordAsked, switchConversation } from './commands.ts';
import type { WindowAnswered } from './events.ts';
import { askedWith, decisionWith } from './fixture.suite.ts';

const opened = {
  conversation: 'conv_1',
  principal: 'ada',
  key: 'session-1',
  host_session: 'session-1',
  host: null,
  upstream: 'anthropic',
  dialect: 'anthropic',
  forked_from: null,
};
const answered: WindowAnswered = {
  conversation: 'conv_1',
  turn: 1,
  status: 200,
  usage: null,
  milliseconds: { first: 1, all: 2, own: 0 },
  money: null,
};

describe('a conversation', () => {
  test('is opened once', () => {
    const first = openConversation(undefined, opened);
    expect(first.events).toEqual([{ type: 'window.opened', data: opened }]);
    expect(first.answer).toEqual({ id: 'conv_1', turns: 0 });
    const second = openConversation({ id: 'conv_0', turns: 4 }, opened);
    expect(second).toEqual({ events: [], answer: { id: 'conv_0', turns: 4 } });
  });

  test('records a request and its decisions in one entry, and counts turns from 1', () => {
    const asked = askedWith();
    const decision = decisionWith();
    const { events, answer } = recordAsked({ id: 'conv_1', turns: 0 }, asked, [decision]);
    expect(answer).toBe(1);
    expect(events).toEqual([
      { type: 'window.asked', data: { conversation: 'conv_1', turn: 1, ...asked } },
      { type: 'window.collapsed', data: { conversation: 'conv_1', turn: 1, ...decision } },
    ]);
    expect(recordAsked({ id: 'conv_1', turns: 7 }, asked, []).answer).toBe(8);
  });

  test('takes the first answer of a turn', () => {
    expect(recordAnswered({ answer: null }, answered)).toEqual({
      events: [{ type: 'window.answered', data: answered }],
      answer: true,
    });
    expect(recordAnswered({ answer: {} }, answered).events).toEqual([]);
    expect(() => recordAnswered(undefined, answered)).toThrow('conv_1 has no turn 1');
  });

  test('is switched only where that changes something', () => {
    expect(switchConversation({ id: 'conv_1', is_enabled: true }, false).events).toEqual([
      { type: 'window.switched', data: { conversation: 'conv_1', enabled: false } },
    ]);
    expect(switchConversation({ id: 'conv_1', is_enabled: true }, true)).toEqual({
      events: [],
      answer: false,
    });
  });
});
