import { z } from 'zod';
import {
  agentId,
  contextInput,
  contextOutput,
  contextRelatedItem,
  domainName,
  MEMORY_SCOPES,
  memoryId,
  nonBlank,
  relation,
  rememberInput,
  rememberOutput,
  synthesisInput,
  synthesisOutput,
} from '../memory.ts';
import { ROUTES } from '../routes.ts';
import { describeAction, next, projectSpec } from './shape.ts';

/** Fields that narrow or widen what is searched. */
const readerFields = {
  project: projectSpec,
  agent_id: agentId.optional().describe('Also read this agent’s diary'),
};
const count = z.number().int();
const time = z.string();

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

const foundItem = memoryItem.extend({ score: z.number(), reason: z.string() });

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
        ...readerFields,
        domain: domainName.optional(),
        limit: z.number().int().min(1).max(200).default(24).describe('How many (default 24, at most 200)'),
      }),
    output: z.object({ items: z.array(foundItem), next }),
    route: ROUTES.searchMemory,
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
    }),
    route: ROUTES.readMemoryItem,
  }),
  listRelatedItems: describeAction({
    name: 'listRelatedItems',
    door: 'memory',
    summary: 'The items that an item is related to.',
    scope: 'read',
    input: z.object({ id: memoryId, ...readerFields }),
    output: z.object({ related: z.array(contextRelatedItem), next }),
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
