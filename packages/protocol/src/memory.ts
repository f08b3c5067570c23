import { z } from 'zod';
import type { Limits } from './limits.ts';
import { sources } from './sources.ts';

export const CONTEXT_INTENTS = [
  'build',
  'plan',
  'ideate',
  'research',
  'debug',
  'decide',
  'learn',
  'general',
] as const;
export type ContextIntent = (typeof CONTEXT_INTENTS)[number];

export const CONTEXT_LAYERS = ['wake', 'recall', 'deep_search'] as const;
export type ContextLayer = (typeof CONTEXT_LAYERS)[number];

/** `full`: the data holds everything, for programs. `compact`: bodies are only in the Markdown, for models. */
export const CONTEXT_FORMATS = ['full', 'compact'] as const;
export type ContextFormat = (typeof CONTEXT_FORMATS)[number];

export const CONTEXT_FACETS = [
  'active_work',
  'artifacts',
  'constraints',
  'decisions',
  'domain',
  'gotchas',
  'ideation',
  'planning',
  'procedures',
  'recent_memory',
  'verification',
] as const;
export type ContextFacet = (typeof CONTEXT_FACETS)[number];

export const RELATION_TYPES = [
  'supersedes',
  'contradicts',
  'requires',
  'supports',
  'decides',
  'relates_to',
] as const;
export type RelationType = (typeof RELATION_TYPES)[number];

/** Who can read an item: its writer, its project, its organisation, or one agent of its writer. */
export const MEMORY_SCOPES = ['private', 'project', 'organisation', 'diary'] as const;
export type MemoryScope = (typeof MEMORY_SCOPES)[number];

/** In place of a project, where something is read: every project that is open to the caller. */
export const ALL_PROJECTS = '*';

/** Kinds that packs treat specially. Any other lower-case word is a valid kind too, and counts as raw memory. */
export const MEMORY_KINDS = [
  'episode',
  'session',
  'note',
  'decision',
  'plan',
  'idea',
  'claim',
  'artifact',
  'document',
  'procedure',
  'pattern',
  'rule',
  'error_pattern',
  'task',
  'epic',
  'project',
  'domain',
  'topic',
  'guide',
  'template',
  'tool',
  'source',
  'config_file',
  'event',
  'preference',
  'test',
] as const;

export const SYNTHESIS_TYPES = [
  'documentation',
  'report',
  'briefing',
  'roadmap',
  'release_notes',
  'audit_packet',
  'handbook',
  'custom',
] as const;
export type SynthesisType = (typeof SYNTHESIS_TYPES)[number];

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses control characters
const PRINTABLE = /^[^\u0000-\u001f\u007f]+$/;
const oneLine = (most: number) =>
  z.string().min(1).max(most).regex(PRINTABLE, { error: 'must be one line without control characters' });

export const memoryId = oneLine(200);
const kind = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, {
  error: `must be a lower-case word such as ${MEMORY_KINDS.slice(0, 12).join(', ')}`,
});
/** Text that is not blank. */
export const nonBlank = (most: number, empty: string) =>
  z
    .string()
    .refine((content) => content.trim() !== '', { error: empty })
    .refine((content) => content.length <= most, { error: `is longer than ${most} characters` });
export const domainName = oneLine(100);
const metadata = z.record(z.string().max(200), z.unknown());
const source = z.string().min(1).max(2000);
/** ISO 8601, milliseconds since 1970, or a date in a common written form. */
export const moment = z.union([z.string().min(1).max(100), z.number()]);
const name = z.union([oneLine(200), z.number().transform(String)]);
const ordinal = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d+(\.\d+)?$/)
    .transform(Number),
]);
export const agentId = oneLine(128);

export const relation = z.object({ type: z.enum(RELATION_TYPES), id: memoryId });
export type RelationInput = z.infer<typeof relation>;

const goal = ({ goalCharacters }: Limits) => nonBlank(goalCharacters, 'goal is required');

