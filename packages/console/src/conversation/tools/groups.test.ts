import { expect, test } from 'vitest';
import type { McpTool } from '../mcp/connection.ts';
import { groupsOf, searched, toolNamed } from './groups.ts';

const tool = (name: string, description = ''): McpTool => ({
  name,
  title: name,
  description,
  inputSchema: {},
  needsWrite: false,
});
const names = (groups: ReturnType<typeof groupsOf>) =>
  groups.map(({ door, tools }) => [door, ...tools.map(({ name }) => name)]);

const groups = groupsOf(
  [tool('memory_load', 'Load content'), tool('context_branch', 'Branch off'), tool('of_nobody')],
  [
    { name: 'context_branch', door: 'fold' },
    { name: 'memory.load', door: 'library' },
    { name: 'not_listed', door: 'window' },
  ],
);

test('tools stand under their doors, whichever way their names are spelled', () => {
  expect(names(groups)).toEqual([
    ['fold', 'context_branch'],
    ['library', 'memory_load'],
    ['other', 'of_nobody'],
  ]);
});

test('are found by all words of what one looks for', () => {
  expect(names(searched(groups, ' LOAD content '))).toEqual([['library', 'memory_load']]);
  expect(searched(groups, 'load branch')).toEqual([]);
  expect(searched(groups, ' ')).toEqual(groups);
});

test('a tool is known by both spellings of its name', () => {
  const tools = [tool('memory_load'), tool('other.tool')];
  for (const name of ['memory_load', 'memory.load']) expect(toolNamed(tools, name)?.name).toBe('memory_load');
  expect(toolNamed(tools, 'other.tool')?.name).toBe('other.tool');
  expect(toolNamed(tools, 'nope')).toBeUndefined();
});
