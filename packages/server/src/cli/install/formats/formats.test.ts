import { describe, expect, it } from 'vitest';
import type { Value } from '../installable.ts';
import type { Editor, Path } from './editor.ts';
import { jsonc } from './jsonc.ts';
import { toml } from './toml.ts';
import { yaml } from './yaml.ts';

/** Before, what is inserted where, and after. Each is also taken out again. */
type Case = [before: string, path: Path, value: Value, after: string];

function goesInAndOut(editor: Editor, [before, path, value, after]: Case): void {
  expect(editor.insert(before, path, value)).toBe(after);
  expect(editor.read(after)).toEqual(expect.anything());
  expect(editor.remove(after, path)).toBe(before);
}

describe('JSON', () => {
  const cases: Record<string, Case> = {
    'keeps a comment with what it is about': [
      '{\n\t"a": 1 // one\n}',
      ['b'],
      { c: 2 },
      '{\n\t"a": 1, // one\n\t"b": {\n\t\t"c": 2\n\t}\n}',
    ],
    'adds a trailing comma where there is one': [
      '{\r\n  "a": 1,\r\n}',
      ['b'],
      true,
      '{\r\n  "a": 1,\r\n  "b": true,\r\n}',
    ],
    'stays on one line': ['{"a":[1]}', ['b'], { c: 2 }, '{"a":[1], "b": {"c":2}}'],
    'adds to a list': [
      '{\n  "a": [\n    "x"\n  ]\n}',
      ['a', 1],
      'y',
      '{\n  "a": [\n    "x",\n    "y"\n  ]\n}',
    ],
    'stays behind a comment in an empty object': [
      '{\n  // nothing yet\n}',
      ['a'],
      1,
      '{\n  // nothing yet\n  "a": 1\n}',
    ],
  };
  it.each(Object.entries(cases))('%s', (_, one) => goesInAndOut(jsonc, one));

  it('does not let a comment swallow what follows', () => {
    expect(jsonc.remove('{"a": 1, // one\n "b": 2}', ['b'])).toBe('{"a": 1 // one\n }');
    expect(jsonc.remove('{ // first\n "a": 1, "b": 2}', ['a'])).toBe('{ // first\n  "b": 2}');
  });

  it('reads a key that every object has as one of its own', () => {
    const before = '{\n  "__proto__": {\n    "x": 1\n  }\n}';
    expect(jsonc.insert(before, ['__proto__', 'y'], 2)).toBe(
      '{\n  "__proto__": {\n    "x": 1,\n    "y": 2\n  }\n}',
    );
  });
});

describe('TOML', () => {
  const cases: Record<string, Case> = {
    'puts a key of the top before the first table': [
      'a = 1 # one\n\n[t]\nb = 2\n',
      ['c'],
      'x',
      'a = 1 # one\nc = "x"\n\n[t]\nb = 2\n',
    ],
    'puts it first where there is no other': ['# about t\n[t]\n', ['c'], 'x', 'c = "x"\n# about t\n[t]\n'],
    'appends a table with tables in it': [
      '[s.other]\r\nx = 1\r\n',
      ['s', 'ours'],
      { command: 'node', args: ['a', 'b'], env: { 'A B': 'c' } },
      '[s.other]\r\nx = 1\r\n\r\n[s.ours]\r\ncommand = "node"\r\nargs = ["a", "b"]\r\n[s.ours.env]\r\n"A B" = "c"\r\n',
    ],
    'leaves the last line as it ends': ['a = 1', ['t'], { b: 2 }, 'a = 1\n\n[t]\nb = 2'],
    'adds to a table in the middle': ['[t]\na = 1\n\n[u]\n', ['t', 'b'], 2, '[t]\na = 1\nb = 2\n\n[u]\n'],
    'adds to a table that has only a header': ['[t] # t\n[u]\n', ['t', 'b'], 2, '[t] # t\nb = 2\n[u]\n'],
    'adds to an inline table': [
      's = { a = 1 }\n',
      ['s', 'b'],
      { c: [true] },
      's = { a = 1, b = { c = [true] } }\n',
    ],
    'adds to a list over several lines': [
      'l = [\n  1, # one\n]\n',
      ['l', 1],
      2,
      'l = [\n  1, # one\n  2,\n]\n',
    ],
    'adds to a list of tables': ['[[l]]\na = 1\n', ['l', 1], { a: 2 }, '[[l]]\na = 1\n\n[[l]]\na = 2\n'],
    'adds to what is written with dots': ['s.a = 1\n[t]\n', ['s', 'b'], 2, 's.a = 1\ns.b = 2\n[t]\n'],
    'makes a header where only tables below had one': [
      '[t.u]\na = 1\n',
      ['t', 'b'],
      2,
      '[t.u]\na = 1\n\n[t]\nb = 2\n',
    ],
  };
  it.each(Object.entries(cases))('%s', (_, one) => goesInAndOut(toml, one));

  it('takes out tables that somebody moved apart', () => {
    const text = '[s.ours]\na = 1\n\n[other]\nx = 1\n\n[s.ours.env]\nb = 2\n';
    expect(toml.remove(text, ['s', 'ours'])).toBe('\n[other]\nx = 1\n');
    expect(() => toml.replace(text, ['s', 'ours'], {})).toThrow('several places');
  });
});

describe('YAML', () => {
  const cases: Record<string, Case> = {
    'adds to a block with its indentation': [
      'a:\n    b: 1 # one\n\nc: 2\n',
      ['a', 'd'],
      { e: ['x'] },
      'a:\n    b: 1 # one\n    d:\n      e:\n        - "x"\n\nc: 2\n',
    ],
    'adds behind text over several lines': [
      'a: |\n  one\n  two\n',
      ['b'],
      true,
      'a: |\n  one\n  two\nb: true\n',
    ],
    'adds to brackets': ['a: {b: 1}\n', ['a', 'c'], { d: 1 }, 'a: {b: 1, "c": {"d":1}}\n'],
    'adds to a list': ['a:\n- x\n- y', ['a', 2], { b: 1, c: 2 }, 'a:\n- x\n- y\n- b: 1\n  c: 2'],
  };
  it.each(Object.entries(cases))('%s', (_, one) => goesInAndOut(yaml, one));

  it('fills in a key that has nothing yet', () => {
    expect(yaml.replace('a: # none\nb: 1\n', ['a'], { c: 1 })).toBe('a: # none\n  c: 1\nb: 1\n');
  });

  it('refuses what refers to another part, and several documents', () => {
    expect(() => yaml.insert('a: &x {b: 1}\nc: *x\n', ['c', 'd'], 1)).toThrow();
    expect(() => yaml.read('a: 1\n---\nb: 2\n')).toThrow('several YAML documents');
    expect(() => yaml.read('a: [1\n')).toThrow('is not valid YAML (line 2');
  });
});
