import { z } from 'zod';
import { HOST_SESSION_ID } from './ids.ts';
import type { Limits } from './limits.ts';
import { sources } from './sources.ts';

export const FILE_KINDS = ['rule', 'workflow', 'context'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

export const DRAFT_RESOURCES = ['context', 'rule', 'mpf'] as const;
export type DraftResource = (typeof DRAFT_RESOURCES)[number];

/** What can be done to a file. */
export const FILE_OPERATIONS = ['create', 'update', 'rename', 'delete'] as const;
export const DRAFT_OPERATIONS = [...FILE_OPERATIONS, 'discard', 'submit'] as const;
export type DraftOperation = (typeof DRAFT_OPERATIONS)[number];

export const DRAFT_STATUSES = [
  'draft',
  'in_review',
  'approved',
  'declined',
  'published',
  'discarded',
] as const;
export type DraftStatus = (typeof DRAFT_STATUSES)[number];

/** What a line of a diff is a line of. */
export const DIFF_SIDES = ['draft', 'published'] as const;
export type DiffSide = (typeof DIFF_SIDES)[number];

/** The reserved path, and id, of a workspace's meta prompt. */
export const META_PROMPT_PATH = 'META_PROMPT.md';

/** Error codes that only this door answers with. */
export const LIBRARY_ERROR_CODES = [
  'setup_required',
  'unknown_rule',
  'unknown_rule_or_workflow',
  'unknown_constraint',
  'invalid_target_kind',
  'unsafe_path',
  'file_not_found',
  'draft_exists',
  'path_taken',
  'draft_not_found',
  'draft_state',
  'several_drafts',
  'invalid_content',
] as const;

const id = z.string().min(1).max(600);
const hash = z.string().max(80);
const summary = z.string().max(2000).optional();

/** LIB-02: the host's own session id, unless the host or the connection already gave it. The error says what a valid id is. */
export const setupInput = z.object({
  session_id: z
    .string()
    .min(1, 'must not be empty')
    .regex(HOST_SESSION_ID, "may only contain letters, numbers, '-' and '_' and must be at most 128 bytes")
    .optional()
    .describe('Exact id of your host session or thread, where known; never invent one'),
  knownHash: hash.optional().describe('mpf.hash you already hold'),
  drafts: z.boolean().optional().describe('Also see drafts of your other sessions'),
  model: z.string().min(1).max(256).optional().describe('Your model, where known'),
});

/** The outcome of a draft's review, or comments on it. An addition to the answers of setup and discover. */
export const reviewNews = z.object({
  draft_path: z.string(),
  op: z.enum(FILE_OPERATIONS),
  status: z.enum(DRAFT_STATUSES),
  by: z.string().optional(),
  note: z.string().optional(),
  comments: z.array(z.object({ by: z.string(), text: z.string() })).optional(),
});
export type ReviewNews = z.infer<typeof reviewNews>;
const reviews = z.array(reviewNews).optional();

const draftMarks = { hasDraft: z.literal(true).optional(), draftBaseHash: z.string().optional() };

export const setupOutput = z.object({
  workspaceId: z.string(),
  sessionId: z.string(),
  mpf: z
    .object({
      hash: z.string(),
      content: z.string().optional(),
      changed: z.literal(false).optional(),
      ...draftMarks,
    })
    .nullable(),
  reviews,
});

export const discoverInput = z.object({
  kind: z.enum(FILE_KINDS).optional(),
  group: z.string().min(1).max(256).optional().describe('First path segment or logical group'),
  query: z.string().max(1000).optional().describe('Any words of path, name, description, headings'),
  paths: z.array(z.string().min(1).max(1024)).max(50).optional().describe('Files you work on'),
});

/** Marks of an item that is meant for some work alone, no longer holds, or is not the project's own. */
const traitMarks = {
  deprecated: z.literal(true).optional(),
  /** The path of what took its place. */
  successor: z.string().optional(),
  /** The revision of the organisation's library that it was selected from. */
  organisation: z.number().int().optional(),
};

export const discoverItem = z.object({
  id: z.string(),
  kind: z.enum(FILE_KINDS),
  path: z.string(),
  name: z.string(),
  group: z.string().optional(),
  hash: z.string(),
  description: z.string().optional(),
  hasDraft: draftMarks.hasDraft,
  /** It applies to one of the paths that were asked about. */
  applies: z.literal(true).optional(),
  ...traitMarks,
  /** The share of the query's words that the item contains, from 0 to 1, and the words. */
  match: z.number().optional(),
  matched: z.array(z.string()).optional(),
});
export type DiscoverItem = z.infer<typeof discoverItem>;

export const discoverOutput = z.object({ items: z.array(discoverItem), reviews });

/** LIB-04: the tool checks that the map has every id, so that its error can name the missing ones. */
export function loadInput({ loadItems }: Limits) {
  return z.object({
    ids: z.array(id).min(1).max(loadItems),
    knownHashes: z.record(z.string(), hash).describe('{id: hash} for every id; "" when unknown'),
  });
}

export const constraint = z.object({
  id: z.string(),
  name: z.string(),
  text: z.string(),
  textHash: z.string(),
});
export type Constraint = z.infer<typeof constraint>;

export const loadedItem = z.object({
  id: z.string(),
  kind: z.enum(FILE_KINDS),
  path: z.string(),
  changed: z.boolean(),
  hash: z.string(),
  hasDraft: z.boolean(),
  draftBaseHash: z.string().optional(),
  ...traitMarks,
  content: z.string().nullable(),
  constraints: z.array(constraint),
});
export type LoadedItem = z.infer<typeof loadedItem>;

export const loadOutput = z.object({ workspaceId: z.string(), items: z.array(loadedItem) });

export const ruleReference = z.object({
  ruleId: id,
  constraintId: z.string().min(1).max(2000).describe('Exact constraints[].id from memory.load'),
  ruleHash: hash.optional(),
  reason: z.string().max(2000).optional(),
});
export type RuleReference = z.infer<typeof ruleReference>;

export function referInput({ referItems }: Limits) {
  return z.object({
    refs: z.array(ruleReference).min(1).max(referItems),
  });
}
export const referOutput = z.object({ ok: z.literal(true), count: z.number().int() });

const isNotBlank = (text: string) => text.trim() !== '';

export const submitInput = z.object({
  summary: z.string().max(20_000).refine(isNotBlank, 'must not be empty').describe('What was done, in short'),
});
export const rejectInput = z.object({ reason: z.string().max(20_000).optional() });
export const okOutput = z.object({ ok: z.literal(true) });

const path = z.string().min(1);
const body = z.string().min(1);

/** One key names the operation. Optional keys instead of a union: models read them better, and the schema is shorter. */
export const draftOp = z
  .strictObject({
    create: z.object({ path, body, description: summary }).optional(),
    update: z.object({ id, body, description: summary }).optional(),
    rename: z.object({ id, new_path: path, description: summary }).optional(),
    delete: z.object({ id, description: summary }).optional(),
    discard: z.object({ id }).optional(),
    submit: z.object({ id }).optional(),
  })
  .refine((op) => Object.values(op).filter((one) => one !== undefined).length === 1, {
    error: `must contain exactly one of ${DRAFT_OPERATIONS.join(', ')}`,
  })
  .meta({ minProperties: 1, maxProperties: 1 })
  .describe('Exactly one operation');
export type DraftOp = z.infer<typeof draftOp>;

export const draftInput = z.object({
  resource: z.enum(DRAFT_RESOURCES).describe('Workflows are "rule"; mpf has the id META_PROMPT.md'),
  op: draftOp,
  sources,
});
export const draftOutput = z.object({
  ok: z.literal(true),
  draft_path: z.string(),
  status: z.enum(DRAFT_STATUSES).optional(),
});
