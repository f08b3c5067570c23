import { z } from 'zod';
import { FILE_KINDS, FILE_OPERATIONS } from '../library.ts';
import { ROUTES } from '../routes.ts';
import { describeAction, next, pageFields, projectSpec } from './shape.ts';

/** What agents did with rules: turns, how often each rule was loaded and referred to, and proofs of it. */

const time = z.string();
const count = z.number().int();
const name = z.string().min(1).max(600);
const days = z.number().int().min(1).max(3650).optional().describe('Only the last N days (default: all)');
/** The project that an answer is about. */
const projectName = z.string();

/** What a row of a report can be about. */
export const REPORTS = ['rule', 'constraint', 'project', 'agent', 'model', 'day'] as const;

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
      op: z.enum(FILE_OPERATIONS),
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

export const evidenceApi = {
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
      since: z.iso
        .date('is a day such as 2026-05-31')
        .optional()
        .describe('Only from this day on (UTC), such as 2026-05-31'),
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
};
