import { z } from 'zod';
import {
  constraint,
  DIFF_SIDES,
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

/** What a row of a report can be about. */
export const REPORTS = ['rule', 'constraint', 'project', 'agent', 'model', 'day'] as const;

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
  /** The revision of the organisation’s library that it was selected from; absent for a project’s own. */
  organisation: count.optional(),
  deprecated: z.literal(true).optional(),
  successor: z.string().optional(),
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
  /** The revision of the organisation’s library that it came from, if it did. */
  organisation: count.optional(),
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
  /** Where its path is protected: what it takes to publish it, and who of those has approved it. */
  protected: z
    .array(
      z.object({
        pattern: z.string(),
        reviewers: z.array(z.string()),
        approvals: count,
        approved_by: z.array(z.string()),
      }),
    )
    .optional(),
});

const version = z.object({ path: z.string(), hash: z.string(), content: z.string() });
export type FileVersion = z.infer<typeof version>;

export const diffLine = z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() });
export type DiffLine = z.infer<typeof diffLine>;

/** `line` and `side` are null for a comment on the whole draft. */
export const draftComment = z.object({
  at: time,
  by: z.string(),
  text: z.string(),
  line: count.nullable(),
  side: z.enum(DIFF_SIDES).nullable(),
  /** False where what the line was in has changed since. */
  current: z.boolean(),
});
export type DraftComment = z.infer<typeof draftComment>;

