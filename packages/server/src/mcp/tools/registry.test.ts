import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool, type ToolDefinition } from '../../call/tool.ts';
import type { DoorName } from '../../kernel/config.ts';
import { testConfig } from '../../testing/fixtures.suite.ts';
import { portableName, ToolRegistry } from './registry.ts';

function tool(name: string, door?: DoorName, input = z.object({ text: z.string() })): ToolDefinition {
  return defineTool({
    name,
    ...(door === undefined ? {} : { door }),
    title: `Title of ${name}`,
    description: `Does ${name}.`,
    input,
    output: z.object({ done: z.boolean(), note: z.string().default('') }),
    annotations: { readOnlyHint: true },
    scope: 'read',
    run: () => ({ structured: { done: true } }),
  });
}

const tools = [tool('infold_status'), tool('memory.load', 'library'), tool('context_branch', 'fold')];
const registryOf = (given: readonly ToolDefinition[], toolsets: DoorName[] = []) =>
  new ToolRegistry(given, testConfig({ toolsets }));
const everything = registryOf(tools, ['library', 'fold']);

describe('names', () => {
  test('a tool is found under both spellings and no other', () => {
    expect(everything.find('memory.load')?.name).toBe('memory.load');
    expect(everything.find('memory_load')).toBe(everything.find('memory.load'));
    expect(everything.find('memory-load')).toBeUndefined();
    expect(everything.find('Memory.load')).toBeUndefined();
    expect(everything.find('constructor')).toBeUndefined();
  });

  test('a list shows one spelling', () => {
    const names = (spelling: 'seed' | 'portable') => everything.list(spelling).map(({ name }) => name);
    expect(names('seed')).toEqual(['infold_status', 'memory.load', 'context_branch']);
    expect(names('portable')).toEqual(['infold_status', 'memory_load', 'context_branch']);
  });

  test('every dot is replaced', () => {
    expect(portableName('a.b.c')).toBe('a_b_c');
  });

  test('two tools that would answer to one name are refused', () => {
    expect(() => registryOf([tool('a.b'), tool('a_b')])).toThrow('Two tools are named a_b');
  });
});

describe('doors', () => {
  test('only chosen ones are there; tools without a door always are', () => {
    const { tools: chosen } = registryOf(tools, ['fold']);
    expect(chosen.map(({ name }) => name)).toEqual(['infold_status', 'context_branch']);
    expect(registryOf(tools, ['fold']).find('memory_load')).toBeUndefined();
  });

  test('can be opened and closed; who listens is told, and lists are made anew', () => {
    const registry = registryOf(tools, ['fold']);
    const names = () => registry.list('seed').map(({ name }) => name);
    let changes = 0;
    const stop = registry.onChange(() => changes++);
    expect(names()).toEqual(['infold_status', 'context_branch']);
    registry.open(['library']);
    expect(names()).toEqual(['infold_status', 'memory.load']);
    expect(registry.find('context_branch')).toBeUndefined();
    expect(registry.find('memory_load')?.name).toBe('memory.load');
    expect(changes).toBe(1);
    stop();
    registry.open(['fold']);
    expect(changes).toBe(1);
  });

  test('are told with their tools', () => {
    expect(everything.doors()).toEqual([
      { name: 'library', tools: ['memory.load'] },
      { name: 'fold', tools: ['context_branch'] },
    ]);
  });
});

describe('a listed tool', () => {
  const [, listed] = everything.list('seed');

  test('has title, description and annotations', () => {
    expect(listed).toMatchObject({
      title: 'Title of memory.load',
      description: 'Does memory.load.',
      annotations: { title: 'Title of memory.load', readOnlyHint: true, openWorldHint: false },
    });
  });

  test('takes a session id, and keeps its own where it has one', () => {
    expect(listed?.inputSchema).toMatchObject({
      type: 'object',
      required: ['text'],
      properties: { text: { type: 'string' }, session_id: { type: 'string', maxLength: 128 } },
    });
    const own = z.object({ text: z.string(), session_id: z.string().describe('My own') });
    const [kept] = registryOf([tool('x', undefined, own)]).list('seed');
    expect(kept?.inputSchema).toMatchObject({
      required: ['text', 'session_id'],
      properties: { session_id: { description: 'My own' } },
    });
  });

  test('has an output schema that admits its answer and its errors, with room for more fields', () => {
    const schema = listed?.outputSchema as { type: string; anyOf: Record<string, unknown>[] };
    expect(schema.type).toBe('object');
    const [answer, error] = schema.anyOf;
    // A field with a default may be absent on the wire.
    expect(answer).toMatchObject({ type: 'object', required: ['done'] });
    expect(answer?.additionalProperties).not.toBe(false);
    expect(error).toMatchObject({ type: 'object', required: ['error'] });
    expect(error?.additionalProperties).not.toBe(false);
  });

  test('is made once: a list costs nothing the second time', () => {
    expect(everything.list('seed')).toBe(everything.list('seed'));
  });
});
