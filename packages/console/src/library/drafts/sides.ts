import type { LibraryDraft } from '../queries.ts';

/** The two texts that a diff was made of. */
export function sidesOf(diff: LibraryDraft['diff']): { before: string; after: string } {
  const without = (kind: 'added' | 'removed') =>
    diff.flatMap((line) => (line.kind === kind ? [] : [line.text])).join('');
  return { before: without('added'), after: without('removed') };
}

/** Lines with comments that are still about what stands there. */
export function commentedLines(comments: LibraryDraft['comments']) {
  const lines = { draft: new Map<number, number>(), published: new Map<number, number>() };
  for (const { side, line, current } of comments) {
    if (side === null || line === null || !current) continue;
    lines[side].set(line, (lines[side].get(line) ?? 0) + 1);
  }
  return lines;
}

const MOST = 300;

export function lineOf(text: string, line: number): string {
  return (text.split('\n')[line - 1] ?? '').slice(0, MOST);
}
