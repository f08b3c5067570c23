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
  FILE_OPERATIONS,
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
import { evidenceApi } from './evidence.ts';
import { describeAction, next, pageFields, projectSpec } from './shape.ts';

const time = z.string();
const count = z.number().int();
const name = z.string().min(1).max(600);
const note = z.string().max(20_000).optional();
const folder = z.string().min(1).describe('Absolute path on the server’s machine');
/** The project that an answer is about. */
const projectName = z.string();

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
  op: z.enum(FILE_OPERATIONS),
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
  op: z.enum(FILE_OPERATIONS),
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
  /** Where its author’s own approval does not count (`library.selfApproval`). */
  self_approval: z.literal(false).optional(),
  /** The hub that decides about it, where the library is a copy of the hub’s. */
  hub: z.string().optional(),
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
    op: z.enum(FILE_OPERATIONS),
    id: z.string(),
    kind: z.enum(FILE_KINDS),
    path: z.string(),
    hash: z.string(),
  }),
);
const publication = z.object({ revision: count, changes });

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
  ...evidenceApi,
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
