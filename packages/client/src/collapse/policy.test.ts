import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { batched, type CollapseEvent, cacheAware, eager, type Policy } from '../index.ts';
import { Conversation, FETCH, hint, page, STORE, step, stored } from './fixtures.suite.ts';

function begin(policy: Policy) {
  const events: CollapseEvent[] = [];
  const conversation = new Conversation({ policy, onCollapse: (event) => events.push(event) });
  conversation.call('get_workflow_step', step());
  /** Makes a prompt, as before each model call. */
  const turn = () => conversation.collapser.project(conversation.messages);
  const fetch = (number: number) => {
    const callId = conversation.call(FETCH, page(number, { 'infold/handle': `rs_${number}` }));
    turn();
    return callId;
  };
  const store = (...handles: string[]) => {
    conversation.call(STORE, stored(...handles));
    turn();
  };
  turn();
  return { conversation, events, turn, fetch, store };
}

describe('eager', () => {
  test('collapses at once', () => {
    const { conversation, fetch, store } = begin(eager());
    const first = fetch(1);
    store();
    expect(conversation.full(first)).toBe(false);
  });
});

describe('batched', () => {
  test('waits for enough results', () => {
    const { conversation, events, fetch, store } = begin(batched({ minTokens: 1e9, maxPending: 3 }));
    const pages = [1, 2, 3].map((number) => {
      const callId = fetch(number);
      if (number < 3) expect(events).toEqual([]);
      store();
      return callId;
    });
    expect(events.map(({ results }) => results.map(({ callId }) => callId))).toEqual([pages]);
    expect(conversation.collapser.stats()).toMatchObject({ waiting: 0, collapsed: 3 });
  });

  test('or for enough tokens', () => {
    const { conversation, fetch, store } = begin(batched({ minTokens: 300, maxPending: 99 }));
    const first = fetch(1);
    store();
    expect(conversation.full(first)).toBe(true);
    expect(conversation.collapser.stats()).toMatchObject({ waiting: 1, collapsed: 0, tokensSaved: 0 });
    fetch(2);
    store();
    expect(conversation.collapser.stats()).toMatchObject({ waiting: 0, collapsed: 2 });
  });

  test('does not open again what a second consumer names', () => {
    const { conversation, events, fetch, store } = begin(batched({ minTokens: 1e9, maxPending: 2 }));
    const pages = [fetch(1), fetch(2)];
    store('rs_1', 'rs_2');
    store('rs_1');
    expect(pages.map((callId) => conversation.full(callId))).toEqual([false, false]);
    expect(events).toHaveLength(1);
    expect(conversation.collapser.state().results.at(-1)?.consumes).toBeUndefined();
  });

  test('can be made to collapse now', () => {
    const { conversation, fetch, store } = begin(batched({ minTokens: 1e9, maxPending: 99 }));
    const first = fetch(1);
    const pending = fetch(2);
    store();
    expect(conversation.collapser.flush()).toEqual([first]);
    expect(conversation.collapser.flush()).toEqual([]);
    expect([conversation.full(first), conversation.full(pending)]).toEqual([false, true]);
  });
});

