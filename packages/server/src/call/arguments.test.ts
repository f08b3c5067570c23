import { LIMITS, searchInput } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { errorOf } from '../testing/fixtures.suite.ts';
import { parseArguments, unknownArguments } from './arguments.ts';

const tool = {
  name: 'memory.load',
  input: z.object({
    ids: z.array(z.string()),
    layer: z.enum(['wake', 'recall']).default('recall'),
    limit: z.number().int().max(50).optional(),
  }),
};

describe('arguments that fit', () => {
  test('get their defaults and lose what the schema does not know', () => {
    expect(parseArguments(tool, { ids: ['a'], more: 1 })).toEqual({ ids: ['a'], layer: 'recall' });
  });

  test('may be left out altogether where nothing is required', () => {
    expect(
      parseArguments({ name: 'status', input: z.object({ a: z.string().optional() }) }, undefined),
    ).toEqual({});
  });
});

describe('arguments that do not fit', () => {
  test('a missing field is named with what it must be', async () => {
    const error = await errorOf(() => parseArguments(tool, {}));
    expect(error.code).toBe('invalid_arguments');
    expect(error.message).toBe('Invalid arguments for memory.load: ids is required (array)');
    expect(error.details).toEqual({ problems: ['ids is required (array)'], parameter: 'ids' });
  });

  test('a wrong type is named with what was expected and what came', async () => {
    const { message } = await errorOf(() => parseArguments(tool, { ids: 'a' }));
    expect(message).toBe('Invalid arguments for memory.load: ids: must be a list; it was "a"');
  });

  test('a bad element is named by its place', async () => {
    const { message } = await errorOf(() => parseArguments(tool, { ids: ['a', 7] }));
    expect(message).toContain('ids.1: must be a string; it was 7');
  });

  test('few choices are listed', async () => {
    const { message } = await errorOf(() => parseArguments(tool, { ids: [], layer: 'sleep' }));
    expect(message).toContain('layer: must be one of wake, recall; it was "sleep"');
  });

  test('a whole number is called one, whichever way its schema says so', async () => {
    const input = z.object({ limit: tool.input.shape.limit, ...searchInput(LIMITS).shape });
    const bad = { limit: 1.5, page: 1.5, per_page: 'many' };
    const { details } = await errorOf(() => parseArguments({ name: 'search', input }, bad));
    expect(details?.problems).toEqual([
      'limit: must be a whole number of at most 50; it was 1.5',
      'page: must be a whole number; it was 1.5',
      'per_page: must be a whole number; it was "many"',
    ]);
  });

  test('several problems are told at once, a flood is cut', async () => {
    const two = await errorOf(() => parseArguments(tool, { layer: 1, limit: 51 }));
    expect(two.details?.problems).toHaveLength(3);
    const flood = await errorOf(() => parseArguments(tool, { ids: Array(10_000).fill(0) }));
    expect(flood.details?.problems).toHaveLength(5);
  });

  test.each([[null], ['text'], [7], [[1, 2]]])('%j is not a set of arguments', async (input) => {
    expect((await errorOf(() => parseArguments(tool, input))).code).toBe('invalid_arguments');
  });

  test('a huge bad value does not come back', async () => {
    const { message } = await errorOf(() => parseArguments(tool, { ids: [], layer: 'x'.repeat(1_000_000) }));
    expect(message.length).toBeLessThan(1000);
  });
});

describe('arguments that the schema does not know', () => {
  test('are named', () => {
    expect(unknownArguments(tool, { ids: [], idz: [], layer: 'wake' })).toEqual(['idz']);
    expect(unknownArguments(tool, { ids: [] })).toEqual([]);
  });

  test('are named also when every object has something of that name', () => {
    expect(unknownArguments(tool, JSON.parse('{"toString": 1, "__proto__": 2}'))).toEqual([
      'toString',
      '__proto__',
    ]);
  });

  test('are no concern where there are no arguments', () => {
    for (const input of [undefined, null, 'text', 7]) expect(unknownArguments(tool, input)).toEqual([]);
  });
});
