import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { pagesNamed } from './named-records.ts';

const pageOf = (ref: string, from: number, model = 'activity') => ({
  ref,
  model,
  idColumn: 'id',
  ids: new Set(Array.from({ length: 15 }, (_, index) => String(from + index))),
});
const PAGES = [pageOf('rs_1', 72), pageOf('rs_2', 87), pageOf('rs_3', 102)];
const TICKETS = [{ ...pageOf('rs_t', 1, 'ticket'), ids: new Set(['T-1042', 'T-1043', 'open']) }];

const said = (finding: string, metadata: Record<string, unknown> | null = null) =>
  pagesNamed([{ finding, metadata }], PAGES);

describe('records that findings name', () => {
  test.each([
    ['72 and 75 are Web Dev', ['rs_1']],
    ['Page 1: 75, 77 to Web Dev', ['rs_1']],
    ['In the wrong category, belong to AI: 90, 91 and 103', ['rs_2', 'rs_3']],
    ['Activity 88 is misfiled', ['rs_2']],
    ['activities 72, 73 and 80: Web Dev', ['rs_1']],
    ['IDs: 102', ['rs_3']],
    ['see #101', ['rs_2']],
    ['Record 4711 is a duplicate', []],
  ])('%s', (finding, pages) => {
    verifies('TCP-04');
    expect(said(finding)).toEqual(pages);
  });

  test.each([
    '3 activities to Web Dev',
    '80 activities were read',
    'took 90 minutes',
    '15 of 132 activities, 80 % of them billable',
    '72, 75 and 80 activities in three categories',
    '72, 75 and 80 minutes each',
    'the rest of the page is filed right',
    'since 2026-01-80, 12:75',
    'version 7.72, 8.75 and 9.80',
  ])('are not: %s', (finding) => {
    expect(said(finding)).toBeUndefined();
  });

  test('in metadata, under keys that speak of ids', () => {
    expect(said('Web Dev', { ids: [72, '90'] })).toEqual(['rs_1', 'rs_2']);
    expect(said('Web Dev', { record_id: 72 })).toEqual(['rs_1']);
    expect(said('Web Dev', { activityIds: [103] })).toEqual(['rs_3']);
    expect(said('Web Dev', { activity: 103 })).toEqual(['rs_3']);
    expect(said('Web Dev', { first: 72, count: 90, minutes: [102] })).toBeUndefined();
    expect(said('Web Dev', { ids: [1] })).toEqual([]);
  });

  test('by ids that no number could be, but not by words that happen to be one', () => {
    const about = (finding: string) => pagesNamed([{ finding, metadata: null }], TICKETS);
    expect(about('moved T-1043 to billing')).toEqual(['rs_t']);
    expect(about('tickets T-1042, T-9')).toEqual(['rs_t']);
    expect(about('the door is open')).toBeUndefined();
    expect(about('T-10421 is another')).toBeUndefined();
  });

  test('of hostile texts are looked for in time', () => {
    const texts = ['1, '.repeat(5000), '#'.repeat(16_000), 'id 1 and '.repeat(1800), '1'.repeat(16_000)];
    texts.push(
      'id a'.padEnd(16_000, 'a-'),
      ' '.repeat(16_000),
      `id${' '.repeat(16_000)}`,
      'id '.repeat(5000),
    );
    for (const text of texts) {
      const started = performance.now();
      said(text);
      expect(performance.now() - started).toBeLessThan(5000);
    }
  });
});
