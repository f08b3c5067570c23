import { z } from 'zod';
import {
  constraint,
  DRAFT_RESOURCES,
  DRAFT_STATUSES,
  discoverInput,
  discoverOutput,
  draftInput,
  draftOutput,
  FILE_KINDS,
  loadInput,
  loadOutput,
  okOutput,
  referInput,
  referOutput,
  rejectInput,
  setupInput,
  setupOutput,
  submitInput,
} from '../library.ts';
import { ROUTES } from '../routes.ts';
import { describeAction, next, pageFields, projectSpec } from './shape.ts';

const time = z.string();
const count = z.number().int();
const name = z.string().min(1).max(600);
const note = z.string().max(20_000).optional();
const days = z.number().int().min(1).max(3650).optional().describe('Only the last N days (default: all)');
const folder = z.string().min(1).describe('Absolute path on the server’s machine');
/** The project that an answer is about. */
const projectName = z.string();

const OPERATIONS = ['create', 'update', 'rename', 'delete'] as const;

/** A published file as people see it. */
export const fileView = z.object({
  id: z.string(),
  kind: z.enum(FILE_KINDS),
  path: z.string(),
  name: z.string(),
  group: z.string().nullable(),
  hash: z.string(),
  description: z.string().nullable(),
  /** The path that an import found it at, if it differs. */
  origin: z.string().nullable(),
  revision: count,
  updated_at: time,
});

export const fileDetails = fileView.extend({
  content: z.string(),
  front_matter: z.record(z.string(), z.unknown()),
  constraints: z.array(constraint),
});

export const revisionView = z.object({
  workspace_id: z.string(),
  file_id: z.string(),
  revision: count,
  op: z.enum(OPERATIONS),
  kind: z.enum(FILE_KINDS),
  path: z.string(),
  previous_path: z.string().nullable(),
  hash: z.string(),
  source: z.string(),
  note: z.string().nullable(),
  origin: z.string().nullable(),
  at: time,
  author: z.string(),
  reviewer: z.string().nullable(),
  publisher: z.string(),
  /** The publisher. */
  by: z.string(),
});
export type RevisionView = z.infer<typeof revisionView>;

export const CONFLICT_REASONS = ['changed', 'deleted', 'renamed', 'path_taken'] as const;
export type ConflictReason = (typeof CONFLICT_REASONS)[number];

export const draftView = z.object({
  id: z.string(),
  draft_path: z.string(),
  item_id: z.string(),
  resource: z.enum(DRAFT_RESOURCES),
  op: z.enum(OPERATIONS),
  status: z.enum(DRAFT_STATUSES),
  path: z.string(),
  new_path: z.string().nullable(),
  hash: z.string().nullable(),
  base_hash: z.string().nullable(),
  description: z.string().nullable(),
  origin: z.string().nullable(),
  drafted_by: z.string(),
  session_id: z.string().nullable(),
  created_at: time,
  updated_at: time,
  decided_by: z.string().nullable(),
  decided_at: time.nullable(),
  note: z.string().nullable(),
  conflict: z.enum(CONFLICT_REASONS).nullable(),
});

const version = z.object({ path: z.string(), hash: z.string(), content: z.string() });
export type FileVersion = z.infer<typeof version>;

export const diffLine = z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() });
export type DiffLine = z.infer<typeof diffLine>;

/** With its content, its diff against the published file, its comments, and all three versions on a conflict. */
export const draftDetails = draftView.extend({
  content: z.string().nullable(),
  diff: z.array(diffLine),
  comments: z.array(z.object({ at: time, by: z.string(), text: z.string() })),
  conflict: z
    .object({
      reason: z.enum(CONFLICT_REASONS),
      base: version.nullable(),
      published: version.nullable(),
      draft: version.nullable(),
    })
    .nullable(),
});
export type DraftDetails = z.infer<typeof draftDetails>;

/** Enough to choose between several drafts. */
export const draftChoice = z.object({
  id: z.string(),
  draft_path: z.string(),
  status: z.string(),
  drafted_by: z.string(),
});
export type DraftChoice = z.infer<typeof draftChoice>;

