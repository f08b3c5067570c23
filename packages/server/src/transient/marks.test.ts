import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { testConfig } from '../testing/fixtures.suite.ts';
import { summaryOf, thresholdFor, transientMeta } from './marks.ts';

const fetched = { model: 'activity', count: 15, ids: [72, 73, 74], page: 1, totalPages: 9 };

describe('the summary', () => {
  test.each([
    [fetched, '15 activity records (page 1/9, IDs: 72, 73, 74…)'],
    [{ ...fetched, totalPages: undefined }, '15 activity records (page 1, IDs: 72, 73, 74…)'],
    [{ ...fetched, ids: [] }, '15 activity records (page 1/9)'],
    [{ ...fetched, ids: [null, undefined, {}] }, '15 activity records (page 1/9)'],
    [{ ...fetched, count: 3 }, '3 activity records (page 1/9, IDs: 72, 73, 74)'],
    [{ ...fetched, count: 1, ids: ['a'] }, '1 activity record (page 1/9, IDs: a)'],
    [{ ...fetched, count: 0, ids: [], totalPages: 1 }, '0 activity records (page 1/1)'],
  ])('%j', (given, summary) => {
    verifies('TCP-02');
    expect(summaryOf(given)).toBe(summary);
  });

  test('is one short line, whatever the ids are', () => {
    fc.assert(
      fc.property(fc.array(fc.anything()), (ids) => {
        const summary = summaryOf({ ...fetched, ids });
        expect(summary).not.toMatch(/[\n\r\t]|undefined|\[object/);
        expect(summary.length).toBeLessThan(250);
      }),
    );
  });
});

test('a mark says nothing about who uses the result up', () => {
  verifies('TCP-03');
  expect(transientMeta(fetched, 'rs_1')).toEqual({
    context: { lifecycle: 'transient', summary: '15 activity records (page 1/9, IDs: 72, 73, 74…)' },
    'infold/handle': 'rs_1',
  });
});

test('the threshold is 5 unless it is set', () => {
  expect(thresholdFor('search_records', testConfig())).toBe(5);
  expect(thresholdFor('search_records', testConfig({ transientThreshold: 9 }))).toBe(9);
  expect(thresholdFor('search_records', testConfig({ transientThresholds: { search_records: 2 } }))).toBe(2);
});
