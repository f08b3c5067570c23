import { describe, expect, test } from 'vitest';
import { commentedLines, lineOf, sidesOf } from './sides.ts';

const comment = (side: 'draft' | 'published' | null, line: number | null, current = true) => ({
  ...{ at: '2026-01-01T00:00:00.000Z', by: 'rita', text: 'Why?' },
  ...{ side, line, current },
});

describe('the sides of a diff', () => {
  test('are the texts that it was made of, with the ends of their lines', () => {
    const diff = [
      { kind: 'same', text: 'a\r\n' },
      { kind: 'removed', text: 'b\n' },
      { kind: 'added', text: 'c' },
    ] as const;
    expect(sidesOf([...diff])).toEqual({ before: 'a\r\nb\n', after: 'a\r\nc' });
    expect(sidesOf([])).toEqual({ before: '', after: '' });
  });

  test('mark lines that were commented on, unless something else stands there now', () => {
    const comments = [
      comment(null, null),
      comment('draft', 3),
      comment('draft', 3),
      comment('draft', 4, false),
      comment('published', 1),
    ];
    const { draft, published } = commentedLines(comments);
    expect([...draft]).toEqual([[3, 2]]);
    expect([...published]).toEqual([[1, 1]]);
  });

  test('are quoted by the line', () => {
    expect(lineOf('a\nb\n', 2)).toBe('b');
    expect(lineOf('a', 9)).toBe('');
  });
});