const changes = z.array(
  z.object({
    op: z.enum(OPERATIONS),
    id: z.string(),
    kind: z.enum(FILE_KINDS),
    path: z.string(),
    hash: z.string(),
  }),
);
const publication = z.object({ revision: count, changes });

/** Evidence and claims are separate: a rule may be loaded and never referred to, or claimed without being loaded. */
const figures = { loaded: count, referred: count, claimed_without_loading: count, stale: count };
const turnFigures = { agents: count, turns: count, rejected_turns: count, ...figures };
/** Milliseconds since 1970. */
const moment = count.nullable();

export const ruleUsage = z.object({
  workspace_id: z.string(),
  id: z.string(),
  kind: z.enum(FILE_KINDS),
  path: z.string(),
  /** Context files are never referred to, only loaded. */
  state: z.enum(['referred', 'loaded_never_referred', 'loaded', 'never_loaded']),
  constraints_referred: count,
  ...turnFigures,
  last_loaded_at: moment,
  last_referred_at: moment,
  /** How often a host itself loaded the same content as a file of instructions. */
  loaded_by_host: count,
});
export type RuleUsage = z.infer<typeof ruleUsage>;

export const constraintUsage = z.object({
  workspace_id: z.string(),
  rule_id: z.string(),
  path: z.string(),
  constraint_id: z.string(),
  text: z.string().nullable(),
  /** False if the rule no longer has it. */
  current: z.boolean(),
  referred: count,
  claimed_without_loading: count,
  stale: count,
  agents: count,
  last_referred_at: moment,
});
export type ConstraintUsage = z.infer<typeof constraintUsage>;

export const agentUsage = z.object({
  agent: z.string(),
  sessions: count,
  turns: count,
  submitted_turns: count,
  rejected_turns: count,
  ...figures,
});
export type AgentUsage = z.infer<typeof agentUsage>;

export const dayUsage = z.object({ day: z.string(), ...turnFigures });
export type DayUsage = z.infer<typeof dayUsage>;

export const projectUsage = z.object({ workspace_id: z.string(), ...turnFigures });
export type ProjectUsage = z.infer<typeof projectUsage>;

/** One turn: what was searched, loaded and claimed in it, and how it ended. */
export const turnView = z.object({
  session_id: z.string(),
  turn: count,
  workspace_id: z.string(),
  project_id: z.string(),
  agent: z.string(),
  started_at: time,
  ended_at: time.nullable(),
  outcome: z.enum(['open', 'submitted', 'rejected']),
  summary: z.string().nullable().optional(),
  reason: z.string().nullable().optional(),
  discovered: z.array(
    z.object({
      kind: z.string().nullable(),
      group: z.string().nullable(),
      query: z.string().nullable(),
      result_count: count,
    }),
  ),
  loaded: z.array(
    z.object({
      id: z.string(),
      path: z.string(),
      hash: z.string(),
      changed: z.boolean(),
      draft: z.boolean(),
    }),
  ),
  /** Instruction files that the host itself loaded, where the library has the same content. */
  loaded_by_host: z.array(z.object({ id: z.string(), path: z.string(), hash: z.string(), file: z.string() })),
  claimed: z.array(
    z.object({
      rule_id: z.string(),
      path: z.string(),
      constraint_id: z.string(),
      rule_hash: z.string(),
      reason: z.string().nullable(),
      loaded: z.boolean(),
      stale: z.boolean(),
    }),
  ),
  drafted: z.array(z.object({ draft_id: z.string(), action: z.string(), path: z.string() })),
});
export type TurnView = z.infer<typeof turnView>;

const skipped = z.array(z.object({ path: z.string(), reason: z.string() }));

export const importReport = z.object({
  read: count,
  created: count,
  updated: count,
  renamed: count,
  unchanged: count,
  /** Files that should have been imported and could not be. */
  skipped,
  /** Secrets that were replaced; the original bytes of those files are not stored. */
  secrets: count,
  redacted: z.array(z.object({ path: z.string(), secrets: count })),
  /** Rules and workflows without constraints, so that nothing in them can be referred to. */
  without_constraints: z.array(z.string()),
  published: z.boolean(),
  revision: count,
  /** Open drafts that differ from what was published at their paths. */
  drafts_left: z.array(draftChoice),
});
export type ImportReport = z.infer<typeof importReport>;

