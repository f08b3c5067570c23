import { expect, test } from 'vitest';
import type { Related } from '../queries.ts';
import { layOut, MOST_ROWS } from './graph.ts';

const start = { id: 'a', name: 'A', kind: 'note', isSuperseded: false };
const related = (
  id: string,
  relationship: string,
  direction: Related['direction'],
  by: string | null = null,
) => ({
  ...{ id, type: 'note', name: id.toUpperCase(), relationship, direction, distance: 1, superseded_by: by },
});

test('what leads to an item stands left of it, what it leads to right', () => {
  const { nodes, edges, first, last } = layOut(start, [], {
    a: [related('b', 'requires', 'outgoing'), related('c', 'contradicts', 'incoming', 'a')],
  });
  expect(nodes.map(({ id, column, isSuperseded }) => [id, column, isSuperseded])).toEqual([
    ...[['a', 0, false] as const, ['b', 1, false] as const, ['c', -1, true] as const],
  ]);
  expect(edges).toEqual([
    { from: 'a', to: 'b', type: 'requires' },
    { from: 'c', to: 'a', type: 'contradicts' },
  ]);
  expect([first, last]).toEqual([-1, 1]);
});

test('opening an item adds what is related to it further out, and moves nothing', () => {
  const closed = { a: [related('b', 'requires', 'outgoing'), related('c', 'supports', 'incoming')] };
  const opened = {
    ...closed,
    b: [
      related('a', 'requires', 'incoming'),
      related('d', 'supports', 'incoming'),
      related('c', 'decides', 'outgoing'),
    ],
  };
  const before = layOut(start, [], closed);
  const after = layOut(start, ['b'], opened);
  for (const { id, column, row } of before.nodes) {
    expect(after.nodes.find((node) => node.id === id)).toMatchObject({ column, row });
  }
  expect(after.nodes.find(({ id }) => id === 'd')).toMatchObject({ column: 2 });
  expect(after.edges).toHaveLength(4);
});

test('a column has room for so many, and an open item that is not there adds nothing', () => {
  const many = Array.from({ length: 30 }, (_, place) => related(`r${place}`, 'supports', 'incoming'));
  const { nodes, rows } = layOut(start, ['r29'], { a: many, r29: [related('x', 'supports', 'outgoing')] });
  expect(nodes).toHaveLength(MOST_ROWS + 1);
  expect(rows).toBe(MOST_ROWS);
});
