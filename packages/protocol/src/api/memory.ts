import { z } from 'zod';
import {
  agentId,
  contextInput,
  contextOutput,
  contextPassage,
  contextRelatedItem,
  domainName,
  MEMORY_SCOPES,
  memoryId,
  moment,
  nonBlank,
  otherValue,
  relation,
  rememberInput,
  rememberOutput,
  repetition,
  synthesisInput,
  synthesisOutput,
} from '../memory.ts';
import { ROUTES } from '../routes.ts';
import { describeAction, next, pageFields, projectSpec } from './shape.ts';

/** Whose items are read. */
const readerFields = {
  project: projectSpec,
  agent_id: agentId.optional().describe('Also read this agent’s diary'),
};
/** Fields that narrow or widen what is searched. */
const searchFields = {
  ...readerFields,
  project: projectSpec.describe(
    'Id, name or absolute path (default: that of the connection, if it has one); "*" for all projects',
  ),
};
const count = z.number().int();
const time = z.string();
const notices = z.array(z.string()).optional().describe('What else is known where little was found');

/** A complete item. */
export const memoryItem = z.object({
  id: z.string(),
  kind: z.string(),
  title: z.string().nullable(),
  /** The title, or the beginning of the content. */
  name: z.string(),
  content: z.string(),
  source: z.string().nullable(),
  url: z.string().nullable(),
  origin: z.string(),
  project_id: z.string().nullable(),
  scope: z.enum(MEMORY_SCOPES),
  domain: z.string().optional(),
  tags: z.array(z.string()).optional(),
  author: z.string().optional(),
  role: z.string().optional(),
  thread: z.string().optional(),
  ordinal: z.number().optional(),
  at: time.optional(),
  agent_id: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()),
  valid_at: time.nullable(),
  created_at: time,
  updated_at: time,
  superseded_by: z.string().nullable(),
});

const projectName = z.string().nullable().describe('Name of the project');

/** An item in a list. */
export const memoryBrief = z.object({
  id: z.string(),
  kind: z.string(),
  title: z.string().nullable(),
  /** The title, or the beginning of the content. */
  name: z.string(),
  /** The beginning of the content. */
  excerpt: z.string(),
  /** Characters of all of it. */
  length: count,
  author: z.string().nullable(),
  scope: z.enum(MEMORY_SCOPES),
  /** Whose diary it is in, where it is in one. */
  agent_id: z.string().optional(),
  project_id: z.string().nullable(),
  project: projectName,
  origin: z.string(),
  source: z.string().nullable(),
  /** When it was said, where that is known. */
  at: time.nullable(),
  valid_at: time.nullable(),
  /** When it was stored. */
  created_at: time,
  superseded_by: z.string().nullable(),
});
export type MemoryBrief = z.infer<typeof memoryBrief>;

/** What an audit looks for. */
export const AUDIT_CRITERIA = [
  'contradiction',
  'same_name',
  'exact_double',
  'same_words',
  'replaced_basis',
  'past_validity',
  'idle_task',
  'never_used',
] as const;
export type AuditCriterion = (typeof AUDIT_CRITERIA)[number];
export const AUDIT_KINDS = ['contradicted', 'doubled', 'stale'] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

export const auditFinding = z.object({
  kind: z.enum(AUDIT_KINDS),
  criterion: z.enum(AUDIT_CRITERIA),
  /** In a sentence. */
  why: z.string(),
  /** The one to keep comes first, where one is better than the others. */
  items: z.array(memoryBrief),
});
export type AuditFinding = z.infer<typeof auditFinding>;

const foundItem = memoryItem.extend({ project: projectName, score: z.number(), reason: z.string() });

/** What was written, in its own words, and where it stands. */
const foundPassage = contextPassage.extend({
  /** Of the item. */
  id: z.string(),
  kind: z.string(),
  title: z.string().nullable(),
  /** Characters of the whole item. */
  length: count,
  author: z.string().nullable(),
  /** When it was said; else when it was stored. */
  at: time,
  project_id: z.string().nullable(),
  project: projectName,
  source: z.string().nullable(),
  url: z.string().nullable(),
  contradicted_by: z.array(z.string()),
  also: z.array(repetition).optional().describe('What says nearly the same, newest first'),
  other_values: z.array(otherValue).optional().describe('What says otherwise, newest first'),
  score: z.number(),
  reason: z.string(),
});