export const exportReport = z.object({
  written: count,
  unchanged: count,
  skipped,
  /** Files that an import found at another path. */
  origins: z.array(z.object({ path: z.string(), origin: z.string() })),
  /** Files whose kind neither path nor front matter shows: another library would import them as another kind. */
  untold: z.array(z.string()),
});
export type ExportReport = z.infer<typeof exportReport>;

/** The library that a folder is imported into or exported from. */
const place = { project: projectName, project_path: z.string().nullable(), workspace_id: z.string() };

/** One step in the review of a draft. */
function describeStep<
  const Verb extends 'submit' | 'discard' | 'approve' | 'decline' | 'comment' | 'publish' | 'rebase',
  const Scope extends 'write' | 'review',
  Input extends z.ZodRawShape,
  Output extends z.ZodObject,
>(verb: Verb, summary: string, scope: Scope, input: Input, output: Output) {
  const key = `${verb}Draft` as const;
  return describeAction({
    name: key,
    door: 'library',
    summary,
    scope,
    input: z.object({ id: name, project: projectSpec, ...input }),
    output,
    route: ROUTES[key],
  });
}

/** How often agents loaded and claimed rules. */
function describeUsage<
  const Name extends 'listRuleUsage' | 'listConstraintUsage' | 'listAgentUsage' | 'listDayUsage',
  Output extends z.ZodObject,
>(key: Name, by: string, output: Output) {
  return describeAction({
    name: key,
    door: 'library',
    summary: `How often rules were loaded and referred to, by ${by}.`,
    scope: 'read',
    input: z.object({
      project: projectSpec,
      days,
      agent: z.string().min(1).max(256).optional().describe('Only this agent'),
      ...pageFields({ usual: 200, most: 1000 }),
    }),
    output,
    route: ROUTES[key],
  });
}