describe('cache-aware', () => {
  test('collapses at once where little stands after the page', () => {
    verifies('TCP-19');
    const { conversation, fetch, store } = begin(cacheAware({ remainingTurns: 20 }));
    const first = fetch(1);
    store();
    expect(conversation.full(first)).toBe(false);
  });

  test('waits while unconsumed pages stand after it, then collapses all in one rewrite', () => {
    verifies('TCP-19');
    const { conversation, events, fetch, store } = begin(cacheAware({ remainingTurns: 20 }));
    const pages = [1, 2, 3].map(fetch);
    store();
    store();
    expect(pages.every((callId) => conversation.full(callId))).toBe(true);
    store();
    expect(events.map(({ results }) => results.map(({ callId }) => callId))).toEqual([pages]);
  });

  test('does not collapse what no later turn would repay', () => {
    verifies('TCP-19');
    const left = { turns: 0 };
    const { conversation, fetch, store } = begin(cacheAware({ remainingTurns: () => left.turns }));
    const first = fetch(1);
    store();
    expect(conversation.full(first)).toBe(true);
    left.turns = 30;
    const second = fetch(2);
    store();
    expect([conversation.full(first), conversation.full(second)]).toEqual([false, false]);
  });

  test('leaves a page in place when only later ones repay their rewrite', () => {
    verifies('TCP-19');
    const { conversation, fetch, store } = begin(cacheAware({ remainingTurns: 12 }));
    const [first, middle, last] = [fetch(1), fetch(2), fetch(3)];
    store('rs_1');
    store('rs_3');
    expect([first, middle, last].map((callId) => conversation.full(callId))).toEqual([true, true, false]);
  });

  test('collapses for nothing what is rewritten in any case, or was never sent', () => {
    const result = { callId: 'a', tokens: 1500, textTokens: 30, waited: 0, keptAfter: 1e6 };
    const nothing = { pendingAfter: 0, pendingCount: 0 };
    const { decide } = cacheAware({ remainingTurns: 1 });
    const decided = (sent: boolean, rewritten: boolean) =>
      decide({ waiting: [{ ...result, ...nothing, sent }], rewritten: () => rewritten });
    expect([decided(true, false), decided(true, true), decided(false, false)]).toEqual([[], ['a'], ['a']]);
  });

  test('does not wait for ever for a page that nobody consumes', () => {
    const { conversation, fetch, store, turn } = begin(cacheAware({ remainingTurns: 200 }));
    const first = fetch(1);
    fetch(2);
    store('rs_1');
    expect(conversation.full(first)).toBe(true);
    for (let count = 0; count < 6; count++) {
      conversation.call('other_tool', { content: [{ type: 'text', text: 'ok' }] });
      turn();
    }
    expect(conversation.full(first)).toBe(false);
  });

  test('pays one rewrite for what collapses in the same turn', () => {
    verifies('TCP-19');
    const { conversation, events, turn, fetch } = begin(eager());
    conversation.call('get_workflow_step', step(hint('other_fetch', 'other_store')));
    fetch(1);
    conversation.call('other_fetch', page(2));
    turn();
    conversation.call(STORE, stored());
    conversation.call('other_store', stored());
    expect(events.map(({ rewriteTokens }) => rewriteTokens > 0)).toEqual([true, false]);
    expect(conversation.collapser.stats().rewriteTokens).toBe(events[0]!.rewriteTokens);
  });

  test('reports what it saved and what the rewrite cost', () => {
    verifies('TCP-19');
    const { conversation, events, fetch, store } = begin(
      cacheAware({ read: 0.1, write: 1.25, remainingTurns: 20 }),
    );
    for (let number = 1; number <= 4; number++) {
      fetch(number);
      store();
    }
    const { tokensNotSent, rewriteTokens, cost, turns } = conversation.collapser.stats();
    // Each page is missing from the prompt after its store and from all later ones.
    const saved = events.map(({ tokensSaved }) => tokensSaved);
    expect(turns).toBe(9);
    expect(tokensNotSent).toBe(saved[0]! * 7 + saved[1]! * 5 + saved[2]! * 3 + saved[3]!);
    expect(rewriteTokens).toBe(events.reduce((sum, event) => sum + event.rewriteTokens, 0));
    expect(cost!.saved).toBeCloseTo(tokensNotSent * 0.1);
    expect(cost!.rewrite).toBeCloseTo(rewriteTokens * 1.15);
    expect(cost!.net).toBeCloseTo(cost!.saved - cost!.rewrite);
    expect(cost!.net).toBeGreaterThan(0);
  });

  test('projecting the same prompt again is not another turn', () => {
    const { conversation, fetch, store, turn } = begin(cacheAware());
    fetch(1);
    store();
    const before = conversation.collapser.stats();
    turn();
    turn();
    expect(conversation.collapser.stats()).toEqual(before);
  });
});

describe('a policy of the application', () => {
  test('that fails, or names what it may not, collapses nothing', () => {
    const failing: Policy = {
      name: 'mine',
      decide: () => {
        throw new Error('mine');
      },
    };
    const greedy: Policy = { name: 'mine', decide: () => ['call_2', 'call_3', 'unknown'] };
    const [one, other] = [begin(failing), begin(greedy)];
    for (const { conversation, fetch, store } of [one, other]) {
      const [first, second] = [fetch(1), fetch(2)];
      store('rs_2');
      expect(conversation.full(first)).toBe(true);
      expect(conversation.full(second)).toBe(conversation === one.conversation);
    }
    expect(one.conversation.codes).toContain('policy_failed');
  });

  test.each([
    () => batched({ minTokens: -1 }),
    () => batched({ maxPending: 0 }),
    () => cacheAware({ read: Number.NaN }),
    () => cacheAware({ write: '1.25' as never }),
    () => cacheAware({ remainingTurns: -1 }),
  ])('has sane numbers: %s', (make) => {
    expect(make).toThrow(/must be a number of at least/);
  });
});
