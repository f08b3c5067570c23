import { expect, test } from 'vitest';
import { StoredTerms } from '../retrieval/stored-terms.ts';
import { isRelevant } from './relevance.ts';

const note = (
  score: number,
  coverage: number,
  more: { thread?: number; wish?: 'met' | 'shared' | 'aside' } = {},
) => ({
  score,
  ranked: {
    coverage,
    lanes: more.wish === undefined ? {} : { wish: 0.3 },
    ...(more.wish === undefined ? {} : { wish: more.wish }),
    passage: {
      row: 1,
      item: 1,
      thread: more.thread ?? null,
      position: null,
      author: null,
      day: null,
      flags: 0,
      terms: StoredTerms.of(''),
      heading: '',
    },
  },
});
const kept = (candidates: ReturnType<typeof note>[], passages = 2000) =>
  candidates.filter(isRelevant(candidates, passages)).length;

test('where a few stand out, the others are left out', () => {
  const others = Array.from({ length: 50 }, () => note(0.2, 0.2));
  expect(kept([note(1, 0.9), note(0.9, 0.8), ...others])).toBe(2);
});

test('where all are alike, all stay', () => {
  expect(kept(Array.from({ length: 50 }, (_, index) => note(1 - index / 1000, 1)))).toBe(50);
});

test('notes that share one common word with the goal are nothing that answers it', () => {
  expect(kept(Array.from({ length: 10 }, () => note(1, 0.2)))).toBe(0);
  // In a store of a few items rarity says nothing.
  expect(
    kept(
      Array.from({ length: 10 }, () => note(1, 0.2)),
      20,
    ),
  ).toBe(10);
});

test('turns of a conversation need no word of the goal, and a standing wish no score', () => {
  const others = Array.from({ length: 50 }, () => note(0.2, 0.2));
  expect(kept([note(1, 0.9), note(0.5, 0, { thread: 4 }), note(0.05, 0, { wish: 'aside' }), ...others])).toBe(
    3,
  );
});

test('a rule that shares a common word with the goal is not relevant by that', () => {
  const others = Array.from({ length: 50 }, () => note(0.2, 0.2));
  expect(kept([note(1, 0.9), note(0.05, 0.1, { wish: 'shared' }), ...others])).toBe(1);
});
