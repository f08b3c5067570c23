import type { DoorName, Spelling } from '../../kernel/config.ts';

type Teach = (name: (tool: string) => string, open: ReadonlySet<string>) => string;

/**
 * When to use a door, in the words of a task. Hosts that hide tools behind a search show their model this and little
 * else; every session of every host pays for it.
 */
const DOORS: Record<DoorName, Teach> = {
  fold: () =>
    'Before a subtask that reads or tries a lot (search, debugging, long output) call context_branch; when it is done, ' +
    'context_return with what matters: result, paths, names, open tasks. Only that summary stays. context_expand brings ' +
    'originals back; context_branch_status shows how full the window is.',
  library: (name) =>
    `Before you work, load the rules for it: ${name('memory.setup')} once, ${name('memory.discover')} with the task's ` +
    `words, ${name('memory.load')} what fits. Follow them; at the end ${name('memory.refer')} what you applied, then ` +
    `${name('memory.submit')}. Propose changes with draft.`,
  memory: () =>
    'When you begin, call context with your goal: it returns decisions, plans and pitfalls of earlier sessions. When you ' +
    'learn what others should not have to relearn (a decision, a fix, a wish), call remember.',
  transient: (_name, open) =>
    'To go through records, page with search_records and keep what you find with store_analysis_memory (sources: the ' +
    `handles); used pages then collapse${open.has('fold') ? ', context_expand shows them again' : ''}. Where a workflow ` +
    'fits (suggest_workflow), follow get_workflow_step to its end.',
  gateway: () => 'pod_send and pod_read talk with other agents and people.',
};

/** What the tools says of its open tools. */
interface OpenTools {
  doors(): readonly { name: string }[];
  nameOf(tool: string, spelling: Spelling): string;
  find(tool: string): unknown;
}

/** What a client is told when it connects: only of the tools that it is listed, as it is listed them. */
export function instructionsFor(tools: OpenTools, spelling: Spelling): string {
  const doors = tools.doors().map(({ name }) => name);
  const open = new Set(doors);
  const name = (tool: string) => tools.nameOf(tool, spelling);
  return [
    'Infold keeps your context small, your rules at hand and your work on record.',
    ...doors.map((door) => DOORS[door as DoorName](name, open)),
    ...(tools.find('infold_status') ? ['infold_status shows the project, session and limits.'] : []),
  ].join('\n');
}
