import type { ContextItem } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { countTokens } from '../../kernel/tokens.ts';
import { renderPack } from './markdown.ts';

function item(index: number, content: string): ContextItem {
  return {
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
}

const pack = (goal: string, contents: readonly string[]) => ({
  goal,
  intent: 'build',
  layer: 'recall',
  domain: null,
  project: null,
  sections: [
    {
      facet: 'recent_memory' as const,
      title: 'Recent Memory',
      items: contents.map((content, index) => item(index, content)),
    },
  ],
});

describe('the Markdown of a pack', () => {
  test('keeps to its budget, whatever the goal and the items say', () => {
    verifies('PACK-13');
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 400 }),
        fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 600 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 1500 }),
        (goal, contents, budget) => {
          const { markdown, ids, leftOut } = renderPack(pack(goal, contents), budget);
          expect(countTokens(markdown)).toBeLessThanOrEqual(budget);
          expect(ids.size + leftOut.length).toBe(contents.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('without a budget has everything', () => {
    const contents = Array.from({ length: 50 }, (_, index) => `Content number ${index}`);
    const { markdown, leftOut } = renderPack(pack('g', contents), undefined);
    for (const content of contents) expect(markdown).toContain(content);
    expect(leftOut).toEqual([]);
  });
});