export type FoundPassage = z.infer<typeof foundPassage>;

export const importOutput = z.object({
  read: count,
  imported: count,
  /** Already stored, by id or by content. */
  skipped: count,
  bad: z.array(z.object({ line: count, problem: z.string() })),
  /** Secrets that were replaced. */
  secrets: count,
});

export const memoryApi = {
  context: describeAction({
    name: 'context',
    door: 'memory',
    summary: 'Compile a context pack for a goal.',
    scope: 'read',
    input: contextInput,
    output: contextOutput,
    route: ROUTES.context,
  }),
  remember: describeAction({
    name: 'remember',
    door: 'memory',
    summary: 'Store an item; later packs return it.',
    scope: 'write',
    input: rememberInput,
    output: rememberOutput,
    route: ROUTES.remember,
  }),
  synthesisPlan: describeAction({
    name: 'synthesis_plan',
    door: 'memory',
    summary: 'Plan a document whose sections name the items they are based on.',
    scope: 'read',
    input: synthesisInput,
    output: synthesisOutput,
    route: ROUTES.synthesisPlan,
  }),
  searchMemory: describeAction({
    name: 'searchMemory',
    door: 'memory',
    summary: 'Search items, ranked as in packs.',
    scope: 'read',
    input: ({ goalCharacters }) =>
      z.object({
        q: nonBlank(goalCharacters, 'must not be empty').describe('What to search for'),
        ...searchFields,
        domain: domainName.optional(),
        limit: z.number().int().min(1).max(200).default(24).describe('How many (default 24, at most 200)'),
      }),
    output: z.object({ items: z.array(foundItem), next, notices }),
    route: ROUTES.searchMemory,
  }),
  askMemory: describeAction({
    name: 'askMemory',
    door: 'memory',
    summary: 'The passages that speak of a question, with their sources, ranked as in packs.',
    scope: 'read',
    input: ({ goalCharacters }) =>
      z.object({
        q: nonBlank(goalCharacters, 'must not be empty').describe('What to know'),
        ...searchFields,
        domain: domainName.optional(),
        complete: z
          .boolean()
          .default(false)
          .describe('The last word may be the beginning of one: for who searches while typing'),
        limit: z.number().int().min(1).max(50).default(5).describe('How many (default 5, at most 50)'),
      }),
    output: z.object({ passages: z.array(foundPassage), next, notices }),
    route: ROUTES.askMemory,
  }),
  readMemoryItem: describeAction({
    name: 'readMemoryItem',
    door: 'memory',
    summary: 'A complete item, superseded ones included.',
    scope: 'read',
    input: z.object({ id: memoryId, ...readerFields }),
    output: memoryItem.extend({
      contradicted_by: z.array(z.string()),
      related: z.array(contextRelatedItem),
      /** The parts that are searched by themselves, with the headings that they stand under. */
      passages: z.array(z.object({ begin: count, end: count, heading: z.string() })),
    }),
    route: ROUTES.readMemoryItem,
  }),
  listMemoryItems: describeAction({
    name: 'listMemoryItems',
    door: 'memory',
    summary: 'What was remembered, the newest first.',
    scope: 'read',
    input: z.object({
      ...readerFields,
      kind: z.string().min(1).max(40).optional().describe('Only of this kind'),
      scope: z.enum(MEMORY_SCOPES).optional().describe('Only what these can read; "diary" needs agent_id'),
      author: z.string().min(1).max(200).optional().describe('Only by this author'),
      until: moment.optional().describe('Only what was stored before this moment'),
      superseded: z.boolean().default(true).describe('Also what was superseded since (default true)'),
      ...pageFields({ usual: 50, most: 200 }),
    }),
    output: z.object({ items: z.array(memoryBrief), next }),
    route: ROUTES.listMemoryItems,
  }),
  listDiaries: describeAction({
    name: 'listDiaries',
    door: 'memory',
    summary: 'Agents that keep a diary for the caller, the one that was written in last first.',
    scope: 'read',
    input: z.object({ project: projectSpec }),
    output: z.object({
      diaries: z.array(z.object({ agent_id: z.string(), items: count, last_at: time })),
    }),
    route: ROUTES.listDiaries,
  }),
  readItemHistory: describeAction({
    name: 'readItemHistory',
    door: 'memory',
    summary: 'The versions of an item: what it superseded and what superseded it, the newest first.',
    scope: 'read',
    input: z.object({ id: memoryId, ...readerFields }),
    output: z.object({
      versions: z.array(memoryBrief.extend({ supersedes: z.array(z.string()) })),
    }),
    route: ROUTES.readItemHistory,
  }),
  forgetItem: describeAction({
    name: 'forgetItem',
    door: 'memory',
    summary: 'Erase an item for good, wherever it was written or shown.',
    scope: 'admin',
    input: z.object({ id: memoryId, ...readerFields }),
    output: z.object({ id: z.string(), entries: count.describe('Entries of the journal that spoke of it') }),
    route: ROUTES.forgetItem,
  }),
  auditMemory: describeAction({
    name: 'auditMemory',
    door: 'memory',
    summary: 'What is contradicted, doubled or stale, and by which criterion.',
    scope: 'read',
    input: z.object({
      ...readerFields,
      kind: z.enum(AUDIT_KINDS).optional().describe('Only findings of this kind'),
      days: z
        .number()
        .int()
        .min(1)
        .max(3650)
        .default(60)
        .describe('After how many days something counts as old (default 60)'),
      limit: z
        .number()
        .int()
        .min(1)
        .max(500)
        .default(100)
        .describe('How many findings of each criterion (default 100, at most 500)'),
    }),
    output: z.object({
      /** Items that stand. */
      checked: count,
      /** Of each criterion, also beyond the limit. */
      counts: z.partialRecord(z.enum(AUDIT_CRITERIA), count),
      findings: z.array(auditFinding),
    }),
    route: ROUTES.auditMemory,
  }),
  mergeDoubles: describeAction({
    name: 'mergeDoubles',
    door: 'memory',
    summary: 'Let one of each set of exact doubles supersede the others.',
    scope: 'write',
    input: z.object({
      ...readerFields,
      ids: z.array(memoryId).min(1).max(500).optional().describe('Only the doubles of these items'),
    }),
    output: z.object({
      merged: z.array(z.object({ kept: z.string(), superseded: z.array(z.string()) })),
    }),
    route: ROUTES.mergeDoubles,
  }),
  listRelatedItems: describeAction({
    name: 'listRelatedItems',
    door: 'memory',
    summary: 'The items that an item is related to.',
    scope: 'read',
    input: z.object({
      id: memoryId,
      ...readerFields,
      superseded: z.boolean().default(false).describe('Also those that were superseded (default false)'),
    }),
    output: z.object({
      related: z.array(contextRelatedItem.extend({ superseded_by: z.string().nullable() })),
      next,
    }),
    route: ROUTES.listRelatedItems,
  }),
  relateItems: describeAction({
    name: 'relateItems',
    door: 'memory',
    summary: 'Relate an item to another.',
    scope: 'write',
    input: relation.extend({ item: memoryId, ...readerFields }),
    output: z.object({ related: z.boolean().describe('False if the relation already existed') }),
    route: ROUTES.relateItems,
  }),
  unrelateItems: describeAction({
    name: 'unrelateItems',
    door: 'memory',
    summary: 'Take back relations of an item; what it superseded stands again.',
    scope: 'write',
    input: z.object({
      item: memoryId,
      type: relation.shape.type,
      id: memoryId.optional().describe('The item at the other end (default: all that it is related to so)'),
      withdraw: z
        .boolean()
        .default(false)
        .describe('With "supersedes": what stands again supersedes the item, so that it is as before'),
      ...readerFields,
    }),
    output: z.object({
      unrelated: z.array(z.string()).describe('Items at the other end'),
      withdrawn: z.boolean(),
    }),
    route: ROUTES.unrelateItems,
  }),
  importMemory: describeAction({
    name: 'importMemory',
    door: 'memory',
    summary: 'Import items; bad lines are listed, all others are stored.',
    scope: 'write',
    input: z
      .object({
        items: z.array(z.unknown()).min(1).optional().describe('One object per import line'),
        lines: z.string().optional().describe('The same, as JSONL'),
        project: projectSpec,
        dry_run: z.boolean().default(false).describe('Check everything, write nothing'),
      })
      .refine(({ items, lines }) => (items === undefined) !== (lines === undefined), {
        error: 'exactly one of items and lines is required',
        path: ['items'],
      }),
    output: importOutput,
    route: ROUTES.importMemory,
  }),
};
