import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { batched, type Collapser, cacheAware, createCollapser, eager, estimateTokens } from '../index.ts';
import { FETCH, page, rows, STORE, step, stored, summaryOf, text } from './fixtures.suite.ts';
import { type Call, history, RENDERINGS, type Turn } from './histories.suite.ts';

const policy = fc.constantFrom(
  () => eager(),
  () => batched({ minTokens: 100, maxPending: 2 }),
  () => cacheAware({ remainingTurns: 30 }),
);
const options = fc.record({
  order: fc.constantFrom('oldest' as const, 'newest' as const),
  unregistered: fc.constantFrom('handle' as const, 'any-consumer' as const),
  localHandles: fc.boolean(),
  countTokens: fc.constantFrom(estimateTokens, (value: string) => countTokens(value)),
});

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}

const observe = (collapser: Collapser, turns: readonly Turn[]) => {
  for (const { calls } of turns) {
    for (const { server, tool, callId, result } of calls) collapser.observe({ server, tool, callId, result });
  }
};

/** All texts in a message, however deep: what a model pays for. */
function textsIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(textsIn).join('\n');
}

describe.each(RENDERINGS)('$name', ({ format, render, ids }) => {
  const random = fc.tuple(history, policy, options);
  const collapserOf = (makePolicy: () => ReturnType<typeof eager>, more: object) =>
    createCollapser({ policy: makePolicy(), onWarning: () => {}, ...more });

  test('calls and results stay paired, ids and thinking untouched, nothing is mutated or lost', () => {
    verifies('TCP-16');
    fc.assert(
      fc.property(random, ([turns, makePolicy, more]) => {
        const collapser = collapserOf(makePolicy, more);
        const messages = frozen(render(turns));
        for (let end = 0; end <= turns.length; end++) {
          observe(collapser, turns.slice(end - 1, end));
          collapser.project(render(turns.slice(0, end)), format);
        }
        const before = structuredClone(messages);
        const sent = collapser.project(messages, format);
        expect(messages).toEqual(before);
        expect(sent.map(ids)).toEqual(messages.map(ids));
        const collapsed = new Set(
          collapser
            .state()
            .results.flatMap(({ phase, callId }) => (phase === 'collapsed' ? [`result:${callId}`] : [])),
        );
        for (const [place, message] of messages.entries()) {
          // Only a message with a collapsed result is another object: thinking, words and calls are the very same.
          if (!ids(message).some((id) => collapsed.has(id))) expect(sent[place]).toBe(message);
        }
      }),
    );
  });

  test('projecting twice changes nothing, and the format is found by itself', () => {
    verifies('TCP-16');
    fc.assert(
      fc.property(random, ([turns, makePolicy, more]) => {
        const collapser = collapserOf(makePolicy, more);
        observe(collapser, turns);
        const messages = render(turns);
        const sent = collapser.project(messages, format);
        expect(collapser.project(frozen(sent), format)).toEqual(sent);
        expect(collapser.project(messages, format)).toEqual(sent);
        expect(collapser.project(messages)).toEqual(sent);
        expect(collapser.project(structuredClone(messages), format)).toEqual(sent);
      }),
    );
  });

  test('tokens never rise', () => {
    verifies('TCP-16');
    let changed = 0;
    fc.assert(
      fc.property(random, ([turns, makePolicy, more]) => {
        const collapser = collapserOf(makePolicy, more);
        observe(collapser, turns);
        const messages = render(turns);
        for (const [place, message] of collapser.project(messages, format).entries()) {
          if (message === messages[place]) continue;
          changed++;
          const [after, before] = [textsIn(message), textsIn(messages[place])];
          expect(more.countTokens(after)).toBeLessThan(more.countTokens(before));
          expect(after.length).toBeLessThan(before.length);
        }
      }),
      { numRuns: 150, examples: fc.sample(random, { numRuns: 50, seed: 1 }).map((one) => [one]) },
    );
    // Histories in which nothing collapses would prove nothing. The first fifty are always the same.
    expect(changed).toBeGreaterThan(100);
  });

  test('what is collapsed is the summary and nothing else', () => {
    verifies('TCP-16');
    for (const as of ['text', 'parts', 'data', 'picture'] as const) {
      const calls = [
        { callId: 'a', server: 's', tool: 'get_workflow_step', result: step(), as },
        { callId: 'b', server: 's', tool: FETCH, result: page(1, { 'infold/handle': 'rs_1' }), as },
        { callId: 'c', server: 's', tool: FETCH, result: page(2), as },
        { callId: 'd', server: 's', tool: STORE, result: stored(), as },
      ];
      const turns = calls.map((call) => ({ words: 'w', thinking: true, calls: [call], reply: '' }));
      const collapser = createCollapser();
      observe(collapser, turns);
      const messages = render(turns);
      const changed = collapser
        .project(messages, format)
        .filter((message, place) => message !== messages[place]);
      expect(changed.map(ids)).toEqual([['result:b']]);
      const texts = textsIn(changed[0]);
      expect(texts).toContain(`${summaryOf(1)}\n[collapsed: context_expand rs_1]`);
      expect(texts).not.toContain('unsorted');
    }
  });
});

test('a signal is never spent on what is not marked, and names nothing when it says so', () => {
  verifies('TCP-13', 'TCP-14');
  const marked = ({ result }: Call) => JSON.stringify(result._meta ?? null).includes('"transient"');
  fc.assert(
    fc.property(fc.tuple(history, policy, options), ([turns, makePolicy, more]) => {
      const calls = new Map(turns.flatMap((turn) => turn.calls).map((call) => [call.callId, call]));
      const collapser = createCollapser({ policy: makePolicy(), onWarning: () => {}, ...more });
      observe(collapser, turns);
      for (const { callId, consumedBy, consumes } of collapser.state().results) {
        const by = consumedBy === undefined ? undefined : calls.get(consumedBy)!;
        if (by) {
          expect(marked(calls.get(callId)!)).toBe(true);
          expect(by.result._meta).not.toHaveProperty('infold/consumes', []);
        }
        for (const target of consumes ?? []) expect(marked(calls.get(target)!)).toBe(true);
      }
    }),
  );
});

/** The rules of pairing, said again in the simplest way: a queue. */
test('random loops collapse what a plain queue says', () => {
  verifies('TCP-13', 'TCP-14');
  const event = fc.constantFrom('page', 'short page', 'failed page', 'stored', 'failed store', 'other');
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      const collapser = createCollapser({ onWarning: () => {} });
      collapser.observe({ server: 's', tool: 'get_workflow_step', callId: 'hints', result: step() });
      const queue: string[] = [];
      const expected: string[] = [];
      for (const [index, what] of events.entries()) {
        const callId = `call_${index}`;
        const isError = what.startsWith('failed');
        const tool = what.endsWith('page') ? FETCH : what === 'other' ? 'Read' : STORE;
        const marked = tool === STORE ? stored() : what === 'page' || isError ? page(index) : text(rows(3));
        collapser.observe({ server: 's', tool, callId, result: { ...marked, isError } });
        if (what === 'page') queue.push(callId);
        const next = what === 'stored' ? queue.shift() : undefined;
        if (next !== undefined) expected.push(next);
      }
      const collapsed = collapser.state().results.filter(({ phase }) => phase === 'collapsed');
      expect(collapsed.map(({ callId }) => callId)).toEqual(expected);
    }),
  );
});
