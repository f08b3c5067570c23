import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Entries } from './entries.suite.ts';
import { barsOf, placesOf, pointAt, pointNear, Timeline } from './timeline.ts';

const DAY = 86_400_000;

describe('a time line', () => {
  test('stays small, and forgets neither an entry nor what is rare', () => {
    const entries = new Entries();
    const timeline = new Timeline();
    for (let count = 0; count < 40_000; count++) timeline.add(entries.operation(), count);
    timeline.add(entries.add('branch.rolled_back', {}), 1);
    for (let count = 0; count < 10_000; count++) timeline.add(entries.operation(), count);
    const { points } = timeline;
    expect(points.length).toBeLessThanOrEqual(16_384);
    expect(points.reduce((sum, { entries: many }) => sum + many, 0)).toBe(50_001);
    expect(points.filter(({ moment }) => moment === 'rollback')).toHaveLength(1);
    expect(points.at(-1)!.seq).toBe(entries.all.at(-1)!.seq);
  });

  test('puts entries where their times are, and cuts pauses short', () => {
    const times = fc.array(fc.nat({ max: 3 * DAY }), { minLength: 2, maxLength: 200 });
    fc.assert(
      fc.property(times, (all) => {
        const points = all.sort((one, other) => one - other).map((at) => ({ at }));
        const places = placesOf(points);
        expect(places[0]).toBe(0);
        expect(places.at(-1)).toBe(1);
        for (let index = 1; index < places.length; index++) {
          expect(places[index]).toBeGreaterThan(places[index - 1]!);
        }
        for (const index of [0, Math.floor(all.length / 2), all.length - 1]) {
          expect(pointNear(places, places[index]!)).toBe(index);
        }
      }),
    );
    const [, first, second] = placesOf([{ at: 0 }, { at: DAY }, { at: DAY + 60_000 }]);
    expect(first).toBeCloseTo(second! / 2);
  });

  test('finds the point of a position', () => {
    const entries = new Entries();
    const timeline = new Timeline();
    for (let count = 0; count < 10; count++) timeline.add(entries.operation(), count);
    const { points } = timeline;
    expect(pointAt(points, 0)).toBe(-1);
    for (const [index, { seq }] of points.entries()) {
      expect(pointAt(points, seq)).toBe(index);
      expect(pointAt(points, seq + 1)).toBe(index);
    }
  });

  test('is drawn in as many bars as there is room for', () => {
    const entries = new Entries();
    const timeline = new Timeline();
    timeline.add(entries.operation(), 10);
    timeline.add(entries.branch('b'), 30);
    timeline.add(entries.fold('b', null, 5), 20);
    const bars = barsOf(timeline.points, placesOf(timeline.points), 4);
    expect(bars.map(({ tokens }) => tokens)).toEqual([10, 10, 30, 20]);
    expect(bars.map(({ density }) => density)).toEqual([1, 0, 1, 1]);
    expect(bars.map(({ moments }) => moments)).toEqual([[], [], ['branch'], ['fold']]);
    expect(barsOf([], placesOf([]), 3)).toHaveLength(3);
  });
});
