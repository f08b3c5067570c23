import { describe, expect, test } from 'vitest';
import type { Report } from '../queries.ts';
import { verdictOf } from './words.ts';

const healthy: Report = {
  ok: true,
  entries: 2360,
  events: 3000,
  erased: 0,
  checkpoints: 2,
  head: { seq: 2360, hash: 'ab' },
};

describe('what a verification found', () => {
  test('is said of a healthy journal with what was checked', () => {
    const { title, text, first, advice } = verdictOf({ ...healthy, erased: 1 });
    expect(title).toBe('Every entry is as it was written');
    expect(text).toBe(
      'All 2,360 entries up to position 2,360 form one unbroken chain. 2 signed checkpoints match them. 1 entry was forgotten on purpose: only the hash of what was said remains.',
    );
    expect(first).toEqual([]);
    expect(advice).toBeUndefined();
  });

  test('names the first bad entry and what to do', () => {
    const bad = { seq: 41, id: 'ent_x', stream: 'access.local', problem: 'changed: its digest differs' };
    const verdict = verdictOf({ ...healthy, ok: false, first: bad });
    expect(verdict.title).toBe('Entry 41 is not as it was written');
    expect(verdict.text).toContain('40 entries before it are fine');
    expect(verdict.first.map(({ value }) => value)).toEqual(['41', bad.problem, 'ent_x', 'access.local']);
    expect(verdict.advice).toContain('infold restore');
  });

  test('tells no more of it than was told', () => {
    const bad = { seq: 1, id: null, stream: null, problem: 'changed' };
    const verdict = verdictOf({ ...healthy, ok: false, first: bad });
    expect(verdict.first.map(({ name }) => name)).toEqual(['Position', 'What is wrong']);
    expect(verdict.text).toContain('nothing in this journal');
  });

  test('of an empty journal claims nothing', () => {
    const empty = { ...healthy, entries: 0, checkpoints: 0, head: { seq: 0, hash: '' } };
    expect(verdictOf(empty).title).toBe('The journal is empty');
  });

  test('tells tables from the journal', () => {
    const tables = { ok: false, tables: 9, different: ['identity_project'] };
    const verdict = verdictOf({ ...healthy, ok: false, tables });
    expect(verdict.title).toBe('The tables differ from the journal');
    expect(verdict.advice).toContain('infold rebuild');
  });
});
