import type { ToolDefinition } from '../call/tool.ts';
import { branch } from './actions/branch.ts';
import { expand } from './actions/expand.ts';
import { listBranches } from './actions/list-branches.ts';
import { foldBack } from './actions/return.ts';
import { rollBack } from './actions/roll-back.ts';
import { status } from './actions/status.ts';

const writes = { readOnlyHint: false, destructiveHint: false, idempotentHint: false };
const reads = { readOnlyHint: true, idempotentHint: true };

export const foldTools: readonly ToolDefinition[] = [
  {
    action: branch,
    title: 'Branch off a subtask',
    description:
      'Create sub-trajectory for focused subtask (search, debug, explore, research), so that it does not fill the window. Fold it with context_return when done.',
    alwaysLoad: true,
    annotations: writes,
  },
  {
    action: foldBack,
    title: 'Fold a branch',
    description:
      'Fold branch and return to parent with summary: the subtask is finished. "dropped" lists what the branch held and the summary does not say.',
    alwaysLoad: true,
    annotations: writes,
  },
  {
    action: status,
    title: 'Where the context stands',
    description: 'Get current branch state: path, tokens per open branch, how full the context window is.',
    searchHint: 'token usage, context size left, budget, current subtask',
    annotations: reads,
  },
  {
    action: listBranches,
    title: 'List branches',
    description: 'List all branches (subtasks) for session with status, tokens and times.',
    searchHint: 'history of subtasks, what was folded, open branches',
    annotations: reads,
  },
  {
    action: rollBack,
    title: 'Roll back to a branch',
    description:
      'Rollback to specific branch point, to undo a wrong turn: later branches are discarded (kept in the archive). With abandon: give up one open branch alone.',
    searchHint: 'undo, go back, abandon a failed approach, revert to an earlier point',
    // Everything stays in the archive: nothing is destroyed.
    annotations: { ...writes, idempotentHint: true },
  },
  {
    action: expand,
    title: 'Get an original back',
    description:
      'Read what was folded or collapsed again: the original of a branch or a result, by its handle, in pages.',
    alwaysLoad: true,
    annotations: reads,
  },
];
