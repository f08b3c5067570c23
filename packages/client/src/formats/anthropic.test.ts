import Anthropic from '@anthropic-ai/sdk';
import type { MessageParam, ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { FETCH, page, STORE, step, stored, summaryOf, text } from '../collapse/fixtures.suite.ts';
import { type Collapser, cacheAware, createCollapser } from '../index.ts';
import { projectAnthropic, withCacheBreakpoint } from './anthropic.ts';

/** Keeps a history as an application does that talks to the Messages API. */
class Chat {
  readonly collapser: Collapser = createCollapser({ policy: cacheAware({ remainingTurns: 50 }) });
  readonly messages: MessageParam[] = [{ role: 'user', content: 'Reclassify.' }];

  /** One turn: the model's calls, and their results in one message. */
  turn(...calls: { id: string; tool: string; result: ReturnType<typeof text> }[]): this {
    this.prompt();
    const asked = calls.map(({ id, tool }) => ({ type: 'tool_use' as const, id, name: tool, input: {} }));
    const thinking = { type: 'thinking' as const, thinking: 'hm', signature: 'sig' };
    this.messages.push({ role: 'assistant', content: [thinking, ...asked] });
    for (const { id, tool, result } of calls) {
      this.collapser.observe({ server: 's', tool, callId: id, result });
    }
    const content = calls.map(({ id, result }): ToolResultBlockParam => {
      return {
        type: 'tool_result',
        tool_use_id: id,
        content: [{ type: 'text', text: result.content[0]!.text }],
      };
    });
    this.messages.push({ role: 'user', content });
    return this;
  }

  prompt(): MessageParam[] {
    return projectAnthropic(this.collapser, this.messages);
  }

  /** Where the breakpoint is: message and block. */
  breakpoint(): [number, number] | undefined {
    const sent = withCacheBreakpoint(this.collapser, this.prompt());
    const found = sent.flatMap(({ content }, message) =>
      (typeof content === 'string' ? [] : content).flatMap((block, place): [number, number][] =>
        'cache_control' in block && block.cache_control ? [[message, place]] : [],
      ),
    );
    expect(found.length).toBeLessThanOrEqual(1);
    return found[0];
  }
}

const begun = () => new Chat().turn({ id: 'w', tool: 'get_workflow_step', result: step() });

test('the SDK sends the projected messages', async () => {
  verifies('TCP-16');
  const chat = begun()
    .turn({ id: 'a', tool: FETCH, result: page(1) })
    .turn({ id: 'b', tool: STORE, result: stored() });
  const bodies: { messages: MessageParam[] }[] = [];
  const answer = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [],
    model: 'x',
    stop_reason: 'end_turn',
    usage: {},
  };
  const client = new Anthropic({
    apiKey: ['not', 'a', 'key'].join('-'),
    fetch: async (_address, init) => {
      bodies.push(JSON.parse(String(init?.body)) as { messages: MessageParam[] });
      return Response.json(answer);
    },
  });
  await client.messages.create({ model: 'x', max_tokens: 10, messages: chat.prompt() });
  expect(bodies[0]!.messages[4]).toEqual({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: summaryOf(1) }] }],
  });
  expect(bodies[0]!.messages.toSpliced(4, 1)).toEqual(chat.messages.toSpliced(4, 1));
});

describe('what a block carries besides its content', () => {
  test.each([
    ['on the block', { cache_control: { type: 'ephemeral' as const } }, {}],
    ['inside the content', {}, { cache_control: { type: 'ephemeral' as const } }],
  ])('stays: a breakpoint %s', (_where, onBlock, inside) => {
    const { collapser } = begun()
      .turn({ id: 'a', tool: FETCH, result: page(1) })
      .turn({ id: 'b', tool: STORE, result: stored() });
    const content = [{ type: 'text' as const, text: page(1).content[0]!.text, ...inside }];
    const block: ToolResultBlockParam = { type: 'tool_result', tool_use_id: 'a', content, ...onBlock };
    const [sent] = projectAnthropic(collapser, [{ role: 'user', content: [block] }]);
    const shown = { type: 'text', text: summaryOf(1), ...inside };
    expect(sent).toEqual({ role: 'user', content: [{ ...block, content: [shown] }] });
  });

  test('a result that the application marks as an error stays in full', () => {
    const { collapser } = begun()
      .turn({ id: 'a', tool: FETCH, result: page(1) })
      .turn({ id: 'b', tool: STORE, result: stored() });
    const content = page(1).content[0]!.text;
    const message: MessageParam = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true, content }],
    };
    expect(projectAnthropic(collapser, [message])[0]).toBe(message);
  });
});

describe('the cache breakpoint', () => {
  test('is at the end as long as nothing transient is new', () => {
    verifies('TCP-19');
    expect(new Chat().breakpoint()).toEqual([0, 0]);
    expect(begun().breakpoint()).toEqual([2, 0]);
  });

  test('stands before a page that the next call will consume, on a block that may carry it', () => {
    verifies('TCP-19');
    const chat = begun().turn({ id: 'a', tool: FETCH, result: page(1) });
    expect(chat.breakpoint()).toEqual([3, 1]);
    chat.turn({ id: 'b', tool: STORE, result: stored() });
    expect(chat.breakpoint()).toEqual([6, 0]);
    chat.turn({ id: 'c', tool: STORE, result: text('nothing') }, { id: 'd', tool: FETCH, result: page(2) });
    expect(chat.breakpoint()).toEqual([8, 0]);
  });

  test('is at the end again when the page was there before', () => {
    const chat = begun()
      .turn({ id: 'a', tool: FETCH, result: page(1) })
      .turn({ id: 'b', tool: 'Read', result: text('more') });
    expect(chat.breakpoint()).toEqual([6, 0]);
  });

  test('does not bet on several pages at once, on unregistered ones, or against experience', () => {
    const several = begun().turn(
      { id: 'a', tool: FETCH, result: page(1) },
      { id: 'b', tool: FETCH, result: page(2) },
    );
    expect(several.breakpoint()).toEqual([4, 1]);
    expect(
      begun()
        .turn({ id: 'a', tool: 'other', result: page(1) })
        .breakpoint(),
    ).toEqual([4, 0]);
    const slow = begun();
    for (let count = 0; count < 3; count++) {
      slow.turn({ id: `f${count}`, tool: FETCH, result: page(1) });
      slow.turn({ id: `r${count}`, tool: 'Read', result: text('more') });
      slow.turn({ id: `s${count}`, tool: STORE, result: stored() });
    }
    slow.turn({ id: 'last', tool: FETCH, result: page(1) });
    expect(slow.collapser.stats().consumedNextTurn).toBeLessThan(0.78);
    expect(slow.breakpoint()).toEqual([slow.messages.length - 1, 0]);
  });

  test('changes no message, and passes what has no place for it', () => {
    const { collapser } = begun();
    const messages = [{ role: 'user', content: '' }, { role: 'assistant', content: [null] }, null] as never[];
    const before = structuredClone(messages);
    expect(withCacheBreakpoint(collapser, messages)).toEqual(before);
    expect(withCacheBreakpoint(collapser, [])).toEqual([]);
    const plain: MessageParam[] = Object.freeze([Object.freeze({ role: 'user', content: 'hi' })]) as never;
    expect(withCacheBreakpoint(collapser, plain)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }] },
    ]);
  });
});
