import { z } from 'zod';
import { ROUTES } from '../routes.ts';
import { describeAction } from './shape.ts';

/** What happens in a library, as receivers of webhooks are told it. */
export const WEBHOOK_EVENTS = [
  'draft.submitted',
  'draft.changed',
  'draft.withdrawn',
  'review.approved',
  'review.declined',
  'review.commented',
  'publication.published',
  'publication.restored',
  'publication.meta_prompt',
] as const;
export type WebhookEventName = (typeof WEBHOOK_EVENTS)[number];

/** All events of a kind at once, in a configuration: `draft.*`. */
export const WEBHOOK_GROUPS = ['draft.*', 'review.*', 'publication.*'] as const;

/** What a request carries besides its body. */
export const WEBHOOK_HEADERS = {
  event: 'Infold-Event',
  delivery: 'Infold-Delivery',
  signature: 'Infold-Signature',
} as const;

const count = z.number().int().min(0);
const time = z.string();

export const WEBHOOK_STATES = ['new', 'ready', 'failing', 'removed'] as const;

const failedDelivery = z.object({
  id: z.string(),
  event: z.enum(WEBHOOK_EVENTS),
  at: time,
  attempts: count,
  problem: z.string(),
});

const webhookStatus = z.object({
  id: z.string(),
  name: z.string(),
  /** Without what may be secret in it; null where it is not configured any more. */
  url: z.string().nullable(),
  events: z.array(z.enum(WEBHOOK_EVENTS)),
  projects: z.array(z.string()).nullable(),
  /** `new`: no server has started with it yet; `removed`: it is not in the configuration any more. */
  state: z.enum(WEBHOOK_STATES),
  /** What happened before that is not sent. */
  since: time.nullable(),
  waiting: count,
  delivered: count,
  given_up: count,
  last_delivery: z.object({ id: z.string(), event: z.enum(WEBHOOK_EVENTS), at: time }).nullable(),
  failing_since: time.nullable(),
  failures: count,
  problem: z.string().nullable(),
  next_attempt: time.nullable(),
  /** The newest that were given up. */
  failed: z.array(failedDelivery),
});
export type WebhookStatus = z.infer<typeof webhookStatus>;

const webhook = z.string().min(1).max(64).describe('The name of a webhook, or its id');

export const webhooksApi = {
  listWebhooks: describeAction({
    name: 'listWebhooks',
    door: 'library',
    summary: 'The webhooks of this server: what was delivered last, what waits, what failed.',
    scope: 'admin',
    input: z.object({}),
    output: z.object({ webhooks: z.array(webhookStatus) }),
    route: ROUTES.listWebhooks,
  }),
  testWebhook: describeAction({
    name: 'testWebhook',
    door: 'library',
    summary: 'Send a ping to a webhook now, and tell what its receiver answers.',
    scope: 'admin',
    input: z.object({ webhook }),
    output: z.object({
      webhook: z.string(),
      delivery: z.string(),
      ok: z.boolean(),
      status: z.number().int().nullable(),
      problem: z.string().nullable(),
      milliseconds: count,
    }),
    route: ROUTES.testWebhook,
  }),
  retryWebhook: describeAction({
    name: 'retryWebhook',
    door: 'library',
    summary: 'Queue what was given up again, under the same ids, and try a failing webhook at once.',
    scope: 'admin',
    input: z.object({
      webhook,
      delivery: z.string().min(1).max(64).optional().describe('Only the delivery with this id'),
    }),
    output: z.object({ webhook: z.string(), retried: count, waiting: count }),
    route: ROUTES.retryWebhook,
  }),
};