export function contextInput(limits: Limits) {
  const { wakeTokens, recallTokens, deepSearchTokens } = limits;
  return z.object({
    goal: goal(limits).describe('What the agent is trying to accomplish'),
    intent: z.enum(CONTEXT_INTENTS).default('build').describe('Goal mode (default "build")'),
    layer: z.enum(CONTEXT_LAYERS).default('recall').describe('Retrieval depth (default "recall")'),
    domain: domainName.optional().describe('Domain/category to scope context'),
    project: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe(
        'Project (id, name or absolute path) to scope to (default: that of the connection, if it has one); "*": all that you may read',
      ),
    agent_id: agentId.optional().describe('Agent diary identity to include'),
    limit: z.number().default(24).describe('Max total context items, clamped 1-50 (default 24)'),
    include_related: z
      .boolean()
      .optional()
      .describe('Include related items, two hops in deep_search (default true; in layer wake, false)'),
    related_limit: z.number().default(3).describe('Related items per context item, clamped 0-10 (default 3)'),
    token_budget: z
      .number()
      .int()
      .positive()
      .optional()
      .describe(
        `Most tokens that you will read (default ${wakeTokens} for wake, ${recallTokens} recall, ${deepSearchTokens} deep_search)`,
      ),
    format: z
      .enum(CONTEXT_FORMATS)
      .optional()
      .describe(
        '"compact": bodies in markdown alone; "full": in sections too (default: what suits your client)',
      ),
    explain: z.boolean().optional().describe('Also say how each item was ranked, and what was left out'),
  });
}
export type ContextInput = z.infer<ReturnType<typeof contextInput>>;

export const contextRelatedItem = z.object({
  id: z.string(),
  type: z.string(),
  name: z.string(),
  relationship: z.string(),
  direction: z.enum(['outgoing', 'incoming']),
  distance: z.number().int(),
});
export type ContextRelatedItem = z.infer<typeof contextRelatedItem>;

/** Something that says nearly the same. */
export const repetition = z.object({ id: z.string(), at: z.string() });

/** Something that says otherwise: with other values, or what somebody wants instead. */
export const otherValue = z.object({
  id: z.string(),
  at: z.string(),
  /** The sentence that says it. */
  says: z.string(),
  values: z.array(z.string()).optional(),
  change: z.enum(['replaces', 'replaced_by']).optional(),
});
export type ContextOtherValue = z.infer<typeof otherValue>;

export const contextItem = z.object({
  id: z.string(),
  type: z.string(),
  name: z.string(),
  content: z.string(),
  score: z.number(),
  facet: z.enum(CONTEXT_FACETS),
  reason: z.string(),
  source: z.string().nullable(),
  quality: z.object({
    origin: z.string().nullable(),
    source: z.string().nullable(),
    url: z.string().nullable(),
    created_at: z.string().nullable(),
    updated_at: z.string().nullable(),
    valid_at: z.string().nullable(),
    project_id: z.string().nullable(),
  }),
  /** What was stored with it; `also` (repetitions), `other_values`, `contradicted_by` and `project` where there is something to say. */
  metadata: z.record(z.string(), z.unknown()),
  related: z.array(contextRelatedItem),
});
export type ContextItem = z.infer<typeof contextItem>;

export const contextSection = z.object({
  facet: z.enum(CONTEXT_FACETS),
  title: z.string(),
  items: z.array(contextItem),
});
export type ContextSection = z.infer<typeof contextSection>;

/** Why something that was found is not in the pack. */
export const LEFT_OUT = ['limit', 'floor', 'repeated', 'archived', 'budget'] as const;
export type LeftOut = (typeof LEFT_OUT)[number];

/** Part of an item's content, from the beginning of a sentence to the end of one. */
export const contextPassage = z.object({
  begin: z.number().int(),
  end: z.number().int(),
  /** What stands there; an excerpt where that is long. */
  text: z.string(),
});
export type ContextPassage = z.infer<typeof contextPassage>;

/** How an item came to its place: the sum of its lanes times its factors is its score. */
export const explainedItem = z.object({
  id: z.string(),
  type: z.string(),
  name: z.string(),
  facet: z.enum(CONTEXT_FACETS),
  score: z.number(),
  /** Work that is going on comes first, whatever its score. */
  pinned: z.boolean(),
  /** What each lane gave; one that gave nothing is absent. */
  lanes: z.record(z.string(), z.number()),
  /** What the sum was multiplied by; 1 is absent. */
  factors: z.record(z.string(), z.number()),
  /** Words of the goal that it holds. */
  words: z.array(z.string()),
  /** The item that a relation led from. */
  via: z.string().optional(),
  /** The part that speaks for it. */
  passage: contextPassage,
  reason: z.string(),
});
export type ExplainedItem = z.infer<typeof explainedItem>;

