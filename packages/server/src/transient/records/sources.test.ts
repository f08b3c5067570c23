import { describe, expect, test } from 'vitest';
import { testConfig } from '../../testing/fixtures.suite.ts';
import { Records } from './index.ts';
import { readSources } from './sources.ts';

const read = (source: unknown, environment = {}) =>
  readSources({ thing: source as never }, environment).get('thing');

describe('sources of the configuration', () => {
  test('are read', () => {
    expect(read({ type: 'csv', path: '/a.csv', columns: { n: 'number' }, delimiter: ';' })).toMatchObject({
      model: 'thing',
      id: 'id',
      idRequired: false,
      types: { n: 'number' },
      delimiter: ';',
      orgs: ['local'],
    });
    expect(read({ type: 'postgres', url: 'env:DB', table: 't' }, { DB: 'postgresql://u@h/d' })).toMatchObject(
      {
        url: 'postgresql://u@h/d',
      },
    );
  });

  test.each([
    [{ path: 'x' }, '"type" must be one of jsonl, json, csv, sqlite, postgres'],
    [{ type: 'xml', path: 'x' }, 'postgres, not "xml"'],
    [{ type: 'jsonl' }, '"path" is missing'],
    [{ type: 'sqlite', path: 'x' }, '"table" is missing'],
    [{ type: 'postgres', table: 'x' }, '"url" is missing'],
    [{ type: 'postgres', table: 'x', url: 'mysql://x' }, '"url" must look like postgresql://'],
    [{ type: 'postgres', table: 'x', url: 'env:NOT_SET' }, 'NOT_SET, which is not set'],
    [{ type: 'jsonl', path: 'x', colums: [] }, 'unknown key "colums"'],
    [{ type: 'jsonl', path: 7 }, '"path": '],
    [
      { type: 'jsonl', path: 'x', columns: { a: 'money' } },
      '"columns" must be a list of names, or an object',
    ],
    [{ type: 'jsonl', path: 'x', hide: ['id'] }, 'names the id column'],
    [{ type: 'csv', path: 'x', delimiter: '::' }, '"delimiter"'],
  ])('%j is refused with its key', (source, message) => {
    expect(() => read(source)).toThrow(/^Bad configuration: sources\.thing: /);
    expect(() => read(source)).toThrow(message);
  });

  test('names of models are plain', () => {
    for (const model of ['', '1a', 'a b', 'scr_/x', `a${'b'.repeat(64)}`]) {
      expect(() => readSources({ [model]: { type: 'jsonl', path: 'x' } }), model).toThrow(
        'a model is named by',
      );
    }
  });

  test('stop the start of the program', () => {
    expect(() => new Records(testConfig({ sources: { a: { type: 'nothing' } } }), Date.now)).toThrow(
      'sources.a',
    );
  });
});
