import { expect, test } from 'vitest';
import { doorsOf, worthKeeping } from './doors.ts';

test('a door is the sum of its tools, the dearest first', () => {
  const tools = [
    { door: 'fold', tokens: 100, calls: 1 },
    { door: 'memory', tokens: 300, calls: 0 },
    { door: 'fold', tokens: 50, calls: 2 },
  ];
  expect(doorsOf(tools)).toEqual([
    { name: 'memory', tools: 1, tokens: 300, calls: 0 },
    { name: 'fold', tools: 2, tokens: 150, calls: 3 },
  ]);
  expect(doorsOf([])).toEqual([]);
});

test('doors that were used are worth keeping', () => {
  const door = (name: string, calls: number) => ({ name, calls, tools: 1, tokens: 1 });
  expect(worthKeeping([door('memory', 0), door('fold', 2), door('system', 9)])).toBe('fold');
  expect(worthKeeping([door('memory', 0), door('fold', 0), door('system', 9)])).toBe('memory,fold');
});