export const libraryApi = {
  memorySetup: describeAction({
    name: 'memory.setup',
    door: 'library',
    summary: 'Start using the library: binds the host’s session and returns the meta prompt.',
    scope: 'write',
    input: setupInput,
    output: setupOutput,
  }),
  memoryDiscover: describeAction({
    name: 'memory.discover',
    door: 'library',
    summary: 'Find rules, workflows and context for a task.',
    scope: 'write',
    input: discoverInput,
    output: discoverOutput,
  }),
  memoryLoad: describeAction({
    name: 'memory.load',
    door: 'library',
    summary: 'Load content and referable constraints.',
    scope: 'write',
    input: loadInput,
    output: loadOutput,
  }),
  memoryRefer: describeAction({
    name: 'memory.refer',
    door: 'library',
    summary: 'Declare which loaded constraints shaped the work.',
    scope: 'write',
    input: referInput,
    output: referOutput,
  }),
  memorySubmit: describeAction({
    name: 'memory.submit',
    door: 'library',
    summary: 'Close a successful turn.',
    scope: 'write',
    input: submitInput,
    output: okOutput,
  }),
  memoryReject: describeAction({
    name: 'memory.reject',
    door: 'library',
    summary: 'Close a turn whose output did not follow the loaded constraints.',
    scope: 'write',
    input: rejectInput,
    output: okOutput,
  }),
  draft: describeAction({
    name: 'draft',
    door: 'library',
    summary: 'Stage a change in an agent’s session.',
    scope: 'write',
    input: draftInput,
    output: draftOutput,
  }),
  listLibraryItems: describeAction({
    name: 'listLibraryItems',
    door: 'library',
    summary: 'Published files, by path or best match first.',
    scope: 'read',
    input: z.object({
      project: projectSpec,
      kind: z.enum(FILE_KINDS).optional(),
      group: z.string().min(1).max(256).optional().describe('First path segment or logical group'),
      q: z.string().max(1000).optional().describe('Any words of path, name, description, headings'),
      ...pageFields({ usual: 50, most: 200 }),
    }),
    output: z.object({
      items: z.array(
        fileView.extend({ match: z.number().optional(), matched: z.array(z.string()).optional() }),
      ),
      next,
    }),
    route: ROUTES.listLibraryItems,
  }),
  readLibraryItem: describeAction({
    name: 'readLibraryItem',
    door: 'library',
    summary: 'A published file with its content, by id or path.',
    scope: 'read',
    input: z.object({ id: name, project: projectSpec }),
    output: fileDetails,
    route: ROUTES.readLibraryItem,
  }),
  listRevisions: describeAction({
    name: 'listRevisions',
    door: 'library',
    summary: 'Every revision of a file, oldest first, by its id or path.',
    scope: 'read',
    input: z.object({ id: name, project: projectSpec }),
    output: z.object({
      project: projectName,
      id: z.string(),
      path: z.string(),
      revisions: z.array(revisionView),
      next,
    }),
    route: ROUTES.listRevisions,
  }),
  restoreRevision: describeAction({
    name: 'restoreRevision',
    door: 'library',
    summary: 'Publish an earlier revision of a file again.',
    scope: 'review',
    input: z.object({ id: name, project: projectSpec, revision: z.number().int().min(1) }),
    output: publication.extend({ project: projectName, path: z.string(), restored: count }),
    route: ROUTES.restoreRevision,
  }),
  listDrafts: describeAction({
    name: 'listDrafts',
    door: 'library',
    summary: 'Open drafts that the caller may see, newest first.',
    scope: 'read',
    input: z.object({
      project: projectSpec,
      status: z.enum(DRAFT_STATUSES).optional(),
      all: z.boolean().default(false).describe('Include closed drafts'),
      ...pageFields({ usual: 50, most: 1000 }),
    }),
    output: z.object({ project: projectName, drafts: z.array(draftView), next }),
    route: ROUTES.listDrafts,
  }),
  createDraft: describeAction({
    name: 'createDraft',
    door: 'library',
    summary: 'Stage a change; nothing is published before review.',
    scope: 'write',
    input: draftInput.omit({ sources: true }).extend({ project: projectSpec }),
    output: z.object({ ok: z.literal(true), draft_path: z.string(), draft: draftView }),
    route: ROUTES.createDraft,
  }),
  readDraft: describeAction({
    name: 'readDraft',
    door: 'library',
    summary: 'A draft with its diff and comments, by id or path.',
    scope: 'read',
    input: z.object({ id: name, project: projectSpec }),
    output: draftDetails,
    route: ROUTES.readDraft,
  }),
  compareDrafts: describeAction({
    name: 'compareDrafts',
    door: 'library',
    summary: 'What one draft, or every open one, would change.',
    scope: 'read',
    input: z.object({ id: name.optional(), project: projectSpec }),
    output: z.object({ project: projectName, drafts: z.array(draftDetails) }),
  }),
  submitDraft: describeStep('submit', 'Submit a draft for review.', 'write', {}, draftView),
  discardDraft: describeStep('discard', 'Discard a draft.', 'write', {}, draftView),
  approveDraft: describeStep('approve', 'Approve a submitted draft.', 'review', { note }, draftView),
  declineDraft: describeStep('decline', 'Decline a submitted draft.', 'review', { note }, draftView),
  commentDraft: describeStep(
    'comment',
    'Comment on a draft.',
    'write',
    {
      text: z
        .string()
        .max(20_000)
        .refine((text) => text.trim() !== '', 'must not be empty'),
    },
    draftDetails,
  ),
  publishDraft: describeStep('publish', 'Publish an approved draft.', 'review', { note }, publication),
  rebaseDraft: describeStep(
    'rebase',
    'Rebase a draft onto what is published now.',
    'write',
    { take: z.enum(['draft', 'published']).optional(), body: z.string().min(1).optional() },
    draftDetails.extend({ rebased: z.boolean() }),
  ),
  reviewDrafts: describeAction({
    name: 'reviewDrafts',
    door: 'library',
    summary: 'Take one review step with several drafts; failures are listed with their reasons.',
    scope: 'write',
    input: z.object({
      project: projectSpec,
      step: z.enum(['submit', 'approve', 'decline', 'discard']),
      drafts: z.array(name).default([]).describe('Ids or paths'),
      all: z.boolean().default(false).describe('All drafts that can take this step'),
      force: z.boolean().default(false).describe('With all: also discard drafts in review'),
      note,
    }),
    output: z.object({
      drafts: z.array(draftView),
      failed: z.array(z.object({ draft_path: z.string(), error: z.string(), code: z.string() })),
      /** Drafts in review, which are kept unless `force` is set. */
      left: z.array(draftChoice).optional(),
    }),
  }),
  publishDrafts: describeAction({
    name: 'publishDrafts',
    door: 'library',
    summary: 'Publish approved drafts in one step: all of them or none.',
    scope: 'review',
    input: z.object({
      project: projectSpec,
      drafts: z.array(name).default([]).describe('Ids or paths'),
      all: z.boolean().default(false).describe('All approved drafts'),
      note,
    }),
    output: publication.extend({ revision: count.nullable() }),
  }),
  libraryStatus: describeAction({
    name: 'libraryStatus',
    door: 'library',
    summary: 'Revision, files and open drafts of a project.',
    scope: 'read',
    input: z.object({ project: projectSpec }),
    output: z.object({
      project: projectName,
      workspace_id: z.string(),
      revision: count,
      rules: count,
      workflows: count,
      context: count,
      meta_prompt: z.boolean(),
      drafts: count,
      in_review: count,
      approved: count,
      conflicts: z.array(z.string()),
    }),
  }),
  listTurns: describeAction({
    name: 'listTurns',
    door: 'library',
    summary: 'The caller’s turns, newest first; reviewers see everyone’s.',
    scope: 'read',
    input: z.object({ project: projectSpec, days, ...pageFields({ usual: 50, most: 1000 }) }),
    output: z.object({ project: projectName, turns: z.array(turnView), next }),
    route: ROUTES.listTurns,
  }),
  listRuleUsage: describeUsage('listRuleUsage', 'rule', z.object({ rules: z.array(ruleUsage), next })),
  listConstraintUsage: describeUsage(
    'listConstraintUsage',
    'constraint',
    z.object({ constraints: z.array(constraintUsage), next }),
  ),
  listAgentUsage: describeUsage('listAgentUsage', 'agent', z.object({ agents: z.array(agentUsage), next })),
  listDayUsage: describeUsage('listDayUsage', 'day', z.object({ days: z.array(dayUsage), next })),
  reportUsage: describeAction({
    name: 'reportUsage',
    door: 'library',
    summary: 'Use of rules in one project, or in every project of the data folder.',
    scope: 'admin',
    input: z.object({
      by: z.enum(['rule', 'constraint', 'agent', 'day', 'project']).default('rule'),
      project: projectSpec,
      days,
      agent: z.string().min(1).max(256).optional(),
    }),
    output: z.object({
      by: z.string(),
      days: count.nullable(),
      rows: z.array(z.union([ruleUsage, constraintUsage, agentUsage, dayUsage, projectUsage])),
    }),
  }),
  importLibrary: describeAction({
    name: 'importLibrary',
    door: 'library',
    summary: 'Import the Markdown of a folder, as drafts or published.',
    scope: 'admin',
    input: z.object({ project: projectSpec, folder, publish: z.boolean().default(false) }),
    output: importReport.extend({ ...place, seconds: z.number() }),
  }),
  exportLibrary: describeAction({
    name: 'exportLibrary',
    door: 'library',
    summary: 'Write the published files to a folder.',
    scope: 'admin',
    input: z.object({ project: projectSpec, folder }),
    output: exportReport.extend(place),
  }),
  beginLibrary: describeAction({
    name: 'beginLibrary',
    door: 'library',
    summary: 'Give a project a meta prompt, example rules and a workflow; what is there stays.',
    scope: 'admin',
    input: z.object({ project: projectSpec, folder: folder.optional() }),
    output: z.object({
      ...place,
      revision: count,
      published: z.array(z.string()),
      written: z.array(z.string()),
    }),
  }),
};
