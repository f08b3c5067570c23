import { z } from 'zod';
import { ROUTES } from '../routes.ts';
import { describeAction, next, pageFields } from './shape.ts';

const count = z.number().int();
const time = z.string();
const name = z
  .string()
  .min(1)
  .max(128)
  .describe('Its id or a beginning of it, the host’s id of the session, or "last"');

const dollars = z.number();
const usage = z.object({
  input: count.describe('Neither read from the cache nor written to it'),
  cache_read: count,
  cache_write: count,
  cache_write_long: count.describe('Of those written, the ones that are kept for an hour'),
  output: count,
});
const estimated = z.array(z.string()).describe('Fields that nobody but us has reckoned');

/** What was asked of a model in one conversation, in all. */
const totals = z.object({
  requests: count,
  tokens: z.object({ asked: count, sent: count }),
  /** What the provider told, of the requests whose answer told something. */
  usage: usage.extend({ requests: count, prompt: count }),
  /** Of the requests whose answer told usage and whose model has a price; null where there are none. */
  money: z
    .object({ requests: count, actual: dollars, untouched: dollars, saved: dollars })
    .nullable()
    .describe('US dollars'),
  estimated,
});

export const windowView = z.object({
  id: z.string(),
  principal: z.string(),
  host: z.string().nullable(),
  host_session: z.string().nullable(),
  upstream: z.string(),
  dialect: z.string(),
  model: z.string().nullable().describe('The one that was asked last'),
  forked_from: z.string().nullable(),
  enabled: z.boolean(),
  opened_at: time,
  last_at: time,
  seq: count.describe('Of its last entry in the journal: these figures tell of no later one'),
  totals,
});

export const windowTurnView = z.object({
  turn: count,
  at: time,
  parent: z.object({ conversation: z.string(), turn: count }).nullable(),
  model: z.string().nullable(),
  messages: count,
  held: z.object({
    system: count,
    tools: count,
    text: count,
    results: z.array(z.object({ tool: z.string(), count, tokens: count })),
  }),
  gone: z.array(z.object({ rule: z.string(), count, tokens: count })),
  tokens: z.object({ asked: count, sent: count }),
  is_cold: z.boolean(),
  passed: z.string().nullable().describe('Why it was sent as it came, if it was'),
  /** Null while there is none. */
  answer: z
    .object({
      at: time,
      status: count,
      usage: usage.nullable(),
      milliseconds: z.object({ first: z.number(), all: z.number(), own: z.number() }),
      money: z.object({ actual: dollars, untouched: dollars }).nullable(),
    })
    .nullable(),
  estimated,
});

export const windowDecisionView = z.object({
  handle: z.string().describe('What brings the original back'),
  conversation: z.string().describe('The one it was taken in: this one, or one that it goes on from'),
  at: time,
  turn: count.describe('The request that it was taken for'),
  rule: z.string(),
  tool: z.string(),
  tokens: z.object({ before: count, after: count }),
  text: z.string().nullable().describe('What stands there instead; null where something came back'),
  is_held: z.boolean().describe('The archive still has the original'),
});

const promptBlock = z.object({
  index: count,
  message: count.nullable().describe('Its place among the messages; null for what stands before them'),
  role: z.enum(['system', 'user', 'assistant']),
  kind: z.enum(['system', 'tools', 'text', 'call', 'result', 'other']),
  tool: z.string().nullable(),
  call: z.string().nullable().describe('The id of the call'),
  tokens: z.object({ asked: count, sent: count }).describe('By estimate; nothing sent: it left'),
  is_cached: z
    .boolean()
    .nullable()
    .describe('Read from the provider’s cache, by the share that its answer told; null where it told none'),
  rule: z.string().nullable().describe('What it left or was replaced by'),
  handle: z.string().nullable().describe('What brings the original back'),
  preview: z.string().describe('Its beginning, at most 280 characters, without secrets'),
  instead: z.string().nullable().describe('The beginning of what stands there instead'),
});

export const windowPrompt = z.object({
  turn: count.describe('The request that it was'),
  at: time.nullable(),
  model: z.string().nullable(),
  context_window: count.nullable().describe('Tokens that the model takes, where that is known'),
  is_kept: z.boolean().describe('False: this server does not hold it (any more), and there are no blocks'),
  blocks: z.array(promptBlock),
});

export const windowBlock = z.object({
  turn: count,
  index: count,
  text: z.string().describe('All of it, without secrets; at most 200,000 characters'),
  instead: z.string().nullable(),
  is_cut: z.boolean(),
});

const checkpoint = z.object({
  number: count,
  seq: count,
  root: z.string(),
  key: z.string().describe('The key that signed it'),
});

