import { expect, test } from 'vitest';
import { grouped, movesIn, sentenceOfMoves } from './moves.ts';

const RECORDS = [
  { id: 1, title: 'Fixed a page', category: 'AI' },
  { id: 2, title: 'Compared two models', category: 'AI' },
  { id: 3, title: 'Called a customer', category: 'Web Dev' },
  { id: 4, title: 'Slept', category: 'AI' },
  { id: 5, title: 'Wrote to a customer', category: 'AI' },
];

test('what is in the wrong category moves to where its title says', () => {
  const moves = movesIn(RECORDS);
  expect(moves.map(({ id, from, to }) => [id, from, to])).toEqual([
    [1, 'AI', 'Web Dev'],
    [3, 'Web Dev', 'Support'],
    [5, 'AI', 'Support'],
  ]);
  expect(grouped([...moves, { id: 6, from: 'AI', to: 'Support' }])).toEqual([
    { from: 'AI', to: 'Web Dev', ids: [1] },
    { from: 'Web Dev', to: 'Support', ids: [3] },
    { from: 'AI', to: 'Support', ids: [5, 6] },
  ]);
});

test('is told in a sentence', () => {
  const moves = movesIn(RECORDS);
  expect(sentenceOfMoves(moves, 5)).toBe('3 of 5 activities move: 1 to Web Dev and 2 to Support.');
  expect(sentenceOfMoves(moves.slice(0, 1), 5)).toBe('1 of 5 activities moves: 1 to Web Dev.');
  expect(sentenceOfMoves([], 5)).toBe('All 5 activities are in the right category.');
});
