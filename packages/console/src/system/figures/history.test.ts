import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Reading, rateOf, ratesOf, readingOf, SPAN, valuesOf, withReading } from './history.ts';

const reading = (at: number, calls: number, startedAt = 1): Reading => ({
  ...readingOf('', at),
  calls,
  startedAt,
});
const historyOf = (...readings: Reading[]) =>
  readings.reduce<Reading[]>((history, one) => withReading(history, one), []);

describe('a history of readings', () => {
  test('counts what nobody did as nothing, and what is not told as not known', () => {
    const empty = readingOf('infold_journal_head 7\nprocess_start_time_seconds 5', 0);
    expect(empty).toMatchObject({ calls: 0, answers: 0, failedOpen: 0, head: 7, startedAt: 5000 });
    expect(empty.streams).toBeUndefined();
  });

  test('tells answers that were no success', () => {
    const text = ['200', '429', '0'].map(
      (status) => `infold_model_answers_total{upstream="a",status="${status}"} 2`,
    );
    expect(readingOf(text.join('\n'), 0)).toMatchObject({ answers: 6, refused: 4 });
  });

  test('is as long as the charts, and begins anew with the server', () => {
    const long = historyOf(...Array.from({ length: 100 }, (_, n) => reading(n * 5000, n)));
    expect(long.at(0)!.at).toBeGreaterThan(99 * 5000 - SPAN);
    expect(withReading(long, reading(600_000, 0, 2))).toEqual([reading(600_000, 0, 2)]);
  });

  test('gives the rate over the time that was asked for', () => {
    const history = historyOf(reading(0, 0), reading(30_000, 0), reading(60_000, 60), reading(90_000, 120));
    expect(rateOf(history, 'calls', 60_000)).toBe(2);
    expect(rateOf(history, 'calls', 90_000)).toBeCloseTo(120 / 90);
    expect(ratesOf(history, 'calls')).toEqual([0, 2, 2]);
    expect(valuesOf(history, 'calls')).toEqual([0, 0, 60, 120]);
    expect(rateOf([reading(0, 5)], 'calls', 60_000)).toBeUndefined();
    expect(rateOf([], 'calls', 60_000)).toBeUndefined();
  });

  test('rates are never negative and never infinite', () => {
    const readings = fc.array(fc.record({ at: fc.nat(10_000_000), calls: fc.nat() }));
    fc.assert(
      fc.property(readings, (given) => {
        const history = historyOf(...given.map(({ at, calls }) => reading(at, calls)));
        for (const rate of ratesOf(history, 'calls')) {
          expect(rate).toBeGreaterThanOrEqual(0);
          expect(rate).toBeLessThan(Infinity);
        }
      }),
    );
  });
});
