import type { ContextItem } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { countTokens } from '../../kernel/tokens/count.ts';
import { Body } from './body.ts';
import type { Selection } from './compile.ts';
import type { PackItem } from './items.ts';
import { layOut, type PackPresentation } from './layout.ts';

function itemOf(index: number, content: string): PackItem {
  const view: ContextItem = {
    id: `mem_${index}`,
    type: 'note',
    name: `Note ${index}`,
    content,
    score: 100 - index,
    facet: 'recent_memory',
    reason: 'r',
    source: null,
    quality: {
      origin: null,
      source: null,
      url: null,
      created_at: null,
      updated_at: null,
      valid_at: null,
      project_id: null,
    },
    metadata: {},
    related: [],
  };
  const focus = { begin: 0, end: content.length, terms: new Set(['content']) };
  const body = new Body(content, focus);
  const when = { at: index, ordinal: null, project: undefined };
  return { row: index, place: index, view, body, titled: true, isWish: false, ...when };
}

const selectionOf = (goal: string, contents: readonly string[]): Selection => ({
  goal,
  intent: 'build',
  layer: 'recall',
  domain: null,
  project: null,
  projectName: null,
  query: goal,
  width: 'looked at 1 of 1 passages',
  items: contents.map((content, index) => itemOf(index, content)),
  isKnown: contents.length > 0,
  change: undefined,
  elsewhere: [],
  partitions: [],
  limit: 24,
  relatedLimit: 3,
  includeRelated: true,
});

const TEXT = { format: 'full', half: 'text' } as const;
const DATA = { format: 'compact', half: 'data' } as const;

describe('a pack', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 600 }), { maxLength: 12 });
  const goals = fc.string({ unit: 'grapheme', maxLength: 400 });
  const budgets = fc.integer({ min: 1, max: 1500 });
  const cases = fc.tuple(goals, texts, budgets);

  test('keeps its Markdown to the budget, whatever the goal and the items say', async () => {
    verifies('PACK-13');
    await fc.assert(
      fc.asyncProperty(cases, async ([goal, contents, budget]) => {
        const { pack } = await layOut(selectionOf(goal, contents), { ...TEXT, budget });
        expect(countTokens(pack.markdown)).toBeLessThanOrEqual(budget);
        expect(pack.total_items).toBeLessThanOrEqual(contents.length);
      }),
      { numRuns: 60 },
    );
  });

  test('keeps its data to the budget, or says that they cannot', async () => {
    verifies('PACK-13');
    await fc.assert(
      fc.asyncProperty(cases, async ([goal, contents, budget]) => {
        const reading: PackPresentation = { ...DATA, budget, told: ['Ignored unknown argument "x"'] };
        try {
          const { pack, notices } = await layOut(selectionOf(goal, contents), reading);
          const data = JSON.stringify({ ...pack, notices: [...reading.told!, ...notices] });
          expect(countTokens(data)).toBeLessThanOrEqual(budget);
        } catch (error) {
          if (!InfoldError.isInstance(error)) throw error;
          expect(error.code).toBe('invalid_arguments');
          expect(budget).toBeLessThan(1200);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('without a budget has everything', async () => {
    const contents = Array.from({ length: 50 }, (_, index) => `Content number ${index}`);
    const { pack, notices } = await layOut(selectionOf('g', contents), { ...TEXT, budget: undefined });
    for (const content of contents) expect(pack.markdown).toContain(content);
    expect(notices).toEqual([]);
  });

  test('shortens bodies before it leaves items out, and the best ones least', async () => {
    const contents = Array.from({ length: 10 }, () => 'Words of some content. '.repeat(100));
    const { pack } = await layOut(selectionOf('g', contents), { ...TEXT, budget: 2000 });
    expect(pack.total_items).toBe(10);
    const lengths = pack.markdown
      .split('\n')
      .filter((line) => line.startsWith('  Words'))
      .map((line) => line.length);
    expect(lengths).toHaveLength(10);
    expect(lengths[0]).toBeGreaterThanOrEqual(lengths[9]!);
  });
});
