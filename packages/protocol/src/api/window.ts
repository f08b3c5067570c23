import { z } from 'zod';
import { ROUTES } from '../routes.ts';
import { describeAction, next, pageFields } from './shape.ts';

const count = z.number().int();
const time = z.string();
const name = z
  .string()
  .min(1)
  .max(128)
  .describe('Its id or a prefix of it, the host’s session id, or "last"');

const dollars = z.number();
const usage = z.object({
  input: count.describe('Neither read from the cache nor written to it'),
  cache_read: count,
  cache_write: count,
  cache_write_long: count.describe('The part of cache_write that is kept for an hour'),
  output: count,
});
const estimated = z.array(z.string()).describe('Fields that Infold estimated');

/** Totals of one conversation. */
const totals = z.object({
  requests: count,
  tokens: z.object({ asked: count, sent: count }),
  /** As the provider counted, for requests whose answer has usage. */
  usage: usage.extend({ requests: count, prompt: count }),
  /** For requests whose answer has usage and whose model has a price; null if there are none. */
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
  model: z.string().nullable().describe('The model of the last request'),
  forked_from: z.string().nullable(),
  enabled: z.boolean(),
  opened_at: time,
  last_at: time,
  seq: count.describe('Position of its last journal entry included here'),
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
  passed: z.string().nullable().describe('Why it was sent unchanged, if it was'),
  /** Null until it arrives. */
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
  handle: z.string().describe('Pass it to context_expand to read the original'),
  conversation: z.string().describe('The conversation it was made in: this one, or one that it continues'),
  at: time,
  turn: count.describe('The request it was made for'),
  rule: z.string(),
  tool: z.string(),
  tokens: z.object({ before: count, after: count }),
  text: z.string().nullable().describe('The placeholder; null if the decision brings something back'),
  is_held: z.boolean().describe('Whether the archive still has the original'),
});

const promptBlock = z.object({
  index: count,
  message: count.nullable().describe('Index of its message; null for what precedes the messages'),
  role: z.enum(['system', 'user', 'assistant']),
  kind: z.enum(['system', 'tools', 'text', 'call', 'result', 'other']),
  tool: z.string().nullable(),
  call: z.string().nullable().describe('The id of the call'),
  tokens: z.object({ asked: count, sent: count }).describe('Estimates; 0 sent if it left'),
  is_cached: z
    .boolean()
    .nullable()
    .describe('Read from the provider’s cache, judged by the share in its answer; null if that is unknown'),
  rule: z.string().nullable().describe('The rule by which it left or was replaced'),
  handle: z.string().nullable().describe('Pass it to context_expand to read the original'),
  preview: z.string().describe('Its beginning, at most 280 characters, without secrets'),
  instead: z.string().nullable().describe('The beginning of its placeholder'),
});

export const windowPrompt = z.object({
  turn: count.describe('The turn of this request'),
  at: time.nullable(),
  model: z.string().nullable(),
  context_window: count.nullable().describe('The model’s context window in tokens, if known'),
  is_kept: z.boolean().describe('False if this server does not hold it (any more); blocks is empty then'),
  blocks: z.array(promptBlock),
});

export const windowBlock = z.object({
  turn: count,
  index: count,
  text: z.string().describe('The whole text without secrets, at most 200,000 characters'),
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
  since: time.nullable().describe('Only requests since then; null for all'),
  requests: z.object({
    all: count,
    with_usage: count,
    /** In no sum below. */
    without_usage: count,
    unanswered: count,
    failed: count,
    passed: z.array(z.object({ reason: z.string(), count })),
  }),
  /** For requests whose answer has usage. */
  tokens: usage.extend({
    asked: count.describe('Estimate of what the host sent to Infold'),
    sent: count.describe('Estimate of what was sent to the provider'),
    prompt: count.describe('What the provider counted'),
    untouched: count.describe('What the provider would have counted without Infold'),
  }),
  cache_hit_share: z.number().nullable().describe('Share of all prompt tokens'),
  /** Summed over requests: what left one request is absent from every later one too. */
  gone: z.array(z.object({ rule: z.string(), decisions: count, requests: count, tokens: count })),
  money: z
    .object({ requests: count, unpriced: count, actual: dollars, untouched: dollars, saved: dollars })
    .nullable()
    .describe('US dollars; null if no answer has usage, or no model has a price'),
  entries: z.object({ first: count, last: count }),
  /** Null until one covers all of its entries. */
  checkpoint: checkpoint.nullable(),
  entries_to_go: count.nullable().describe('Entries until that checkpoint'),
  estimated,
});
/** Traffic to models since the server started. */
export const windowTraffic = z.object({
  answers: z.array(z.object({ upstream: z.string(), status: count.describe('0 if no answer came'), count })),
  /** Requests that passed unread, and why. */
  unread: z.array(z.object({ why: z.string(), count, bytes: count })),
  /** Requests that were sent unchanged because preparing them failed. */
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
    summary: 'The caller’s conversations with models, most recently used first.',
    scope: 'read',
    input: z.object(pageFields({ usual: 50, most: 200 })),
    output: z.object({
      windows: z.array(windowView),
      next,
      traffic: windowTraffic.optional().describe('Of all callers; only for the owner of the data folder'),
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
    summary: 'The turns of a conversation: what each request held, what left it, and the provider’s usage.',
    scope: 'read',
    input: z.object({ id: name, ...pageFields({ usual: 50, most: 200 }) }),
    output: z.object({ turns: z.array(windowTurnView), next }),
    route: ROUTES.listWindowTurns,
  }),
  listWindowDecisions: describeAction({
    name: 'listWindowDecisions',
    door: 'window',
    summary: 'The decisions of a conversation in order: what left, and its placeholder.',
    scope: 'read',
    input: z.object({ id: name, ...pageFields({ usual: 100, most: 500 }) }),
    output: z.object({ decisions: z.array(windowDecisionView), next }),
    route: ROUTES.listWindowDecisions,
  }),
  readWindowPrompt: describeAction({
    name: 'readWindowPrompt',
    door: 'window',
    summary: 'The last prompt of a conversation, block by block: as the host sent it, and as it was sent on.',
    scope: 'read',
    input: z.object({ id: name }),
    output: windowPrompt,
    route: ROUTES.readWindowPrompt,
  }),
  readWindowBlock: describeAction({
    name: 'readWindowBlock',
    door: 'window',
    summary: 'The whole text of one block of a conversation’s last prompt.',
    scope: 'read',
    input: z.object({ id: name, block: count.min(0).describe('Its index') }),
    output: windowBlock,
    route: ROUTES.readWindowBlock,
  }),
  readWindowReceipt: describeAction({
    name: 'readWindowReceipt',
    door: 'window',
    summary: 'What a conversation cost, what left it by which rule, and the checkpoint that covers it.',
    scope: 'read',
    input: z.object({
      id: name,
      since: count.min(0).optional().describe('Milliseconds since 1970: only requests since then'),
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
