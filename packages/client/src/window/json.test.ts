import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editJson, type JsonEdit } from './json.ts';

describe('edits of a JSON text', () => {
  test('leave everything else as it was, to the character', () => {
    const text = '{ "big": 12345678901234567890, "list": [1.0, {"a" : "x\\u0041\\"]"}, [ ] ] , "z":-0e5}';
    expect(editJson(text, [{ path: ['list', 1, 'a'], kind: 'set', json: '"y"' }])).toBe(
      '{ "big": 12345678901234567890, "list": [1.0, {"a" : "y"}, [ ] ] , "z":-0e5}',
    );
    expect(editJson(text, [])).toBe(text);
  });

  test('say when a path leads nowhere, into a plain value, or to a key that is there twice', () => {
    const edit = (path: (string | number)[]): JsonEdit => ({ path, kind: 'set', json: '1' });
    expect(() => editJson('{"a":[1]}', [edit(['a', 1])])).toThrow('does not exist');
    expect(() => editJson('{"a":[1]}', [edit(['b'])])).toThrow('does not exist');
    expect(() => editJson('{"a":[1]}', [edit(['a', 0, 'c'])])).toThrow('neither an object nor a list');
    expect(() => editJson('{"a":1,"a":2}', [edit(['a'])])).toThrow('twice');
  });

  test('do what the same changes of the value do, for any JSON and any spacing', () => {
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    const list = fc.array(
      fc.oneof(scalar, fc.array(scalar), fc.dictionary(fc.string(), scalar, { noNullPrototype: true })),
      { maxLength: 8 },
    );
    const edited = fc.record({
      list,
      drop: fc.array(fc.nat(7)),
      change: fc.nat(7),
      value: scalar,
      more: fc.array(scalar, { maxLength: 3 }),
      indent: fc.constantFrom(undefined, 1, '\t'),
    });
    fc.assert(
      fc.property(edited, ({ list, drop, change, value, more, indent }) => {
        const gone = new Set(drop.filter((place) => place < list.length));
        const text = JSON.stringify({ before: '"', list, after: { list } }, null, indent);
        const isChanged = change < list.length && !gone.has(change);
        const edits: JsonEdit[] = [
          ...[...gone].map((place): JsonEdit => ({ path: ['list', place], kind: 'remove' })),
          ...more.map((item): JsonEdit => ({ path: ['list'], kind: 'append', json: JSON.stringify(item) })),
          { path: ['after'], kind: 'add', key: 'é"', json: '7' },
        ];
        if (isChanged) edits.push({ path: ['list', change], kind: 'set', json: JSON.stringify(value) });
        const expected = list
          .map((item, place) => (isChanged && place === change ? value : item))
          .filter((_, place) => !gone.has(place));
        expect(JSON.parse(editJson(text, edits))).toEqual({
          before: '"',
          list: [...expected, ...more],
          after: { list, 'é"': 7 },
        });
      }),
    );
  });
});