export const contextExplanation = z.object({
  /** How many items were weighed against each other. */
  considered: z.number().int(),
  /** What the Markdown holds, in the order in which it matters. */
  items: z.array(explainedItem),
  /** The best of the rest. */
  left_out: z.array(explainedItem.extend({ why: z.enum(LEFT_OUT), detail: z.string() })),
});
export type ContextExplanation = z.infer<typeof contextExplanation>;

export const contextOutput = z.object({
  goal: z.string(),
  intent: z.string(),
  query: z.string(),
  domain: z.string().nullable(),
  project: z.string().nullable(),
  layer: z.string(),
  sections: z.array(contextSection),
  total_items: z.number().int(),
  usage_hint: z.string(),
  markdown: z.string(),
  notices: z.array(z.string()).optional(),
  /** Only where it was asked for. The budget does not count it. */
  explanation: contextExplanation.optional(),
});
export type ContextPack = z.infer<typeof contextOutput>;

function itemFields({ itemTitleCharacters, itemCharacters, itemTags, itemRelations }: Limits) {
  return {
    title: oneLine(itemTitleCharacters).optional(),
    content: nonBlank(itemCharacters, 'must not be empty'),
    kind: kind.optional(),
    domain: domainName.optional(),
    tags: z.array(oneLine(100)).max(itemTags).optional(),
    valid_at: moment.optional(),
    source: source.optional(),
    url: source.optional(),
    author: name.optional(),
    thread: name.optional(),
    ordinal: ordinal.optional(),
    at: moment.optional(),
    metadata: metadata.optional(),
    project: z.string().min(1).max(4096).optional(),
    relations: z.array(relation).max(itemRelations).optional(),
  };
}

export function rememberInput(limits: Limits) {
  const fields = itemFields(limits);
  return z.object({
    ...fields,
    content: fields.content.describe('What to remember, verbatim'),
    title: fields.title.describe(`Name of the item (at most ${limits.itemTitleCharacters} characters)`),
    kind: fields.kind.describe(`One of ${MEMORY_KINDS.join(', ')} (default episode)`),
    project: fields.project.describe('Project (id, name or absolute path)'),
    scope: z
      .enum(MEMORY_SCOPES)
      .optional()
      .describe('Who can read it (default: project where one is given, diary with agent_id, else private)'),
    agent_id: agentId.optional().describe('Agent whose diary this is for'),
    idempotency_key: z.string().min(1).max(255).optional().describe('The same key twice is one item'),
    sources,
  });
}
export type RememberInput = z.infer<ReturnType<typeof rememberInput>>;

export const rememberOutput = z.object({
  id: z.string(),
  created: z.boolean(),
  conflicts: z.array(z.object({ id: z.string(), title: z.string(), reason: z.string() })),
});
export type RememberAnswer = z.infer<typeof rememberOutput>;

export const MEMORY_ROLES = ['user', 'assistant', 'system', 'tool'] as const;

/** One line of an import. Empty and null fields count as absent, because other programs export them so. */
export function importLine(limits: Limits) {
  return z.object({
    ...itemFields(limits),
    id: z.union([memoryId, z.number().transform(String)]).optional(),
    /** Who speaks, in a conversation with an assistant, whatever the author is called. */
    role: z.enum(MEMORY_ROLES).optional(),
  });
}
export type ImportLine = z.infer<ReturnType<typeof importLine>>;

export function synthesisInput(limits: Limits) {
  return z.object({
    goal: goal(limits).describe('What the document is for'),
    output_type: z.enum(SYNTHESIS_TYPES).default('documentation'),
    project: z.string().min(1).max(4096).optional(),
    domain: domainName.optional(),
    sources: z.array(memoryId).max(100).optional().describe('Ids of items that must be used'),
    limit: z.number().default(24).describe('Items to draw on at most, clamped 1-50 (default 24)'),
  });
}
export type SynthesisInput = z.infer<ReturnType<typeof synthesisInput>>;

export const synthesisOutput = z.object({
  run_id: z.string(),
  goal: z.string(),
  output_type: z.enum(SYNTHESIS_TYPES),
  outline: z.array(
    z.object({
      title: z.string(),
      purpose: z.string(),
      sources: z.array(z.object({ id: z.string(), title: z.string(), reason: z.string() })),
      gaps: z.array(z.string()),
    }),
  ),
  gaps: z.array(z.string()),
  markdown: z.string(),
});
export type SynthesisPlan = z.infer<typeof synthesisOutput>;
