import type { ToolDefinition } from '../call/tool.ts';
import { reject, submit } from './actions/close-turn.ts';
import { discover } from './actions/discover.ts';
import { draft } from './actions/draft.ts';
import { load } from './actions/load.ts';
import { refer } from './actions/refer.ts';
import { setUp } from './actions/set-up.ts';

const recorded = { readOnlyHint: false, destructiveHint: false };

/** Every tool of this door records what the agent did, so every one of them writes (LIB-13). */
export const libraryTools: readonly ToolDefinition[] = [
  {
    action: setUp,
    title: 'Begin with the library',
    description:
      'Call first, before rules or workflows. Binds your host session; returns the workspace and its meta prompt.',
    searchHint: 'team rules, guidelines, conventions, project instructions, begin a session',
    annotations: { ...recorded, idempotentHint: true },
  },
  {
    action: discover,
    title: 'Find rules, workflows and context',
    description:
      'Find rules (standards, conventions, policies), workflows and context for a task, best match first. No content.',
    searchHint: 'which coding guidelines, style guide, best practices, playbook, documentation apply',
    annotations: { ...recorded, idempotentHint: true },
  },
  {
    action: load,
    title: 'Load content',
    description:
      'Load content and referable constraints of rules, workflows and context. Content is null where your hash is current.',
    searchHint: 'read a rule, guideline, style guide, standard or playbook',
    annotations: { ...recorded, idempotentHint: true },
  },
  {
    action: refer,
    title: 'Declare applied constraints',
    description: 'Declare which loaded constraints shaped your work. All refs are recorded, or none.',
    searchHint: 'cite rules that were followed, compliance, attestation, evidence',
    annotations: { ...recorded, idempotentHint: false },
  },
  {
    action: submit,
    title: 'Close a turn',
    description: 'Close a successful turn: report what was done.',
    searchHint: 'finish, report the work, done, summary of a turn',
    annotations: { ...recorded, idempotentHint: false },
  },
  {
    action: reject,
    title: 'Close a turn as unsatisfactory',
    description: 'Close a turn whose output did not follow the loaded constraints.',
    searchHint: 'rule was broken, could not comply, unsatisfactory result',
    annotations: { ...recorded, idempotentHint: false },
  },
  {
    action: draft,
    title: 'Propose a change',
    description:
      'Stage a change to a rule, workflow, context file or the meta prompt. Nothing is published before review. ' +
      'id: resource id, draft path or temporary id. submit hands your draft in for review; discard drops it; delete ' +
      'proposes deletion.',
    searchHint: 'propose, write, edit or delete a guideline, convention or playbook',
    annotations: { ...recorded, idempotentHint: false },
  },
];
