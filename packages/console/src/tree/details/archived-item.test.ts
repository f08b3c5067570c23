import fc from 'fast-check';
import { expect, test } from 'vitest';
import { archivedItem, textOf } from './archived-item.ts';

test('items of the archive are what they say, and what is not known is shown as it is', () => {
  expect(archivedItem({ type: 'branch', prompt: 'Do it' })).toEqual({ type: 'branch', prompt: 'Do it' });
  expect(archivedItem({ type: 'output', value: { a: 1 } })).toEqual({
    type: 'output',
    text: '{\n  "a": 1\n}',
  });
  expect(archivedItem({ type: 'output', text: 'as it is' })).toEqual({ type: 'output', text: 'as it is' });
  expect(archivedItem({ type: 'operation', handle: 'op_1_0', erased: true })).toMatchObject({
    isErased: true,
    tool: 'An operation',
  });
  expect(
    archivedItem({ type: 'operation', handle: 'op_1_0', input: 'x', input_characters: 9000 }),
  ).toMatchObject({
    isCut: true,
  });
  expect(archivedItem({ page: 'row' })).toEqual({ type: 'other', text: '{\n  "page": "row"\n}' });
});

test('nothing that an archive holds breaks the page', () => {
  const typed = fc.tuple(
    fc.constantFrom('branch', 'summary', 'child', 'operation', 'call', 'output'),
    fc.object(),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.anything(),
        typed.map(([type, more]) => ({ ...more, type })),
      ),
      (value) => {
        const item = archivedItem(JSON.parse(JSON.stringify(value) ?? 'null'));
        expect(typeof item.type).toBe('string');
        for (const part of Object.values(item)) expect(typeof textOf(part)).toBe('string');
      },
    ),
  );
});
