import { z } from 'zod';
import type { Limits } from './limits.ts';
import { sources } from './sources.ts';

/** Input schemas are kept short: they take up space in every agent's window. */
const whole = z
  .number()
  .refine(Number.isInteger, { error: 'must be a whole number' })
  .meta({ type: 'integer' });
/** Passed on unchanged: zod's objects skip a field named `__proto__`, which would silently drop a filter. */
const anyObject = z
  .unknown()
  .refine((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'must be an object',
  })
  .meta({ type: 'object' }) as unknown as z.ZodType<Record<string, unknown>, Record<string, unknown>>;
const time = z.string();
/** The result's prose again, for hosts that show their model only the data. */
const prose = z.string();

export const FILTER_OPERATORS = [
  'eq',
  'ne',
  'lt',
  'lte',
  'gt',
  'gte',
  'in',
  'contains',
  'between',
  'is_null',
] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

export const SOURCE_TYPES = ['jsonl', 'csv', 'json', 'sqlite', 'postgres'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

const filters = anyObject.optional();
const fields = z.array(z.string()).optional();
const page = whole.optional();

export function searchInput({ recordsPerPage }: Limits) {
  return z.object({
    model: z.string().optional().describe('Model or scratch_ref; omit to list models and columns'),
    filters: filters.describe(`{column: value | {op: value}}; op: ${FILTER_OPERATORS.join(' ')}`),
    page: page.describe('From 1'),
    per_page: whole.optional().describe(`Default 50, max ${recordsPerPage}`),
    fields: fields.describe('Columns to return'),
    sort: z.string().optional().describe('column, or -column for descending'),
    lean: z.boolean().optional().describe('Keep the rows on the server: returns a summary and scratch_ref'),
  });
}

export const findInput = z.object({
  model: z.string(),
  record_id: z.union([z.string(), z.number()]).optional(),
  filters,
  page,
  per_page: whole.optional().describe('Default 20'),
  fields,
  sort: z.string().optional(),
  lean: z.boolean().optional(),
});

export const scratchReadInput = z.object({
  ref: z.string(),
  page,
  per_page: page,
  fields,
  filters,
});

export const columnInfo = z.object({ name: z.string(), type: z.string() });

const pagination = z.object({
  page: z.number().int(),
  per_page: z.number().int(),
  /** Absent where counting was skipped or took too long. */
  total: z.number().int().optional(),
  total_pages: z.number().int().optional(),
  has_more: z.boolean().optional(),
});
export type Pagination = z.infer<typeof pagination>;

const recordsShape = {
  schema: z.object({ model: z.string(), columns: z.array(z.string()) }),
  records: z.array(z.record(z.string(), z.unknown())),
  pagination,
  /** Of a transient result: for a consumer's `sources`, and for `context_expand`. */
  handle: z.string().optional(),
};
export const recordsOutput = z.object(recordsShape);
export type RecordsPage = z.infer<typeof recordsOutput>;

export const modelInfo = z.object({
  model: z.string(),
  type: z.string(),
  id: z.string().nullable(),
  columns: z.array(columnInfo),
  records: z.number().int().nullable(),
  state: z.string(),
});
export type ModelInfo = z.infer<typeof modelInfo>;

/** One of three: a page of records, a lean fetch, or the list of models. */
export const searchOutput = z
  .object({
    ...z.object(recordsShape).partial().shape,
    models: z.array(modelInfo).optional(),
    summary: z.string().optional(),
    scratch_ref: z.string().optional(),
    expires_at: time.optional(),
    count: z.number().int().optional(),
    total: z.number().int().optional(),
  })
  .meta({ anyOf: [{ required: ['records'] }, { required: ['models'] }, { required: ['scratch_ref'] }] });

const analysisId = z.string().min(1).max(200);
const category = z.string().min(1).max(100);

export function storeFindingsInput({ findingsPerCall }: Limits) {
  return z.object({
    analysis_id: z.string().max(200),
    findings: z
      .array(
        z.object({
          finding: z.string(),
          category: z.string().max(100).optional(),
          metadata: anyObject.optional(),
        }),
      )
      .min(1)
      .max(findingsPerCall),
    persistent: z
      .boolean()
      .optional()
      .describe('Keep for good (default: until expires_at, and as long as the session lives)'),
    sources,
    scratch_ref: z.string().optional(),
    idempotency_key: z.string().max(200).optional(),
    project: z.string().optional(),
  });
}

export const storeFindingsOutput = z.object({
  analysis_id: analysisId,
  stored: z.number().int(),
  ids: z.array(z.string()),
  categories: z.array(category),
  persistent: z.boolean(),
  expires_at: time.nullable(),
  text: prose,
});

export const recallFindingsInput = z.object({
  analysis_id: z.string().optional(),
  query: z.string().max(2000).optional(),
  category: z.string().optional(),
  limit: whole.optional().describe('Default 50'),
  offset: whole.optional().describe('next of the last answer, to continue'),
  project: z.string().optional(),
});

export const recalledFinding = z.object({
  id: z.string(),
  analysis_id: z.string(),
  finding: z.string(),
  category: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  persistent: z.boolean(),
  created_at: time,
  expires_at: time.nullable(),
  /** The share of the query that it answers, from 0 to 1. */
  match: z.number().optional(),
});
export type RecalledFinding = z.infer<typeof recalledFinding>;

export const recallFindingsOutput = z.object({
  findings: z.array(recalledFinding),
  total: z.number().int(),
  /** The offset of the next page; null after the last one. */
  next: z.number().int().nullable(),
});

export const clearFindingsInput = z.object({
  analysis_id: z.string().max(200),
  project: z.string().optional(),
});
export const clearFindingsOutput = z.object({
  analysis_id: z.string(),
  cleared: z.number().int(),
  text: prose,
});

export const contextHint = z.object({
  step: z.number().int(),
  tool: z.string(),
  lifecycle: z.literal('transient'),
  consumedBy: z.string(),
});
export type ContextHint = z.infer<typeof contextHint>;

export const workflowStep = z.strictObject({
  order: z.number().int().positive(),
  title: z.string().min(1),
  description: z.string().min(1),
  tool: z.string().min(1).optional(),
  toolArgs: z.record(z.string(), z.unknown()).optional(),
  decision: z
    .strictObject({
      question: z.string().min(1),
      options: z
        .array(
          z.strictObject({
            label: z.string().min(1),
            description: z.string().optional(),
            nextStep: z.number().int().positive().optional(),
          }),
        )
        .min(1),
    })
    .optional(),
  tips: z.array(z.string().min(1)).optional(),
  loopGroup: z.string().min(1).optional(),
  parallelGroup: z.string().min(1).optional(),
  dependsOn: z.array(z.number().int().positive()).optional(),
  optional: z.boolean().optional(),
  fallbackDescription: z.string().min(1).optional(),
  exhaustive: z.boolean().optional(),
  contextHint: z
    .strictObject({ lifecycle: z.literal('transient').optional(), consumedBy: z.string().min(1) })
    .optional(),
});
export type WorkflowStep = z.infer<typeof workflowStep>;

export const workflowStepInput = z.object({
  workflow: z.string(),
  step: whole,
  project: z.string().optional(),
});

const workflowName = z.object({ name: z.string(), title: z.string(), path: z.string() });
export const stepGroup = z.object({
  kind: z.enum(['loop', 'parallel']),
  name: z.string(),
  steps: z.array(z.number().int()),
});
const shownSteps = z.object({
  workflow: workflowName,
  steps: z.array(workflowStep),
  group: stepGroup.nullable(),
  next_step: z.number().int().nullable(),
  total_steps: z.number().int(),
});
export type ShownSteps = z.infer<typeof shownSteps>;
export const workflowStepOutput = shownSteps.extend({ text: prose });

export const suggestWorkflowInput = z.object({
  goal: z.string().max(2000).optional(),
  tag: z.string().optional(),
  project: z.string().optional(),
});

export const workflowInfo = workflowName.extend({
  description: z.string(),
  tags: z.array(z.string()),
  models: z.array(z.string()),
  total_steps: z.number().int(),
});

export const suggestWorkflowOutput = z.object({
  workflows: z.array(workflowInfo),
  /** The workflow in the text, where one was the clear choice. */
  picked: shownSteps.nullable(),
  text: prose,
});

/** `_meta.context` of a result that the client may collapse once it is used. */
export interface TransientMark {
  lifecycle: 'transient';
  summary: string;
}
