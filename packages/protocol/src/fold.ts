import { z } from 'zod';
import type { Limits } from './limits.ts';
import { sources } from './sources.ts';

export const BRANCH_STATUSES = ['active', 'folded', 'discarded', 'expired'] as const;
export type BranchStatus = (typeof BRANCH_STATUSES)[number];

const projectPath = z.string().min(1).describe('Absolute path to project directory');
const branchId = z.string().min(1).max(128);
const tokens = z.number().int();
const time = z.string();

export const contextState = z.object({
  active_branch_id: z.string().nullable(),
  branch_depth: z.number().int(),
  total_tokens: tokens,
  main_thread_tokens: tokens,
  current_branch_tokens: tokens,
  /** Tokens that collapsing all consumed results would save. */
  collapsible: tokens,
});
export type ContextState = z.infer<typeof contextState>;

export const contextHealth = z.object({
  warning: z.enum(['none', 'medium', 'high']),
  main_thread_usage: z.number(),
});
export type ContextHealth = z.infer<typeof contextHealth>;

export function branchInput({ descriptionCharacters: most }: Limits) {
  return z.object({
    description: z
      .string()
      .refine((text) => [...text].length <= most, { error: `is longer than ${most} characters` })
      .describe(`Brief summary of subtask (max ${most} chars)`),
    prompt: z.string().describe('Detailed instruction for branch execution'),
    project_path: projectPath,
    budget: z.number().int().positive().optional().describe('Tokens the branch may use; a notice at 80%'),
  });
}

export const branchOutput = z.object({
  branch_id: z.string(),
  session_id: z.string(),
  parent_branch_id: z.string().nullable(),
  created_at: time,
  branch_depth: z.number().int(),
  context_state: contextState,
});

export const returnInput = z.object({
  message: z.string().describe('Summary of branch outcome'),
  project_path: projectPath,
  branch_id: branchId.optional().describe('Branch to fold (defaults to current active branch)'),
  sources,
});

export const droppedItem = z.object({
  kind: z.enum(['path', 'url', 'identifier', 'task']),
  text: z.string(),
});
export type DroppedItem = z.infer<typeof droppedItem>;

export const returnOutput = z.object({
  folded_at: time,
  branch_id: z.string(),
  parent_branch_id: z.string().nullable(),
  summary: z.object({
    tokens_folded: tokens,
    tokens_saved: tokens,
    operations_count: z.number().int(),
    secrets_scrubbed: z.number().int(),
    summary_redacted: z.boolean(),
  }),
  context_state: contextState,
  context_health: contextHealth,
  dropped: z.array(droppedItem),
});

export const projectInput = z.object({ project_path: projectPath });

export const branchStatusOutput = z.object({
  session_id: z.string().nullable(),
  active_branch_id: z.string().nullable(),
  branch_depth: z.number().int(),
  branch_path: z.array(z.string()),
  token_breakdown: z.record(z.string(), tokens),
  context_limit: z.number().int(),
  usage_percent: z.number().int(),
  collapsible: tokens,
  /** What the provider counted, where the host's requests pass through the window door. */
  provider: z
    .object({
      conversation: z.string(),
      turns: z.number().int(),
      prompt_tokens: tokens,
      cached_tokens: tokens,
      output_tokens: tokens,
      estimated_untouched_tokens: tokens,
    })
    .optional(),
});

export const listBranchesOutput = z.object({
  branches: z.array(
    z.object({
      id: z.string(),
      description: z.string(),
      status: z.enum(BRANCH_STATUSES),
      tokens,
      created_at: time,
      folded_at: time.optional(),
    }),
  ),
  total_branches: z.number().int(),
  active_branches: z.number().int(),
  folded_branches: z.number().int(),
  discarded_branches: z.number().int(),
  expired_branches: z.number().int(),
});

export const rollbackInput = z.object({
  project_path: projectPath,
  branch_id: branchId.describe('Branch to return to, or "main"'),
  restore_state: z
    .boolean()
    .optional()
    .describe('Also discard what the branch itself did since (default false)'),
  abandon: z
    .boolean()
    .optional()
    .describe('Instead discard this open branch and its children alone, without a summary (default false)'),
});

export const rollbackOutput = z.object({
  rolled_back_to: z.string(),
  branches_discarded: z.array(z.string()),
  tokens_recovered: tokens,
  context_state: contextState.pick({
    active_branch_id: true,
    branch_depth: true,
    total_tokens: true,
    collapsible: true,
  }),
});

export const expandInput = z.object({
  handle: z
    .string()
    .min(1)
    .max(128)
    .describe('Branch id, id of a memory item, or handle of an operation or a collapsed result'),
  page: z.number().int().optional().describe('From 1'),
  per_page: z.number().int().optional().describe('Items per page (default 20, at most 100)'),
});

export const expandOutput = z.object({
  handle: z.string(),
  kind: z.string(),
  page: z.number().int(),
  total_pages: z.number().int(),
  items: z.array(z.unknown()),
});

const callId = z.string().min(1).max(256);
const reportedTokens = z.number().int().nonnegative().max(1_000_000_000);

/** `POST /api/sessions/:id/operations` */
export const operationReport = z.strictObject({
  call_id: callId.optional(),
  tool: z.string().min(1).max(256),
  branch_id: branchId.optional(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  tokens: reportedTokens.optional(),
  at: z.union([z.iso.datetime({ offset: true }), z.number().int().nonnegative()]).optional(),
});
export type OperationReport = z.infer<typeof operationReport>;

/** A result that is shown as its summary from now on. Results of this server have a handle, others a call id. */
export const collapseReport = z
  .strictObject({
    call_id: callId.optional(),
    handle: z.string().min(1).max(128).optional(),
    /** Of the result alone, where the operation was reported with a total. */
    tokens: reportedTokens.optional(),
    /** What is shown instead. */
    summary: z.string().max(16_384).optional(),
    summary_tokens: reportedTokens.optional(),
  })
  .refine(({ call_id, handle }) => call_id !== undefined || handle !== undefined, {
    error: 'needs a call_id or a handle',
  })
  .refine(({ summary, summary_tokens }) => summary !== undefined || summary_tokens !== undefined, {
    error: 'needs a summary or summary_tokens',
  });
export type CollapseReport = z.infer<typeof collapseReport>;

export function operationsInput({ operationsPerReport: most }: Limits) {
  return z
    .object({
      operations: z.array(operationReport).max(most).default([]),
      collapsed: z.array(collapseReport).max(most).default([]),
    })
    .refine(({ operations, collapsed }) => operations.length + collapsed.length > 0, {
      error: 'must hold at least one operation or one collapsed result',
      path: ['operations'],
    });
}

export const operationsOutput = z.object({
  accepted: z.number().int(),
  duplicates: z.number().int(),
  /** Present when collapsed results were reported. Unknown results, and those already gone from the window, are ignored. */
  collapsed: z
    .object({ accepted: z.number().int(), duplicates: z.number().int(), ignored: z.number().int() })
    .optional(),
  context_state: contextState,
});
