import { describe, expect, test } from 'vitest';
import { bodyOf, factsOf } from './front-matter.ts';

describe('front matter', () => {
  test('is cut off what is rendered, and nothing else is', () => {
    expect(bodyOf('---\nkind: rule\n---\n# A\n')).toBe('# A\n');
    expect(bodyOf('\uFEFF---\r\nkind: rule\r\n---\r\nA')).toBe('A');
    expect(bodyOf('# A\n\n---\n\nB\n')).toBe('# A\n\n---\n\nB\n');
    expect(bodyOf('---\nnever closed\n')).toBe('---\nnever closed\n');
  });

  test('becomes facts whatever it holds, and never too many or too long', () => {
    expect(factsOf({ title: 'A', tags: ['a', 'b'], nested: { a: 1 }, no: null })).toEqual([
      ['title', 'A'],
      ['tags', 'a, b'],
      ['nested', '{\n  "a": 1\n}'],
      ['no', 'null'],
    ]);
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, number) => [`k${number}`, 'x'.repeat(5000)]),
    );
    const facts = factsOf(many);
    expect(facts.length).toBe(50);
    expect(facts[0]![1].length).toBeLessThan(2100);
  });
});
