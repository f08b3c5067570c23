import { expect, test } from 'vitest';
import { LAST, moveFor } from './keys.ts';

test('keys go from row to row, over the edge to the next page, and into a record', () => {
  expect(moveFor('ArrowDown', false, 3, 9)).toEqual({ do: 'go', to: 4 });
  expect(moveFor('ArrowDown', false, 9, 9)).toEqual({ do: 'turn', to: 1, at: 0 });
  expect(moveFor('ArrowUp', false, 0, 9)).toEqual({ do: 'turn', to: -1, at: LAST });
  expect(moveFor('PageDown', false, 3, 9)).toEqual({ do: 'turn', to: 1, at: 3 });
  expect(moveFor('Home', false, 3, 9)).toEqual({ do: 'go', to: 0 });
  expect(moveFor('Home', true, 3, 9)).toEqual({ do: 'turn', to: 'first', at: 0 });
  expect(moveFor('End', true, 3, 9)).toEqual({ do: 'turn', to: 'last', at: LAST });
  expect(moveFor('Enter', false, 3, 9)).toEqual({ do: 'open' });
  expect(moveFor('k', true, 3, 9)).toBeUndefined();
  expect(moveFor('a', false, 3, 9)).toBeUndefined();
  expect(moveFor('Enter', false, -1, -1)).toBeUndefined();
});
