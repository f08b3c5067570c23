import type { JournalEntry, WindowView } from '@infold/protocol';
import { expect, test } from 'vitest';
import { healthOf } from '../conversation/health.ts';
import { byRule, isCut } from '../decisions/decided.ts';
import { hear, heardDuring } from '../live/hearing.ts';
import { fateOf, oneLine, sumsOf, titleOf } from '../prompt/blocks.ts';
import { isLive, type MeteredView, matching, unwatched } from './conversations.ts';

const viewWith = (more: Partial<WindowView>): WindowView =>
  ({
    id: 'conv_1',
    host: 'claude-code',
    model: 'sonnet',
    host_session: 's1',
    principal: 'ada',
    ...more,
  }) as WindowView;

test('conversations are found by every word of host, model, session or id', () => {
  const views = [viewWith({}), viewWith({ id: 'conv_2', host: null, model: 'gpt-5', host_session: null })];
  expect(matching(views, ' ')).toBe(views);
  expect(matching(views, 'CLAUDE ada')).toEqual([views[0]]);
  expect(matching(views, 'conv_2 gpt')).toEqual([views[1]]);
  expect(matching(views, 'null')).toEqual([]);
});

test('one is live for as long as a provider keeps its prompt', () => {
  const now = Date.parse('2026-11-16T05:10:00Z');
  expect(isLive({ last_at: '2026-11-16T05:05:01Z' }, now)).toBe(true);
  expect(isLive({ last_at: '2026-11-16T05:04:59Z' }, now)).toBe(false);
});

test('sessions whose requests go through the window are not listed beside it', () => {
  const session = (id: string, host_id: string | null) => ({ id, host_id }) as MeteredView;
  const sessions = [session('a', 's1'), session('b', 's2'), session('c', null)];
  expect(unwatched(sessions, [viewWith({})]).map(({ id }) => id)).toEqual(['b', 'c']);
});

test('health is the word that context_health has', () => {
  expect([0, 0.5, 0.51, 0.7, 0.71, 2].map(healthOf)).toEqual([
    'none',
    'none',
    'medium',
    'medium',
    'high',
    'high',
  ]);
});

test('blocks are whole, replaced or gone', () => {
  const block = (sent: number, rule: string | null) => ({ rule, tokens: { asked: 10, sent } }) as never;
  expect([block(10, null), block(0, null), block(3, 'aged'), block(0, 'folded')].map(fateOf)).toEqual([
    'whole',
    'whole',
    'replaced',
    'gone',
  ]);
  expect(sumsOf([block(10, null), block(3, 'aged'), block(0, 'folded')])).toEqual({
    asked: 30,
    sent: 13,
    largest: 10,
    gone: 2,
  });
  expect(titleOf({ kind: 'result', role: 'user', tool: 'mcp__infold__expand' })).toBe(
    'Result of expand (infold)',
  );
  expect(oneLine(' a\n\tb  c ')).toBe('a b c');
});

test('what left is summed by rule, the rule that took most first', () => {
  const decision = (rule: string, before: number) => ({ rule, tokens: { before, after: 10 } }) as never;
  expect(byRule([decision('aged', 20), decision('folded', 500), decision('aged', 30)])).toEqual([
    { rule: 'folded', count: 1, tokens: 490 },
    { rule: 'aged', count: 2, tokens: 30 },
  ]);
});

test('a text of a brief entry says that it is longer', () => {
  expect(isCut(`${'x'.repeat(1000)}… (1234 characters)`)).toBe(true);
  expect(isCut('short… (1234 characters)')).toBe(false);
  expect(isCut('x'.repeat(5000))).toBe(false);
  expect(isCut(null)).toBe(false);
});

test('what happens while something is asked for is applied to the answer', async () => {
  const entry = (seq: number) => ({ seq }) as JournalEntry;
  const add = (all: number[], { seq }: JournalEntry) => [...all, seq];
  hear([entry(1)]);
  const answer = heardDuring(async () => {
    hear([entry(2)]);
    await Promise.resolve();
    hear([entry(3), entry(4)]);
    return [0];
  }, add);
  expect(await answer).toEqual([0, 2, 3, 4]);
  hear([entry(5)]);
  expect(await heardDuring(async () => [0], add)).toEqual([0]);
});
