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

/** What narrows or widens the memory that is looked at. */
const readerFields = {
  project: projectSpec,
  agent_id: agentId.optional().describe('Agent whose diary is read too'),
};
const count = z.number().int();
const time = z.string();

/** An item with everything that was written. */
export const memoryItem = z.object({
  id: z.string(),
  kind: z.string(),
  title: z.string().nullable(),
  /** The title, or how the content begins. */
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
  /** There already, by id or by content. */
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
    summary: 'Plan a document whose sections name the items that they rest on.',
    scope: 'read',
    input: synthesisInput,
    output: synthesisOutput,
    route: ROUTES.synthesisPlan,
  }),
  searchMemory: describeAction({
    name: 'searchMemory',
    door: 'memory',
    summary: 'Items that fit a query best, with the ranking of packs.',
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
    summary: 'An item with everything that was written; superseded ones too.',
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
    summary: 'What an item is related to.',
    scope: 'read',
    input: z.object({ id: memoryId, ...readerFields }),
    output: z.object({ related: z.array(contextRelatedItem), next }),
    route: ROUTES.listRelatedItems,
  }),
  relateItems: describeAction({
    name: 'relateItems',
    door: 'memory',
    summary: 'Say how an item is related to another one.',
    scope: 'write',
    input: relation.extend({ item: memoryId, ...readerFields }),
    output: z.object({ related: z.boolean().describe('False where that was known before') }),
    route: ROUTES.relateItems,
  }),
  importMemory: describeAction({
    name: 'importMemory',
    door: 'memory',
    summary: 'Import items; lines that are bad are named, the others are in.',
    scope: 'write',
    input: z
      .object({
        items: z.array(z.unknown()).min(1).optional().describe('A line of an import each'),
        lines: z.string().optional().describe('The same as JSONL'),
        project: projectSpec,
        dry_run: z.boolean().default(false).describe('Check everything, write nothing'),
      })
      .refine(({ items, lines }) => (items === undefined) !== (lines === undefined), {
        error: 'must be given, or lines: one of the two',
        path: ['items'],
      }),
    output: importOutput,
    route: ROUTES.importMemory,
  }),
};
