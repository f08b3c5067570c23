import { z } from 'zod';
import {
  BRANCH_STATUSES,
  branchInput,
  branchOutput,
  branchStatusOutput,
  contextHealth,
  contextState,
  expandInput,
  expandOutput,
  listBranchesOutput,
  operationsInput,
  operationsOutput,
  projectInput,
  returnInput,
  returnOutput,
  rollbackInput,
  rollbackOutput,
} from '../fold.ts';
import { ROUTES } from '../routes.ts';
import { journalEntry } from './events.ts';
import { describeAction, next, pageFields, projectSpec } from './shape.ts';

const tokens = z.number().int();
const time = z.string();
const sessionName = z.string().min(1).max(128).describe('Our id or the host’s');

/** All of them have to be there, in any order. */
const words = z.string().max(1000);

/** A session as people see it. */
export const sessionView = z.object({
  id: z.string(),
  host_id: z.string().nullable(),
  project_id: z.string(),
  live: z.boolean(),
  started_at: time,
  last_at: time,
  ended_at: time.nullable(),
  context_state: contextState,
  context_health: contextHealth,
  folded_total: tokens,
  context_limit: z.number().int(),
  /** How many, by status. */
  branches: z.record(z.string(), z.number().int()),
});

/** A branch as people see it. */
export const branchView = z.object({
  id: z.string(),
  session_id: z.string(),
  project_id: z.string(),
  parent_branch_id: z.string().nullable(),
  depth: z.number().int(),
  description: z.string(),
  agent: z
    .string()
    .nullable()
    .describe('The host’s id of the subagent that works in it; null for the session’s own agent'),
  status: z.enum(BRANCH_STATUSES),
  tokens,
  operations: z.number().int(),
  secrets_scrubbed: z.number().int(),
  budget: z.number().int().nullable(),
  summary: z.string().nullable(),
  folded_by: z.string().nullable(),
  created_at: time,
  ended_at: time.nullable(),
});

/** Where a session has its state: the parts of its keys in the bucket of a cluster. */
const stateAddress = {
  owner: z.string().min(1).max(1024).describe('Organisation and name, as in `local:local`'),
  project: z.string().min(1).max(256).describe('Id of the project'),
  session: sessionName,
};
const stateValues = z.array(
  z.object({
    key: z.string().describe('`branches.…`, `events.…` or `meta.session_state`'),
    value: z.looseObject({ seq: z.number().int() }),
  }),
);

