import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../cli/services/registry.ts';
import { DOORS, type DoorName, SPELLINGS } from '../../kernel/config.ts';
import { countTokens } from '../../kernel/tokens/count.ts';
import { testConfig } from '../../testing/fixtures.suite.ts';
import { instructionsFor } from './instructions.ts';

const MOST_TOKENS = 300;

/** Every choice of doors, from none to all. */
const CHOICES: DoorName[][] = Array.from({ length: 2 ** DOORS.length }, (_, bits) =>
  DOORS.filter((_door, place) => bits & (1 << place)),
);

const everyTool = createRegistry(testConfig({ toolsets: [...DOORS] })).tools;

/** The names of tools that a text holds, in either spelling. `context` and `draft` are words too. */
function namesIn(text: string): string[] {
  const names = everyTool.flatMap(({ name, portableName }) => [name, portableName]);
  return [...new Set(names)].filter((name) =>
    name === 'context' || name === 'draft' || name === 'remember'
      ? new RegExp(`(call|with) ${name}\\b`).test(text)
      : new RegExp(`(?<![\\w.])${name.replace('.', '\\.')}(?!\\w)`).test(text),
  );
}

describe.each(SPELLINGS)('instructions with %s names', (spelling) => {
  test.each(CHOICES.map((doors) => [doors.join(', ') || 'no doors', doors] as const))(
    'of %s name only what is listed, and are short',
    (_title, toolsets) => {
      const registry = createRegistry(testConfig({ toolsets }));
      const text = instructionsFor(registry, spelling);
      const listed = registry.list(spelling).map(({ name }) => name);
      expect(listed).toEqual(expect.arrayContaining(namesIn(text)));
      expect(countTokens(text)).toBeLessThan(MOST_TOKENS);
    },
  );

  test('teach when to branch, fold, expand, load rules, recall and remember', () => {
    const registry = createRegistry(testConfig({ toolsets: [...DOORS] }));
    const text = instructionsFor(registry, spelling);
    const wanted = [
      'context_branch',
      'context_return',
      'context_expand',
      'memory.setup',
      'memory.discover',
      'memory.load',
      'memory.refer',
      'context',
      'remember',
      'search_records',
      'store_analysis_memory',
      'get_workflow_step',
      'pod_send',
    ].map((name) => registry.nameOf(name, spelling));
    expect(namesIn(text)).toEqual(expect.arrayContaining(wanted));
    for (const when of [/Before a subtask/, /when it is done/, /Before you work/, /When you begin/]) {
      expect(text).toMatch(when);
    }
  });
});