/** With its content, its diff against the published file, its comments, and all three versions on a conflict. */
export const draftDetails = draftView.extend({
  content: z.string().nullable(),
  diff: z.array(diffLine),
  comments: z.array(draftComment),
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

export const VERDICTS = ['dead', 'fought_over', 'in_use', 'not_enough'] as const;
/** `why` says of a dead rule what never happened, and of one that is fought over what happened so often. */
const verdict = {
  verdict: z.enum(VERDICTS),
  why: z.enum(['never_loaded', 'never_referred', 'rejected', 'edited']).nullable(),
};
export type UsageVerdict = { [Key in keyof typeof verdict]: z.infer<(typeof verdict)[Key]> };

/** When a rule counts as dead or fought over. */
const thresholds = z.object({
  published_days: z
    .number()
    .int()
    .min(0)
    .max(3650)
    .default(30)
    .describe('A younger rule is not called dead (default 30)'),
  min_turns: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(20)
    .describe('Of fewer turns nothing is concluded (default 20)'),
  fought_share: z
    .number()
    .min(0)
    .max(1)
    .default(0.2)
    .describe('Fought over, if at least this share of its turns is rejected (default 0.2)'),
  min_edits: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(4)
    .describe('Fought over, if it has so many new wordings and declined drafts in the period (default 4)'),
});
export type Thresholds = z.infer<typeof thresholds>;

export const ruleUsage = z.object({
  workspace_id: z.string(),
  project: projectName.nullable(),
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
  /** Turns in which it was loaded and then referred to. */
  followed_turns: count,
  published_at: time,
  /** In the period: new wordings, those of them that restored an old one, and drafts that were declined. */
  revisions: count,
  restored: count,
  declined_drafts: count,
  ...verdict,
});
export type RuleUsage = z.infer<typeof ruleUsage>;

export const constraintUsage = z.object({
  workspace_id: z.string(),
  project: projectName.nullable(),
  rule_id: z.string(),
  path: z.string(),
  constraint_id: z.string(),
  text: z.string().nullable(),
  /** False if the rule no longer has it. */
  current: z.boolean(),
  /** Of the rule that it belongs to. */
  loaded: count,
  referred: count,
  claimed_without_loading: count,
  stale: count,
  agents: count,
  /** In which it was referred to; and those of them that loaded the rule before, and that were rejected. */
  turns: count,
  followed_turns: count,
  rejected_turns: count,
  last_referred_at: moment,
});
export type ConstraintUsage = z.infer<typeof constraintUsage>;

export const agentUsage = z.object({
  agent: z.string(),
  /** The agent gave no name of its own: it is the principal's, or what stands for it. */
  is_person: z.boolean(),
  sessions: count,
  turns: count,
  submitted_turns: count,
  rejected_turns: count,
  ...figures,
});
export type AgentUsage = z.infer<typeof agentUsage>;

export const dayUsage = z.object({ day: z.string(), ...turnFigures });
export type DayUsage = z.infer<typeof dayUsage>;

export const projectUsage = z.object({
  workspace_id: z.string(),
  project: projectName.nullable(),
  ...turnFigures,
});
export type ProjectUsage = z.infer<typeof projectUsage>;

export const modelUsage = z.object({
  /** Null where neither requests nor agents told. */
  model: z.string().nullable(),
  sessions: count,
  submitted_turns: count,
  ...turnFigures,
});
export type ModelUsage = z.infer<typeof modelUsage>;

const share = z.object({
  count,
  of: count,
  share: z.number().nullable(),
  /** Wilson's interval for 95 %. */
  low: z.number().nullable(),
  high: z.number().nullable(),
});
const trendSide = z.object({ turns: count, followed: share, rejected: share });

/** Whether agents follow a file more since a revision, or reject it less. */
export const ruleTrend = z.object({
  revision: count,
  published_at: time,
  min_turns: count,
  /** With the wordings before the revision; with its own and later ones. */
  before: trendSide,
  after: trendSide,
  result: z.enum(['better', 'worse', 'no_difference', 'not_enough']),
});
export type RuleTrend = z.infer<typeof ruleTrend>;

/** What was done with one file: from one revision to the next, and by day. */
export const itemUsage = z.object({
  project: projectName,
  id: z.string(),
  path: z.string(),
  /** Oldest first. */
  revisions: z.array(
    z.object({
      revision: count,
      op: z.enum(OPERATIONS),
      from: time,
      /** Null for the one in force. */
      until: time.nullable(),
      turns: count,
      followed_turns: count,
      rejected_turns: count,
      ...figures,
    }),
  ),
  trend: ruleTrend,
  /** Days on which it was used, oldest first, at most 366. */
  days: z.array(z.object({ day: z.string(), loaded: count, referred: count })),
  constraints: z.array(constraintUsage),
});
export type ItemUsage = z.infer<typeof itemUsage>;

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

/** Whoever judges a version says which one it was: another may have taken its place. */
const seen = z
  .string()
  .max(128)
  .optional()
  .describe('The hash of the version that was read; refused where that is another by now');

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
  const Name extends
    | 'listRuleUsage'
    | 'listConstraintUsage'
    | 'listAgentUsage'
    | 'listModelUsage'
    | 'listDayUsage',
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
      ...pageFields({ usual: 50, most: 1000 }),
    }),
    output: z.object({
      items: z.array(
        fileView.extend({ match: z.number().optional(), matched: z.array(z.string()).optional() }),
      ),
      next,
    }),
    route: ROUTES.listLibraryItems,
  }),
  searchLibraries: describeAction({
    name: 'searchLibraries',
    door: 'library',
    summary: 'Published files of every project that the caller may access, best match first.',
    scope: 'read',
    input: z.object({
      q: z
        .string()
        .max(1000)
        .optional()
        .describe('Words of path, name, description, headings (default: the last published)'),
      limit: z.number().int().min(1).max(200).default(20).describe('How many (default 20, at most 200)'),
    }),
    output: z.object({
      items: z.array(fileView.extend({ project_id: z.string(), project: projectName })),
      next,
    }),
    route: ROUTES.searchLibraries,
  }),
  readLibraryItem: describeAction({
    name: 'readLibraryItem',
    door: 'library',
    summary: 'A published file with its content, by id or path, as it is or as it was at a revision.',
    scope: 'read',
    input: z.object({
      id: name,
      project: projectSpec,
      revision: z.number().int().min(1).optional().describe('Of the library (default: the last one)'),
    }),
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
  approveDraft: describeStep(
    'approve',
    'Approve a submitted draft.',
    'review',
    { note, hash: seen },
    draftView,
  ),
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
      line: z.number().int().min(1).optional().describe('A line of the diff (default: the whole draft)'),
      side: z
        .enum(DIFF_SIDES)
        .optional()
        .describe('With line: of the draft (default) or of what is published'),
      hash: seen,
    },
    draftDetails,
  ),
  publishDraft: describeStep('publish', 'Publish an approved draft.', 'review', { note }, publication),
  rebaseDraft: describeStep(
    'rebase',
    'Rebase a draft onto what is published now.',
    'write',
    {
      take: z.enum(['draft', 'published']).optional(),
      body: z.string().min(1).optional(),
      onto: z
        .string()
        .max(128)
        .optional()
        .describe('The hash of what is published that was seen; refused where that is another by now'),
    },
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
    route: ROUTES.libraryStatus,
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
  listModelUsage: describeUsage('listModelUsage', 'model', z.object({ models: z.array(modelUsage), next })),
  listDayUsage: describeUsage('listDayUsage', 'day', z.object({ days: z.array(dayUsage), next })),
  readItemUsage: describeAction({
    name: 'readItemUsage',
    door: 'library',
    summary:
      'How a file was used in each of its revisions, by day, and which of its constraints, by id or path; whether a revision helped.',
    scope: 'read',
    input: z.object({
      id: name,
      project: projectSpec,
      revision: z.number().int().min(1).optional().describe('Compared with before (default: the last)'),
      min_turns: thresholds.shape.min_turns,
    }),
    output: itemUsage,
    route: ROUTES.readItemUsage,
  }),
  reportUsage: describeAction({
    name: 'reportUsage',
    door: 'library',
    summary: 'Use of rules in one project, or in every project that is open to the caller; also as a file.',
    scope: 'read',
    input: z.object({
      by: z.enum(REPORTS).default('rule').describe('What a row is about (default rule)'),
      project: projectSpec,
      days,
      since: z.iso.date().optional().describe('Only from this day on (UTC), such as 2026-05-31'),
      agent: z.string().min(1).max(256).optional().describe('Only this agent'),
      model: z.string().min(1).max(256).optional().describe('Only this model'),
      rule: name.optional().describe('Only this rule, by id or path; needs a project'),
      only: z
        .enum(['dead', 'fought_over'])
        .optional()
        .describe('By rule: only those that are dead, or fought over'),
      ...thresholds.shape,
      format: z.enum(['json', 'csv', 'ndjson']).default('json').describe('Of the answer (default json)'),
    }),
    output: z.object({
      by: z.enum(REPORTS),
      /** From which day on evidence is counted; null where all there is. */
      since: z.string().nullable(),
      /** The first day in it that anything is on record of. */
      first_day: z.string().nullable(),
      /** Names of principals are replaced. */
      anonymous: z.boolean(),
      columns: z.array(z.string()),
      rows: z.array(z.union([ruleUsage, constraintUsage, agentUsage, modelUsage, dayUsage, projectUsage])),
    }),
    route: ROUTES.reportUsage,
  }),
  proveSession: describeAction({
    name: 'proveSession',
    door: 'library',
    summary: 'A file that proves, without the journal, which rules were in force, loaded and declared.',
    scope: 'admin',
    input: z.object({
      session: z.string().min(1).max(256).describe('By our id or by the id of its host'),
      content: z.boolean().default(false),
    }),
    output: z.object({
      session_id: z.string(),
      text: z.string(),
      entries: count,
      shown: count,
      loaded: count,
      declared: count,
      checkpoint: z.object({ seq: count, root: z.string() }),
      key: z.string(),
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
  importFiles: describeAction({
    name: 'importFiles',
    door: 'library',
    summary: 'Import Markdown files as drafts or published, or only say what that would do.',
    scope: 'write',
    input: z.object({
      project: projectSpec,
      files: z
        .array(z.object({ path: z.string().min(1).max(4096), content: z.string() }))
        .min(1)
        .max(1000),
      publish: z.boolean().default(false).describe('Publish at once, which needs the scope review'),
      dry_run: z.boolean().default(false).describe('Only report; nothing is changed'),
    }),
    output: importReport.extend({
      project: projectName,
      /** What becomes of each file that is not skipped. */
      files: z.array(
        z.object({ path: z.string(), result: z.enum(['created', 'updated', 'renamed', 'unchanged']) }),
      ),
    }),
    route: ROUTES.importFiles,
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
