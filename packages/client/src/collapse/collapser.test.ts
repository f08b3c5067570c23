import { describe, expect, test, vi } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { type CollapseEvent, createCollapser } from '../index.ts';
import {
  Conversation,
  FETCH,
  hint,
  page,
  rows,
  STORE,
  step,
  stored,
  summaryOf,
  text,
} from './fixtures.suite.ts';

describe('step A: pairs', () => {
  test('hints of a workflow step pair a fetching tool with its consumer', () => {
    verifies('TCP-11');
    const conversation = new Conversation();
    conversation.call('get_workflow_step', step());
    expect(conversation.collapser.state().pairs).toEqual([
      { server: 'infold', consumer: STORE, tools: [FETCH] },
    ]);
  });

  test('two tools that share a consumer are both held, and a pair that comes again changes nothing', () => {
    verifies('TCP-11');
    const conversation = new Conversation();
    conversation.call('get_workflow_step', step(hint(), hint('find_records')));
    conversation.call('get_workflow_step', step());
    const [first, second] = [conversation.call(FETCH, page(1)), conversation.call('find_records', page(2))];
    conversation.call(STORE, stored());
    conversation.call(STORE, stored());
    expect(conversation.collapser.state().pairs).toHaveLength(1);
    expect([conversation.full(first), conversation.full(second)]).toEqual([false, false]);
  });

  test('a hint that comes after its result still counts', () => {
    verifies('TCP-11');
    const conversation = new Conversation();
    const first = conversation.call(FETCH, page(1));
    conversation.call('get_workflow_step', step());
    conversation.call(STORE, stored());
    expect(conversation.full(first)).toBe(false);
  });

  test('both spellings of a tool name are one tool', () => {
    const conversation = new Conversation();
    conversation.call('get_workflow_step', step(hint('records.search', 'analysis.store')));
    const first = conversation.call('records_search', page(1));
    conversation.call('analysis_store', stored());
    expect(conversation.full(first)).toBe(false);
  });

  test('the hints of an error are not believed', () => {
    const conversation = new Conversation();
    conversation.call('get_workflow_step', { ...step(), isError: true });
    expect(conversation.collapser.state().pairs).toEqual([]);
  });
});

describe('step B: results', () => {
  test('a transient result is tracked by its call id and shown in full until it is consumed', () => {
    verifies('TCP-12');
    const conversation = new Conversation();
    conversation.call('get_workflow_step', step());
    const first = conversation.call(FETCH, page(1), 'infold', 'toolu_01');
    expect(conversation.full(first)).toBe(true);
    expect(conversation.collapser.state().results.at(-1)).toMatchObject({
      callId: 'toolu_01',
      phase: 'pending',
      summary: summaryOf(1),
    });
    // Places shift when an application compacts its history; ids do not.
    conversation.messages.unshift({ role: 'user', content: 'hello' });
    conversation.call(STORE, stored());
    expect(conversation.shown('toolu_01')).toBe(summaryOf(1));
  });
});

