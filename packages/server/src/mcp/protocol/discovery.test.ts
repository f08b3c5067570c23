import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../cli/services/registry.ts';
import { DOORS } from '../../kernel/config.ts';
import { openDatabase } from '../../kernel/sqlite.ts';
import { testConfig } from '../../testing/fixtures.suite.ts';
import type { ListedTool } from '../tools/registry.ts';

const ALWAYS = ['context_branch', 'context_return', 'context_expand'];
const tools = createRegistry(testConfig({ toolsets: [...DOORS] })).list('seed');

describe('hosts that hide tools behind a search', () => {
  test('show the tools that keep the window small from the start', () => {
    const always = tools.filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true);
    expect(always.map(({ name }) => name)).toEqual(ALWAYS);
  });

  test('are told what each of the others is looked for by, in a short phrase', () => {
    for (const { name, _meta } of tools.filter((tool) => !ALWAYS.includes(tool.name))) {
      const hint = _meta?.['anthropic/searchHint'];
      expect(hint, name).toBeTypeOf('string');
      expect(String(hint).length, name).toBeLessThan(100);
      expect(_meta, name).not.toHaveProperty('anthropic/alwaysLoad');
    }
  });
});

/** What a task says, and the tool that it needs. */
const TASKS: [task: string, tool: string][] = [
  ['research a subtask without filling the window', 'context_branch'],
  ['debug in a focused subtask', 'context_branch'],
  ['fold the finished subtask with a summary', 'context_return'],
  ['how full is the context window', 'context_branch_status'],
  ['undo the wrong turn', 'context_rollback'],
  ['list the subtasks of this session', 'context_list_branches'],
  ['read the original of a collapsed result again', 'context_expand'],
  ['find coding standards and conventions', 'memory.discover'],
  ['load the rules', 'memory.load'],
  ['declare the constraints that shaped the work', 'memory.refer'],
  ['propose a change to a rule', 'draft'],
  ['compile context for my goal from decisions and plans', 'context'],
  ['store a decision for future agents', 'remember'],
  ['plan a document with an outline and sources', 'synthesis_plan'],
  ['page through rows of a table with filters', 'search_records'],
  ['look up a record by id', 'find_records'],
  ['store what was found in the records', 'store_analysis_memory'],
  ['recall the findings', 'recall_analysis_memories'],
  ['get the next step of the workflow', 'get_workflow_step'],
  ['pick a workflow for a goal', 'suggest_workflow'],
  ['broadcast a message to everyone', 'pod_send'],
  ['messages of the pod', 'pod_read'],
];

/** Tasks whose words are in the hints alone. */
const HINTED: [task: string, tool: string][] = [
  ['which guidelines and best practices apply', 'memory.discover'],
  ['edit the playbook', 'draft'],
  ['what do we know from past sessions, background and preferences', 'context'],
  ['save a lesson learned', 'remember'],
  ['query the CSV database', 'search_records'],
  ['which runbook or checklist fits', 'suggest_workflow'],
  ['ask the other agents in the chat', 'pod_send'],
  ['abandon this failed approach', 'context_rollback'],
  ['tokens left in the budget', 'context_branch_status'],
];

/** Ranks as such a search does, by BM25. */
async function searchOver(text: (tool: ListedTool) => string) {
  const database = await openDatabase(':memory:');
  database.exec("CREATE VIRTUAL TABLE tool USING fts5(name UNINDEXED, text, tokenize = 'porter unicode61')");
  for (const tool of tools) database.run('INSERT INTO tool VALUES (?, ?)', tool.name, text(tool));
  return (task: string): string[] => {
    const words = task.match(/\w+/g)!.map((word) => `"${word}"`);
    return database
      .all<{ name: string }>(
        'SELECT name FROM tool WHERE tool MATCH ? ORDER BY rank LIMIT 5',
        words.join(' OR '),
      )
      .map(({ name }) => name);
  };
}

const NEAR = 3;

describe('a search over names and descriptions', async () => {
  const search = await searchOver(
    ({ name, description }) => `${name.replaceAll(/[._]/g, ' ')} ${description}`,
  );
  test.each(TASKS)('"%s" finds %s', (task, tool) => {
    expect(search(task).slice(0, NEAR)).toContain(tool);
  });
});

describe('a search that knows the hints too', async () => {
  const search = await searchOver(
    ({ name, description, _meta }) =>
      `${name.replaceAll(/[._]/g, ' ')} ${description} ${_meta?.['anthropic/searchHint'] ?? ''}`,
  );
  test.each([...TASKS, ...HINTED])('"%s" finds %s', (task, tool) => {
    expect(search(task).slice(0, NEAR)).toContain(tool);
  });
});