export const foldApi = {
  contextBranch: describeAction({
    name: 'context_branch',
    door: 'fold',
    summary: 'Branch off a subtask.',
    scope: 'write',
    input: branchInput,
    output: branchOutput,
  }),
  contextReturn: describeAction({
    name: 'context_return',
    door: 'fold',
    summary: 'Fold a branch and return to its parent with a summary.',
    scope: 'write',
    input: returnInput,
    output: returnOutput,
    route: ROUTES.contextReturn,
    served: returnInput.omit({ project_path: true }).required({ branch_id: true }),
  }),
  contextBranchStatus: describeAction({
    name: 'context_branch_status',
    door: 'fold',
    summary: 'Open branches, tokens, and how full the context is.',
    scope: 'read',
    input: projectInput,
    output: branchStatusOutput,
  }),
  contextListBranches: describeAction({
    name: 'context_list_branches',
    door: 'fold',
    summary: 'List the branches of the caller’s session.',
    scope: 'read',
    input: projectInput,
    output: listBranchesOutput,
  }),
  contextRollback: describeAction({
    name: 'context_rollback',
    door: 'fold',
    summary: 'Roll back to a branch; later branches are discarded, but stay readable.',
    scope: 'write',
    input: rollbackInput,
    output: rollbackOutput,
    route: ROUTES.contextRollback,
    served: rollbackInput.omit({ project_path: true }).extend({
      session_id: sessionName
        .optional()
        .describe('The session whose main thread is meant: our id or the host’s'),
    }),
  }),
  contextExpand: describeAction({
    name: 'context_expand',
    door: 'fold',
    summary: 'Read again what was folded or collapsed, in pages.',
    scope: 'read',
    input: expandInput,
    output: expandOutput,
    route: ROUTES.contextExpand,
  }),
  listSessions: describeAction({
    name: 'listSessions',
    door: 'fold',
    summary: 'The caller’s sessions, most recently used first.',
    scope: 'read',
    input: z.object({
      project: projectSpec,
      q: words.optional().describe('Words of the host’s id or ours'),
      ...pageFields({ usual: 50, most: 200 }),
    }),
    output: z.object({ sessions: z.array(sessionView), next }),
    route: ROUTES.listSessions,
  }),
  readSession: describeAction({
    name: 'readSession',
    door: 'fold',
    summary: 'One session of the caller’s.',
    scope: 'read',
    input: z.object({ id: sessionName }),
    output: sessionView,
    route: ROUTES.readSession,
  }),
  listSessionBranches: describeAction({
    name: 'listSessionBranches',
    door: 'fold',
    summary: 'The branches of a session, in order of creation.',
    scope: 'read',
    input: z.object({ id: sessionName }),
    output: z.object({ branches: z.array(branchView), next }),
    route: ROUTES.listSessionBranches,
  }),
  listSessionEntries: describeAction({
    name: 'listSessionEntries',
    door: 'fold',
    summary: 'The journal entries of a session in brief, oldest first.',
    scope: 'read',
    input: z.object({ id: sessionName, ...pageFields({ usual: 200, most: 1000 }) }),
    output: z.object({
      entries: z.array(journalEntry),
      next,
      head: z
        .number()
        .int()
        .describe('The journal’s position at that time. After the last page, follow events from here'),
    }),
    route: ROUTES.listSessionEntries,
  }),
  listState: describeAction({
    name: 'listState',
    door: 'fold',
    summary: 'The state of a live session: its branches, the log of its events, and which branch is active.',
    scope: 'read',
    input: z.object({ ...stateAddress, ...pageFields({ usual: 50, most: 200 }) }),
    output: z.object({ values: stateValues, next }),
    route: ROUTES.listState,
  }),
  readState: describeAction({
    name: 'readState',
    door: 'fold',
    summary: 'A value of a session’s state, or the values whose keys begin with this one.',
    scope: 'read',
    input: z.object({
      ...stateAddress,
      key: z
        .string()
        .min(1)
        .max(512)
        .describe('As in `branches/br_…`, `events/branch.folded`, `meta/session_state`; dots do as well'),
      ...pageFields({ usual: 50, most: 200 }),
    }),
    output: z.looseObject({
      seq: z.number().int().optional().describe('The journal’s position that the value says'),
      values: stateValues.optional().describe('For a key that others begin with'),
      next: next.optional(),
    }),
    route: ROUTES.readState,
  }),
  searchBranches: describeAction({
    name: 'searchBranches',
    door: 'fold',
    summary: 'Branches of the caller’s sessions by words of their descriptions, the newest first.',
    scope: 'read',
    input: z.object({
      q: words.optional().describe('Words of the description (default: any)'),
      limit: z.number().int().min(1).max(200).default(20).describe('How many (default 20, at most 200)'),
    }),
    output: z.object({ branches: z.array(branchView), next }),
    route: ROUTES.searchBranches,
  }),
  readBranch: describeAction({
    name: 'readBranch',
    door: 'fold',
    summary: 'A branch and its trajectory, page by page.',
    scope: 'read',
    input: z.object({ id: z.string().min(1).max(128), ...pageFields({ usual: 50, most: 200 }) }),
    output: branchView.extend({ items: z.array(z.unknown()), next }),
    route: ROUTES.readBranch,
  }),
  reportOperations: describeAction({
    name: 'reportOperations',
    door: 'fold',
    summary: 'Report calls of a host’s other tools; an unknown session is created.',
    scope: 'write',
    input: (limits) => operationsInput(limits).safeExtend({ id: sessionName, project: projectSpec }),
    output: operationsOutput,
    route: ROUTES.reportOperations,
  }),
};
