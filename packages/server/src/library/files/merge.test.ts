import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffLines, linesOf, mergeTexts } from './merge.ts';

const line = fc.constantFrom('a\n', 'b\n', 'c\n', 'd\n', '\n');
const text = fc.array(line, { maxLength: 14 }).map((lines) => lines.join(''));
const side = (lines: ReturnType<typeof diffLines>, kind: 'added' | 'removed') =>
  lines
    .filter((one) => one.kind === 'same' || one.kind === kind)
    .map((one) => one.text)
    .join('');

describe('a difference', () => {
  test('gives both texts back, whatever they are', () => {
    const any = fc.oneof(text, fc.string({ maxLength: 60 }));
    fc.assert(
      fc.property(any, any, (before, after) => {
        const lines = diffLines(before, after);
        expect(side(lines, 'removed')).toBe(before);
        expect(side(lines, 'added')).toBe(after);
      }),
      { numRuns: 1000 },
    );
  });

  test('changes no more lines than it must', () => {
    const changed = (before: string, after: string) =>
      diffLines(before, after).filter(({ kind }) => kind !== 'same').length;
    expect(changed('a\nb\nc\n', 'a\nx\nc\n')).toBe(2);
    expect(changed('a\nb\nc\na\nb\nb\na\n', 'c\nb\na\nb\na\nc\n')).toBe(5);
    expect(changed('a\n', 'a\n')).toBe(0);
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(changed(before, after)).toBe(
          linesOf(before).length + linesOf(after).length - 2 * longest(before, after),
        );
      }),
      { numRuns: 500 },
    );
  });
});

/** The textbook way, slow and plain. */
function longest(one: string, other: string): number {
  const [a, b] = [linesOf(one), linesOf(other)];
  const best = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      best[i]![j] =
        a[i - 1] === b[j - 1] ? best[i - 1]![j - 1]! + 1 : Math.max(best[i - 1]![j]!, best[i]![j - 1]!);
    }
  }
  return best[a.length]![b.length]!;
}

describe('a merge', () => {
  test('takes changes to different lines', () => {
    expect(mergeTexts('a\nb\nc\n', 'A\nb\nc\n', 'a\nb\nC\n')).toEqual({ text: 'A\nb\nC\n' });
    expect(mergeTexts('a\nb\nc\n', 'a\nb\nc\nmine\n', 'theirs\na\nb\nc\n')).toEqual({
      text: 'theirs\na\nb\nc\nmine\n',
    });
    expect(mergeTexts('a\nb\nc\nd\n', 'a\nc\nd\n', 'a\nb\nc\nD\n')).toEqual({ text: 'a\nc\nD\n' });
  });

  test('finds lines that both changed differently', () => {
    expect(mergeTexts('a\nb\nc\n', 'a\nmine\nc\n', 'a\ntheirs\nc\n')).toEqual({ conflicts: 1 });
    expect(mergeTexts('', 'mine\n', 'theirs\n')).toEqual({ conflicts: 1 });
  });

  test('with an unchanged side is the other side, and both the same is no conflict', () => {
    fc.assert(
      fc.property(text, text, (base, changed) => {
        expect(mergeTexts(base, changed, base)).toEqual({ text: changed });
        expect(mergeTexts(base, base, changed)).toEqual({ text: changed });
        expect(mergeTexts(base, changed, changed)).toEqual({ text: changed });
      }),
    );
  });

  test('comes out the same from either side', () => {
    fc.assert(
      fc.property(text, text, text, (base, mine, theirs) => {
        expect(mergeTexts(base, mine, theirs)).toEqual(mergeTexts(base, theirs, mine));
      }),
      { numRuns: 500 },
    );
  });
});

test('texts that have little in common take no longer than a moment', () => {
  const lines = (word: string) =>
    Array.from({ length: 60_000 }, (_, line) => `${word} ${line % 7}\n`).join('');
  const [base, mine, theirs] = [lines('base'), lines('mine'), lines('theirs')];
  expect(mergeTexts(base, mine, theirs)).toEqual({ conflicts: 1 });
  const same = '\n'.repeat(400_000);
  expect(mergeTexts(same, `mine\n${same}`, `${same}theirs\n`)).toEqual({ text: `mine\n${same}theirs\n` });
});
