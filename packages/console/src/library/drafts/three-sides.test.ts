import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../../test/support/runs.ts';
import { type MergeSection, resolved, sectionsOf } from './three-sides.ts';

const kinds = (sections: readonly MergeSection[]) => sections.map(({ kind }) => kind);

describe('three sides of a text', () => {
  test('tell apart who changed what', () => {
    const sections = sectionsOf('a\nb\nc\nd\ne\n', 'A\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE\n');
    expect(kinds(sections)).toEqual(['published', 'same', 'draft', 'same']);
    expect(resolved(sections, new Map())).toBe('A\nb\nc\nd\nE\n');
  });

  test('need a choice where both changed the same lines, or lines that touch', () => {
    for (const [published, draft] of [
      ['a\nB\nc\n', 'a\nbb\nc\n'],
      ['a\nB\nc\n', 'a\nb\nC\n'],
    ] as const) {
      const sections = sectionsOf('a\nb\nc\n', published, draft);
      const place = kinds(sections).indexOf('conflict');
      expect(place).toBeGreaterThan(-1);
      expect(resolved(sections, new Map())).toBe(undefined);
      expect(resolved(sections, new Map([[place, 'published']]))).toBe(published);
      expect(resolved(sections, new Map([[place, 'draft']]))).toBe(draft);
      expect(resolved(sections, new Map([[place, 'base']]))).toBe('a\nb\nc\n');
    }
    const sections = sectionsOf('a\nb\nc', 'a\nX\nc', 'a\nY\nc');
    expect(resolved(sections, new Map([[1, 'both']]))).toBe('a\nX\nY\nc');
  });

  test('need none where both did the same', () => {
    const sections = sectionsOf('a\nb\nc', 'a\nX\nc', 'a\nX\nc');
    expect(kinds(sections)).toEqual(['same', 'both', 'same']);
    expect(resolved(sections, new Map())).toBe('a\nX\nc');
  });

  test('lose no line of any version, whatever they are', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '', 'd\r'), { maxLength: 12 })
      .map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, text, (base, published, draft) => {
        const sections = sectionsOf(base, published, draft);
        const of = (side: 'base' | 'published' | 'draft') =>
          sections.flatMap((section) => section[side]).join('\n');
        expect(of('base')).toBe(base);
        expect(of('published')).toBe(published);
        expect(of('draft')).toBe(draft);
        for (const { kind, ...sides } of sections) {
          if (kind === 'same') expect([sides.published, sides.draft]).toEqual([sides.base, sides.base]);
          if (kind === 'published') expect(sides.draft).toEqual(sides.base);
          if (kind === 'draft') expect(sides.published).toEqual(sides.base);
        }
      }),
      { numRuns: runs(500), examples: [['\nc\na', '', '\n\nc\na']] },
    );
  });

  test('tell who put in an empty line', () => {
    const sections = sectionsOf('\na\nb', '\n\na\nb', '\na\nB');
    expect(kinds(sections)).toEqual(['published', 'same', 'draft']);
    expect(resolved(sections, new Map())).toBe('\n\na\nB');
  });

  test('are compared as wholes where they have more different lines than can be told apart', () => {
    const many = Array.from({ length: 60_000 }, (_, index) => `line ${index}`).join('\n');
    const sections = sectionsOf(many, `first\n${many}`, many);
    expect(resolved(sections, new Map())).toBe(`first\n${many}`);
  });
});
