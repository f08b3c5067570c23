import type { WindowTurnView } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { turnWith } from '../window.suite.ts';
import { cachedShare, drawBars, labelled, leftOf, pitchFor, scaleOf, seriesOf, stackOf } from './bars.ts';

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const tokens = fc.integer({ min: 0, max: 1_000_000 });
const tool = fc.constantFrom('Bash', 'Read', 'Grep', 'Edit', 'Write', 'constructor', 'system');
const turn: fc.Arbitrary<WindowTurnView> = fc
  .record({
    system: tokens,
    tools: tokens,
    text: tokens,
    results: fc.array(fc.record({ tool, count: fc.nat(9), tokens }), { maxLength: 9 }),
    left: tokens,
  })
  .map(({ left, ...held }) => {
    const sent = held.system + held.tools + held.text + sum(held.results.map((one) => one.tokens));
    return turnWith({ held, tokens: { asked: sent + left, sent } });
  });

describe('a bar', () => {
  test('is as high as what is held, whatever tools there are', () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 9 }), (turns) => {
        const series = seriesOf(turns);
        for (const one of turns) expect(sum(stackOf(one, series))).toBe(one.tokens.sent);
        expect(new Set(series.map(({ colour }) => colour)).size).toBe(series.length);
      }),
    );
  });

  test('stays inside the chart', () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 9 }), fc.option(tokens), (turns, limit) => {
        const scale = scaleOf(turns, limit);
        for (const one of turns)
          expect(sum(stackOf(one, seriesOf(turns))) + leftOf(one)).toBeLessThanOrEqual(scale.top);
        expect(scale.ticks.length).toBeLessThanOrEqual(6);
        expect(scale.limit ?? 0).toBeLessThanOrEqual(scale.top);
      }),
    );
  });

  test('shows results of the heaviest tools apart, and of all others together', () => {
    const results = ['a', 'b', 'c', 'd', 'e', 'f'].map((name, place) => ({
      tool: name,
      count: 1,
      tokens: 600 - place,
    }));
    const series = seriesOf([turnWith({ held: { system: 1, tools: 1, text: 1, results } })]);
    expect(series.map(({ name }) => name).slice(3)).toEqual([
      'Results of a',
      'Results of b',
      'Results of c',
      'Results of d',
      'Other results',
    ]);
    expect(stackOf(turnWith({ held: { system: 0, tools: 0, text: 0, results } }), series).at(-1)).toBe(
      596 + 595,
    );
  });
});

describe('the cached share', () => {
  test('is the provider’s own, and not known before it answered', () => {
    expect(cachedShare(turnWith())).toBeUndefined();
    const usage = { input: 10, cache_read: 70, cache_write: 20, cache_write_long: 0, output: 5 };
    const answer = { at: '', status: 200, usage, milliseconds: { first: 1, all: 2, own: 0 }, money: null };
    expect(cachedShare(turnWith({ answer }))).toBe(0.7);
    expect(cachedShare(turnWith({ answer: { ...answer, usage: null } }))).toBeUndefined();
  });
});

test('a limit that is far away is not shown', () => {
  const turns = [turnWith({ tokens: { asked: 1000, sent: 800 } })];
  expect(scaleOf(turns, 200_000).limit).toBeUndefined();
  expect(scaleOf(turns, 1200)).toMatchObject({ limit: 1200, ticks: [0, 500, 1000] });
});

test('only turns that can be seen are drawn', () => {
  const turns = Array.from({ length: 5000 }, (_, place) => turnWith({ turn: place + 1 }));
  const pitch = pitchFor(800, turns.length);
  expect(pitch).toBe(2);
  const series = seriesOf(turns);
  const frame = { pitch, height: 200, scale: scaleOf(turns, null), first: 100, last: 109 };
  const { series: drawn, untouched } = drawBars(turns, series, frame);
  expect(drawn[0]!.match(/M/g)).toHaveLength(10);
  expect(untouched.startsWith('M200 ')).toBe(true);
});

test('numbers under turns keep their distance', () => {
  expect(labelled(12, 40)).toEqual([1, 3, 5, 7, 9, 11]);
  expect(labelled(100, 4)).toEqual([19, 39, 59, 79, 99]);
});
