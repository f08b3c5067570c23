import { Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';
import { expect, test } from 'vitest';
import { placeInOther } from './places.ts';

test('a line of one version is found in another, also one that is gone there', () => {
  const before = Text.of(['one', 'two', 'three', 'four', 'five']);
  const after = Text.of(['zero', 'one', 'three', 'FOUR', 'five']);
  const chunks = Chunk.build(before, after);
  const lineOf = (line: number) => after.lineAt(placeInOther(chunks, before.line(line).from)).text;
  expect([1, 2, 3, 4, 5].map(lineOf)).toEqual(['one', 'three', 'three', 'FOUR', 'five']);
});
