import { z } from 'zod';
import { ROUTES } from '../routes.ts';
import { describeAction, projectSpec } from './shape.ts';

const count = z.number().int();
const pattern = z.string().min(1).max(256);
const principal = z.string().min(1).max(256);
const tag = z.string().min(1).max(256);

export const selection = z.object({
  paths: z.array(z.string()),
  tags: z.array(z.string()),
  revision: z.union([z.literal('latest'), count]),
});

/** What a project has from the organisation's library. */
export const selectionView = z.object({
  project: z.string(),
  workspace_id: z.string(),
  /** Null where it selects nothing. */
  selection: selection.nullable(),
  /** The organisation's library. */
  organisation: z.object({ project: z.string(), revision: count }),
  /** How many files of the library are selected ones. */
  files: count,
  /** Paths of selected files in whose place the project has files of its own. */
  overridden: z.array(z.string()),
  /** Whether what was published last has not arrived yet. */
  behind: z.boolean(),
});
export type SelectionView = z.infer<typeof selectionView>;

export const protection = z.object({
  pattern: z.string(),
  reviewers: z.array(z.string()),
  approvals: count,
});
const protections = z.object({ project: z.string(), protections: z.array(protection) });

/** What an organisation's library is to a project, and who must approve what. */
export const workspacesApi = {
  readSelection: describeAction({
    name: 'readSelection',
    door: 'library',
    summary: 'What a project selects from the organisation’s library.',
    scope: 'read',
    input: z.object({ project: projectSpec }),
    output: selectionView,
    route: ROUTES.readSelection,
  }),
  selectFiles: describeAction({
    name: 'selectFiles',
    door: 'library',
    summary:
      'Select files of the organisation’s library for a project, by path and tag, at the latest revision or one that stays.',
    scope: 'review',
    input: z.object({
      project: projectSpec,
      paths: z.array(pattern).max(100).default([]).describe('Patterns such as coding/** (default: any path)'),
      tags: z.array(tag).max(100).default([]).describe('Tags of which a file has one (default: any)'),
      revision: z
        .union([z.literal('latest'), z.number().int().min(1)])
        .default('latest')
        .describe('"latest", or a revision of the organisation’s library that stays'),
      none: z.boolean().default(false).describe('Select nothing any more'),
    }),
    output: selectionView.extend({ revision: count, changed: count }),
    route: ROUTES.selectFiles,
  }),
  listProtections: describeAction({
    name: 'listProtections',
    door: 'library',
    summary:
      'Which paths of a project’s library are protected, and who must approve what is published there.',
    scope: 'read',
    input: z.object({ project: projectSpec }),
    output: protections,
    route: ROUTES.listProtections,
  }),
  protectPaths: describeAction({
    name: 'protectPaths',
    door: 'library',
    summary: 'Protect the paths of a pattern, or lift that.',
    scope: 'admin',
    input: z.object({
      project: projectSpec,
      pattern,
      reviewers: z
        .array(principal)
        .max(100)
        .default([])
        .describe('Whose approval counts (default: anybody who may review)'),
      approvals: z.number().int().min(1).max(20).default(1).describe('How many are needed (default 1)'),
      none: z.boolean().default(false).describe('Lift the protection of this pattern'),
    }),
    output: protections,
    route: ROUTES.protectPaths,
  }),
};