export const windowReceipt = z.object({
  conversation: windowView.omit({ totals: true }),
  since: time.nullable().describe('It tells of the requests from then on; null: of all'),
  requests: z.object({
    all: count,
    with_usage: count,
    /** Nothing is claimed about these. */
    without_usage: count,
    unanswered: count,
    failed: count,
    passed: z.array(z.object({ reason: z.string(), count })),
  }),
  /** Of the requests whose answer told usage. */
  tokens: usage.extend({
    asked: count.describe('Our estimate of what the host asked to send'),
    sent: count.describe('Our estimate of what was sent'),
    prompt: count.describe('What the provider counted of that'),
    untouched: count.describe('What the provider would have counted'),
  }),
  cache_hit_share: z.number().nullable().describe('Of the tokens of all prompts'),
  /** Summed over requests: what left one request leaves every later one too. */
  gone: z.array(z.object({ rule: z.string(), decisions: count, requests: count, tokens: count })),
  money: z
    .object({ requests: count, unpriced: count, actual: dollars, untouched: dollars, saved: dollars })
    .nullable()
    .describe('US dollars; null where no answer told usage, or no model of it has a price'),
  entries: z.object({ first: count, last: count }),
  /** Null while there is none that covers all of its entries. */
  checkpoint: checkpoint.nullable(),
  entries_to_go: count.nullable().describe('Entries until the journal makes that checkpoint'),
  estimated,
});
/** What passed to models and how, since the server began. */
export const windowTraffic = z.object({
  answers: z.array(z.object({ upstream: z.string(), status: count.describe('0: there was none'), count })),
  /** Passed on without being looked at, and why. */
  unread: z.array(z.object({ why: z.string(), count, bytes: count })),
  /** Something went wrong here, and the original was sent in spite of it. */
  failed_open: z.array(z.object({ what: z.string(), count, last_at: time, last: z.string() })),
});
export type WindowTraffic = z.infer<typeof windowTraffic>;
export type WindowPrompt = z.infer<typeof windowPrompt>;
export type WindowBlock = z.infer<typeof windowBlock>;
export type WindowDecisionView = z.infer<typeof windowDecisionView>;
export type WindowReceipt = z.infer<typeof windowReceipt>;
export type WindowTurnView = z.infer<typeof windowTurnView>;
export type WindowView = z.infer<typeof windowView>;

export const windowApi = {
  listWindows: describeAction({
    name: 'listWindows',
    door: 'window',
    summary: 'The caller’s conversations with models, the one that was used last first.',
    scope: 'read',
    input: z.object(pageFields({ usual: 50, most: 200 })),
    output: z.object({
      windows: z.array(windowView),
      next,
      traffic: windowTraffic.optional().describe('Of everybody, for who owns the data folder'),
    }),
    route: ROUTES.listWindows,
  }),
  readWindow: describeAction({
    name: 'readWindow',
    door: 'window',
    summary: 'One conversation with a model, with its totals.',
    scope: 'read',
    input: z.object({ id: name }),
    output: windowView,
    route: ROUTES.readWindow,
  }),
  listWindowTurns: describeAction({
    name: 'listWindowTurns',
    door: 'window',
    summary: 'What the requests of a conversation held, what left them, and what the provider answered.',
    scope: 'read',
    input: z.object({ id: name, ...pageFields({ usual: 50, most: 200 }) }),
    output: z.object({ turns: z.array(windowTurnView), next }),
    route: ROUTES.listWindowTurns,
  }),
  listWindowDecisions: describeAction({
    name: 'listWindowDecisions',
    door: 'window',
    summary:
      'What left a conversation, in the order in which that was decided, and what stands there instead.',
    scope: 'read',
    input: z.object({ id: name, ...pageFields({ usual: 100, most: 500 }) }),
    output: z.object({ decisions: z.array(windowDecisionView), next }),
    route: ROUTES.listWindowDecisions,
  }),
  readWindowPrompt: describeAction({
    name: 'readWindowPrompt',
    door: 'window',
    summary: 'The last prompt of a conversation, block by block: as its host asked, and as it was sent.',
    scope: 'read',
    input: z.object({ id: name }),
    output: windowPrompt,
    route: ROUTES.readWindowPrompt,
  }),
  readWindowBlock: describeAction({
    name: 'readWindowBlock',
    door: 'window',
    summary: 'One block of the last prompt of a conversation, with all of its text.',
    scope: 'read',
    input: z.object({ id: name, block: count.min(0).describe('Its index') }),
    output: windowBlock,
    route: ROUTES.readWindowBlock,
  }),
  readWindowReceipt: describeAction({
    name: 'readWindowReceipt',
    door: 'window',
    summary: 'What a conversation cost, what left it by which rule, and the checkpoint that covers that.',
    scope: 'read',
    input: z.object({
      id: name,
      since: count
        .min(0)
        .optional()
        .describe('Milliseconds since 1970: tell of the requests from then on alone'),
    }),
    output: windowReceipt,
    route: ROUTES.readWindowReceipt,
  }),
  switchWindow: describeAction({
    name: 'switchWindow',
    door: 'window',
    summary: 'Turn the window off for one conversation, or on again.',
    scope: 'write',
    input: z.object({ id: name, enabled: z.boolean() }),
    output: windowView,
    route: ROUTES.switchWindow,
  }),
};
