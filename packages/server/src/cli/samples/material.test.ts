import * as script from '@infold/demo/script';
import { LIMITS } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { countTokens } from '../../kernel/tokens/count.ts';
import { checkWorkflow } from '../../transient/workflows/check.ts';
import {
  activity,
  CATEGORY_NAMES,
  PAGES,
  PER_PAGE,
  RECORDS,
  recordLines,
  WORKFLOW_PATH,
  workflowText,
} from './material.ts';

const { CATEGORIES, categoryFor } = script;
const all = Array.from({ length: RECORDS }, (_, index) => activity(index));

describe('the activities', () => {
  test('are 132 of about a hundred tokens each, in nine pages', () => {
    const lines = recordLines().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(all);
    expect(new Set(all.map(({ id }) => id)).size).toBe(132);
    expect(PAGES).toBe(9);
    const average = countTokens(recordLines()) / RECORDS;
    expect(average).toBeGreaterThan(80);
    expect(average).toBeLessThan(120);
  });

  test('are in the categories and pages that the scripted agent goes through', () => {
    expect(CATEGORY_NAMES).toEqual(script.CATEGORY_NAMES);
    expect(PER_PAGE).toBe(script.PER_PAGE);
  });

  test('tell by one word where they belong', () => {
    for (const { title } of all) {
      const words = Object.values(CATEGORIES).filter((word) => title.includes(word));
      expect(words, title).toHaveLength(1);
    }
  });

  test('are misfiled on every page, under every category, and mostly not', () => {
    const misfiled = all.filter(({ title, category }) => categoryFor(title) !== category);
    expect(misfiled.length / RECORDS).toBeLessThan(0.3);
    const pages = new Set(misfiled.map(({ id }) => Math.floor((id - all[0]!.id) / PER_PAGE)));
    expect(pages.size).toBe(PAGES);
    expect(new Set(misfiled.map(({ title }) => categoryFor(title))).size).toBe(3);
  });
});

test('the workflow is one that a library publishes', () => {
  const file = { path: WORKFLOW_PATH, kind: 'workflow', content: workflowText() };
  expect(checkWorkflow(file, () => ['store_analysis_memory', 'search_records'], LIMITS)).toEqual([]);
  // It sees what is wrong with it, too.
  expect(checkWorkflow(file, () => [], LIMITS)).toHaveLength(1);
});