describe('step C: consumption', () => {
  test('the consumed result becomes its summary, and the original stays at hand', () => {
    verifies('TCP-13');
    const conversation = new Conversation();
    conversation.call('get_workflow_step', step());
    const answer = page(1);
    const first = conversation.call(FETCH, answer);
    const outcome = conversation.collapser.observe({
      server: 'infold',
      tool: STORE,
      callId: 's',
      result: stored(),
    });
    expect(outcome).toEqual({ accepted: true, transient: false, consumed: [first], collapsed: [first] });
    expect(conversation.shown(first)).toBe(summaryOf(1));
    expect(conversation.collapser.original(first)).toEqual(answer);
  });

  test('an original that is read cannot be changed through what was read', () => {
    const conversation = new Conversation();
    const first = conversation.call(FETCH, page(1));
    (conversation.collapser.original(first) as { content: unknown[] }).content.length = 0;
    expect(conversation.collapser.original(first)).toEqual(page(1));
    expect(conversation.collapser.original('unknown')).toBeUndefined();
  });

  test.each([
    ['oldest', [false, true]],
    ['newest', [true, false]],
  ] as const)('of two pending results the %s goes', (order, full) => {
    verifies('TCP-13');
    const conversation = new Conversation({ order });
    conversation.call('get_workflow_step', step());
    const pages = [conversation.call(FETCH, page(1)), conversation.call(FETCH, page(2))];
    conversation.call(STORE, stored());
    expect(pages.map((callId) => conversation.full(callId))).toEqual(full);
  });

  test('a handle that the consumer names wins over the order', () => {
    verifies('TCP-13');
    const conversation = new Conversation();
    conversation.call('get_workflow_step', step());
    const pages = [1, 2, 3].map((number) =>
      conversation.call(FETCH, page(number, { 'infold/handle': `rs_${number}` })),
    );
    conversation.call(STORE, stored('rs_3', 'rs_2'));
    expect(pages.map((callId) => conversation.full(callId))).toEqual([true, false, false]);
  });

  test('a named handle that nobody has yet collapses its result when it comes, and nothing else', () => {
    const conversation = new Conversation();
    conversation.call('get_workflow_step', step());
    const first = conversation.call(FETCH, page(1, { 'infold/handle': 'rs_1' }));
    conversation.call(STORE, stored('rs_2'));
    const second = conversation.call(FETCH, page(2, { 'infold/handle': 'rs_2' }));
    expect([conversation.full(first), conversation.full(second)]).toEqual([true, false]);
  });

  test('a short lookup of the same tool eats no signal', () => {
    verifies('TCP-13');
    const conversation = new Conversation();
    conversation.call('get_workflow_step', step());
    const pages = [text(rows(3)), page(1), text(rows(3)), page(3)].map((answer) =>
      conversation.call(FETCH, answer),
    );
    conversation.call(STORE, stored());
    expect(pages.map((callId) => conversation.full(callId))).toEqual([true, false, true, true]);
    conversation.call(STORE, stored());
    expect(conversation.full(pages[3]!)).toBe(false);
    expect(conversation.codes).toEqual([]);
  });

  test('a marked result that cannot collapse takes the signal that was meant for it', () => {
    verifies('TCP-13');
    const conversation = new Conversation();
    conversation.call('get_workflow_step', step());
    conversation.call(FETCH, { ...text('short'), _meta: page(1)._meta });
    const second = conversation.call(FETCH, page(2));
    conversation.call(STORE, stored());
    expect(conversation.full(second)).toBe(true);
    expect(conversation.codes).toEqual(['bad_summary', 'ignored_signal']);
  });

  test('an empty list of sources means nothing', () => {
    verifies('TCP-13');
    const conversation = new Conversation();
    conversation.call('get_workflow_step', step());
    const first = conversation.call(FETCH, page(1));
    const nothing = { context: { consumed: true }, 'infold/consumes': [] };
    conversation.call(STORE, { ...stored(), _meta: nothing });
    expect(conversation.full(first)).toBe(true);
    expect(conversation.codes).toEqual([]);
  });

  test.each([['mcp__infold__'], ['mcp_infold_'], ['infold_'], ['infold__'], ['mcp__my_infold__']])(
    'tools that a host calls %s… are the same tools',
    (prefix) => {
      verifies('TCP-11');
      const conversation = new Conversation();
      conversation.call(`${prefix}get_workflow_step`, step());
      const first = conversation.call(`${prefix}${FETCH}`, page(1));
      conversation.call(`${prefix}${STORE}`, stored());
      expect(conversation.full(first)).toBe(false);
    },
  );

  test('a consumer of another server uses up results of the server whose workflow names it', () => {
    verifies('TCP-11', 'TCP-14');
    const conversation = new Conversation();
    conversation.call('get_workflow_step', step(hint(FETCH, 'mcp__Notes__save_note')));
    const pages = [1, 2, 3].map((number) =>
      conversation.call(FETCH, page(number, { 'infold/handle': `rs_${number}` })),
    );
    const own = conversation.call(FETCH, page(4), 'notes');
    // A tool of that name on a third server, and another tool of that server, are not named.
    conversation.call('save_note', stored(), 'evil');
    conversation.call('other_note', stored('rs_1'), 'notes');
    expect(pages.map((callId) => conversation.full(callId))).toEqual([true, true, true]);
    conversation.call('save_note', stored(), 'notes');
    conversation.call('mcp__notes__save_note', stored('rs_3'), 'notes');
    expect(pages.map((callId) => conversation.full(callId))).toEqual([false, true, false]);
    expect(conversation.full(own)).toBe(true);
    expect(conversation.codes).toEqual(['ignored_signal', 'foreign_handle']);
  });

  test('every signal that comes to nothing is told', () => {
    const conversation = new Conversation();
    conversation.call(STORE, stored());
    conversation.call('get_workflow_step', step());
    conversation.call(STORE, stored());
    conversation.call(STORE, { ...stored(), isError: true });
    expect(conversation.codes).toEqual(['ignored_signal', 'ignored_signal', 'ignored_signal']);
    expect(conversation.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('no workflow names'),
      expect.stringContaining('nothing is pending'),
      expect.stringContaining('failed'),
    ]);
  });

  test('a signal with nothing pending is not kept for later', () => {
    const conversation = new Conversation();
    conversation.call('get_workflow_step', step());
    conversation.call(STORE, stored());
    const first = conversation.call(FETCH, page(1));
    expect(conversation.full(first)).toBe(true);
  });

  test('a result that no workflow registered goes only by handle', () => {
    verifies('TCP-13');
    const conversation = new Conversation();
    const first = conversation.call(FETCH, page(1, { 'infold/handle': 'rs_1' }));
    conversation.call(STORE, stored());
    expect(conversation.full(first)).toBe(true);
    conversation.call(STORE, stored('rs_1'));
    expect(conversation.full(first)).toBe(false);
  });

  test('or with any consumer of its server, where the application opts in', () => {
    const conversation = new Conversation({ unregistered: 'any-consumer' });
    conversation.call('get_workflow_step', step(hint('find_records', 'other_consumer')));
    const registered = conversation.call('find_records', page(1));
    const foreign = conversation.call(FETCH, page(2), 'other');
    const first = conversation.call(FETCH, page(3));
    conversation.call(STORE, stored());
    expect([registered, foreign, first].map((callId) => conversation.full(callId))).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('no collapse', () => {
  test.each([
    ['the consumer failed', page(1), { ...stored(), isError: true }],
    ['the consumer failed and names a handle', page(1), { ...stored('rs_1'), isError: true }],
    [
      'the consumer says that it did not consume',
      page(1),
      { ...stored(), _meta: { context: { consumed: false } } },
    ],
    ['there is no summary', { ...page(1), _meta: { context: { lifecycle: 'transient' } } }, stored()],
    [
      'the summary is empty',
      { ...page(1), _meta: { context: { lifecycle: 'transient', summary: ' ' } } },
      stored(),
    ],
    [
      'the summary is no text',
      { ...page(1), _meta: { context: { lifecycle: 'transient', summary: 7 } } },
      stored(),
    ],
    ['the summary is longer', { ...text('three rows'), _meta: page(1)._meta }, stored()],
    ['the summary is as long', { ...text(summaryOf(1)), _meta: page(1)._meta }, stored()],
    [
      'the summary has fewer characters but more tokens',
      { ...text(' '.repeat(200)), _meta: page(1)._meta },
      stored(),
    ],
    [
      'the summary is huge',
      { ...text(rows(900)), _meta: { context: { lifecycle: 'transient', summary: 'x '.repeat(4000) } } },
      stored(),
    ],
    ['the fetch failed', { ...page(1), isError: true }, stored()],
  ])('when %s', (_why, fetched, consumer) => {
    verifies('TCP-14');
    const conversation = new Conversation();
    conversation.call('get_workflow_step', step());
    const first = conversation.call(FETCH, fetched);
    conversation.call(STORE, consumer);
    expect(conversation.full(first)).toBe(true);
    expect(conversation.collapser.stats()).toMatchObject({ collapsed: 0, tokensSaved: 0 });
  });

  test('for the results of another server, by pair or by handle', () => {
    verifies('TCP-14');
    const conversation = new Conversation({ unregistered: 'any-consumer' });
    conversation.call('get_workflow_step', step());
    conversation.call('get_workflow_step', step(), 'other');
    const first = conversation.call(FETCH, page(1, { 'infold/handle': 'rs_1' }));
    conversation.call(STORE, stored(), 'other');
    conversation.call(STORE, stored('rs_1'), 'other');
    expect(conversation.full(first)).toBe(true);
    expect(conversation.codes).toEqual(['ignored_signal', 'foreign_handle']);
  });

  test('after an error the retry still collapses the page', () => {
    const conversation = new Conversation();
    conversation.call('get_workflow_step', step());
    const first = conversation.call(FETCH, page(1));
    conversation.call(STORE, { ...stored(), isError: true });
    conversation.call(STORE, stored());
    expect(conversation.full(first)).toBe(false);
  });
});

describe('handles', () => {
  test('the summary carries the handle, so that the model can ask for the original', () => {
    const conversation = new Conversation();
    const answer = page(1, { 'infold/handle': 'rs_1' });
    const first = conversation.call(FETCH, answer);
    conversation.call(STORE, stored('rs_1'));
    expect(conversation.shown(first)).toBe(`${summaryOf(1)}\n[collapsed: context_expand rs_1]`);
    expect(conversation.collapser.expand('rs_1')).toEqual(answer);
    expect(conversation.collapser.expand('rs_2')).toBeUndefined();
  });

  test('under the name that the model knows the tool by, or not at all', () => {
    const renamed = new Conversation({ expandTool: 'infold__context_expand' });
    const silent = new Conversation({ expandTool: false });
    const shown = [renamed, silent].map((conversation) => {
      const first = conversation.call(FETCH, page(1, { 'infold/handle': 'rs_1' }));
      conversation.call(STORE, stored('rs_1'));
      return conversation.shown(first);
    });
    expect(shown).toEqual([`${summaryOf(1)}\n[collapsed: infold__context_expand rs_1]`, summaryOf(1)]);
  });

  test('results of servers without handles can have one of ours', () => {
    const conversation = new Conversation({ localHandles: true });
    conversation.call('get_workflow_step', step());
    const pages = [1, 2].map((number) => conversation.call(FETCH, page(number)));
    conversation.call(STORE, stored());
    conversation.call(STORE, stored());
    expect(pages.map((callId) => conversation.shown(callId))).toEqual([
      `${summaryOf(1)}\n[collapsed: context_expand local_1]`,
      `${summaryOf(2)}\n[collapsed: context_expand local_2]`,
    ]);
    expect(conversation.collapser.expand('local_2')).toEqual(page(2));
  });

  test('one handle for the same page fetched twice collapses both', () => {
    const conversation = new Conversation();
    const pages = [1, 2].map(() => conversation.call(FETCH, page(1, { 'infold/handle': 'rs_1' })));
    conversation.call(STORE, stored('rs_1'));
    expect(pages.map((callId) => conversation.full(callId))).toEqual([false, false]);
  });
});

describe('the reclassify example', () => {
  test('after the loop the conversation holds nine summaries and the findings', () => {
    verifies('TCP-17');
    const events: CollapseEvent[] = [];
    const conversation = new Conversation({ onCollapse: (event) => events.push(event) });
    conversation.call('get_workflow_step', step());
    for (let number = 1; number <= 9; number++) {
      const callId = conversation.call(FETCH, page(number));
      expect(conversation.full(callId)).toBe(true);
      conversation.call(STORE, stored());
    }
    const sent = conversation.collapser.project(conversation.messages).map(({ content }) => content);
    const pages = Array.from({ length: 9 }, (_, index) => [
      summaryOf(index + 1),
      'Stored 1 analysis finding.',
    ]);
    expect(sent).toEqual(['## Steps 2–3 — loop', ...pages.flat()]);
    expect(events.map(({ results }) => results.length)).toEqual(Array(9).fill(1));
    const { collapsed, tokensSaved, pending } = conversation.collapser.stats();
    expect({ collapsed, pending }).toEqual({ collapsed: 9, pending: 0 });
    expect(tokensSaved).toBe(events.reduce((sum, event) => sum + event.tokensSaved, 0));
    expect(conversation.warnings).toEqual([]);
  });
});

describe('the application', () => {
  test('can forget a result whose message it removed, so that no signal is spent on it', () => {
    const conversation = new Conversation();
    conversation.call('get_workflow_step', step());
    const [first, second] = [conversation.call(FETCH, page(1)), conversation.call(FETCH, page(2))];
    expect(conversation.collapser.forget(first)).toBe(true);
    expect(conversation.collapser.forget(first)).toBe(false);
    conversation.call(STORE, stored());
    expect(conversation.full(second)).toBe(false);
  });

  test('learns what a consumer consumed, for its badges', () => {
    const conversation = new Conversation();
    conversation.call('get_workflow_step', step());
    const first = conversation.call(FETCH, page(1));
    const consumer = conversation.call(STORE, stored());
    const { results } = conversation.collapser.state();
    expect(results.find(({ callId }) => callId === consumer)?.consumes).toEqual([first]);
    expect(results.find(({ callId }) => callId === first)?.consumedBy).toBe(consumer);
  });

  test('cannot change the state through what state() answers', () => {
    const conversation = new Conversation();
    const first = conversation.call(FETCH, page(1));
    Object.assign(conversation.collapser.state().results[0]!, { phase: 'collapsed', text: 'gone' });
    expect(conversation.full(first)).toBe(true);
  });

  test('is told of wrong options at once', () => {
    expect(() => createCollapser({ order: 'random' as never })).toThrow(
      'order must be one of oldest, newest',
    );
    expect(() => createCollapser({ unregistered: 'all' as never })).toThrow('unregistered must be one of');
    expect(() => createCollapser({ policy: {} as never })).toThrow('policy must be eager(), batched() or');
  });

  test('hears on the console of each kind of warning once, when it listens to none', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const collapser = createCollapser();
    for (const callId of ['a', 'b', 'c']) {
      collapser.observe({ server: 's', tool: 't', callId, result: { _meta: 'broken' } });
    }
    expect(warn).toHaveBeenCalledTimes(1);
    expect(collapser.stats().warnings).toEqual({ bad_meta: 3 });
    warn.mockRestore();
  });

  test('may have listeners that fail', () => {
    const fail = () => {
      throw new Error('mine');
    };
    const conversation = new Conversation({ onCollapse: fail, onWarning: fail });
    conversation.call('get_workflow_step', step({ broken: true }, hint()));
    const first = conversation.call(FETCH, page(1));
    conversation.call(STORE, stored());
    expect(conversation.full(first)).toBe(false);
    expect(conversation.collapser.stats().warnings.listener_failed).toBe(2);
  });
});
