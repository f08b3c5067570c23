import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { batched, type Snapshot } from '../index.ts';
import { Conversation, FETCH, page, STORE, step, stored, text } from './fixtures.suite.ts';

/** Through JSON, as a file or a database keeps it. */
const kept = (snapshot: Snapshot) => JSON.parse(JSON.stringify(snapshot)) as Snapshot;

function half() {
  const conversation = new Conversation({ policy: batched({ minTokens: 1e9, maxPending: 2 }) });
  conversation.call('get_workflow_step', step());
  const pages = [1, 2, 3, 4].map((number) =>
    conversation.call(FETCH, page(number, { 'infold/handle': `rs_${number}` })),
  );
  conversation.call(STORE, stored());
  conversation.call(STORE, stored());
  conversation.call(STORE, stored());
  conversation.call(STORE, stored('rs_9'));
  conversation.collapser.project(conversation.messages);
  return { conversation, pages };
}

describe('an agent that restarts', () => {
  test('collapses the same way', () => {
    verifies('TCP-12', 'TCP-13');
    const { conversation, pages } = half();
    const again = new Conversation({ policy: batched({ minTokens: 1e9, maxPending: 2 }) });
    again.messages.push(...structuredClone(conversation.messages));
    again.collapser.restore(kept(conversation.collapser.snapshot()));
    expect(again.collapser.project(again.messages)).toEqual(
      conversation.collapser.project(conversation.messages),
    );
    expect(again.collapser.state()).toEqual(conversation.collapser.state());
    const fields = ({ warnings, ...stats }: { warnings: unknown }) => stats;
    expect(fields(again.collapser.stats())).toEqual(fields(conversation.collapser.stats()));

    for (const one of [conversation, again]) {
      one.call(STORE, stored(), 'infold', 'after');
      one.call(FETCH, page(9, { 'infold/handle': 'rs_9' }), 'infold', 'late');
    }
    expect(again.collapser.project(again.messages)).toEqual(
      conversation.collapser.project(conversation.messages),
    );
    expect(again.full(pages[3]!)).toBe(false);
    expect(again.collapser.state()).toEqual(conversation.collapser.state());
  });

  test('ignores results that it had observed before', () => {
    const { conversation, pages } = half();
    const again = new Conversation({ policy: batched({ minTokens: 1e9, maxPending: 2 }) });
    again.collapser.restore(kept(conversation.collapser.snapshot()));
    const outcome = again.collapser.observe({
      server: 'infold',
      tool: FETCH,
      callId: pages[0]!,
      result: page(1),
    });
    expect(outcome.accepted).toBe(false);
  });

  test('has its originals when it asked for them', () => {
    const { conversation, pages } = half();
    const again = new Conversation();
    again.collapser.restore(kept(conversation.collapser.snapshot()));
    expect(again.collapser.original(pages[0]!)).toBeUndefined();
    again.collapser.restore(kept(conversation.collapser.snapshot({ originals: true })));
    expect(again.collapser.original(pages[0]!)).toEqual(conversation.collapser.original(pages[0]!));
    expect(again.collapser.expand('rs_1')).toEqual(page(1, { 'infold/handle': 'rs_1' }));
  });

  test('is not changed by what happens to a snapshot afterwards', () => {
    const { conversation, pages } = half();
    const snapshot = conversation.collapser.snapshot();
    const before = kept(snapshot);
    conversation.call('other', text('more'));
    expect(snapshot).toEqual(before);
    conversation.collapser.restore(snapshot);
    for (const result of snapshot.results) result.phase = 'plain';
    expect(conversation.full(pages[0]!)).toBe(false);
  });
});

describe('what is no snapshot', () => {
  const broken: [string, (snapshot: Snapshot) => unknown][] = [
    ['nothing', () => undefined],
    ['a text', () => 'snapshot'],
    ['another version', (snapshot) => ({ ...snapshot, version: 2 })],
    ['no totals', ({ totals: _totals, ...snapshot }) => snapshot],
    ['a negative turn', (snapshot) => ({ ...snapshot, totals: { ...snapshot.totals, turn: -1 } })],
    ['results that are no list', (snapshot) => ({ ...snapshot, results: {} })],
    [
      'a result without an id',
      (snapshot) => ({ ...snapshot, results: [{ ...snapshot.results[0], callId: '' }] }),
    ],
    [
      'a result of no known phase',
      (snapshot) => ({ ...snapshot, results: [{ ...snapshot.results[0], phase: 'x' }] }),
    ],
    [
      'a collapsed result without text',
      (snapshot) => ({ ...snapshot, results: [{ ...snapshot.results[0], phase: 'collapsed' }] }),
    ],
    ['a result twice', (snapshot) => ({ ...snapshot, results: [snapshot.results[0], snapshot.results[0]] })],
    ['a null among results', (snapshot) => ({ ...snapshot, results: [null] })],
    ['a pair without tools', (snapshot) => ({ ...snapshot, pairs: [{ server: 's', consumer: 'c' }] })],
    ['a null among pairs', (snapshot) => ({ ...snapshot, pairs: [null] })],
    ['a null among originals', (snapshot) => ({ ...snapshot, originals: [null] })],
  ];

  test.each(broken)('%s is refused, and nothing changes', (_what, damage) => {
    const { conversation } = half();
    const snapshot = conversation.collapser.snapshot();
    expect(() => conversation.collapser.restore(damage(kept(snapshot)))).toThrow(TypeError);
    expect(conversation.collapser.snapshot()).toEqual(snapshot);
  });
});
