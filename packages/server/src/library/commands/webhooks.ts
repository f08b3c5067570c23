import type { WebhookEventName } from '@infold/protocol';
import type { Decision } from '../../journal/journal.ts';
import { pauseAfter } from '../../kernel/clock.ts';
import type { WebhookEvent, WebhookProject } from '../events.ts';
import type { Webhook, WebhookDelivery } from '../queries/webhooks.ts';

export type WebhookDecision<Answer> = Decision<Answer> & { events: WebhookEvent[] };

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
/** After the first failure. It doubles with each one, up to an hour. */
const PAUSE = 5000;
/** What a receiver may ask for. */
export const LONGEST_WAIT = DAY;
/** How long it is tried. */
export const PATIENCE = 3 * DAY;
/** How often something is sent to a receiver that answers and does not want it: what comes after it should not wait for days. */
export const MOST_REFUSALS = 8;

/** What came of sending something. */
export interface ReceiverAnswer {
  /** Null where there was no answer. */
  status: number | null;
  /** Null where it was taken. */
  problem: string | null;
  /** Milliseconds that the receiver asked to be left alone for. */
  retryAfter?: number | undefined;
}

const NOTHING: WebhookDecision<null> = { events: [], answer: null };

/** What is configured, where the journal does not know it yet. `keep` is what a narrower choice of projects left waiting. */
export function configureWebhook(
  known: Webhook | undefined,
  wanted: { id: string; name: string; events: WebhookEventName[]; projects: string[] | null },
  keep: WebhookProject[] | null,
  isSweeping = false,
): WebhookDecision<null> {
  const { id, ...choice } = wanted;
  const isSame =
    known &&
    JSON.stringify([known.events, known.projects]) === JSON.stringify([choice.events, choice.projects]);
  if (isSame && !isSweeping) return NOTHING;
  const data = { webhook_id: id, ...choice, keep: known ? keep : null };
  return { events: [{ type: 'webhook.configured', data }], answer: null };
}

/** An answer that is about what was sent, and not about who sends or how the receiver is. */
function isRefusal(status: number | null): boolean {
  return (
    status !== null &&
    status >= 400 &&
    status < 500 &&
    ![401, 403, 404, 407, 408, 421, 425, 429].includes(status)
  );
}

/**
 * What becomes of a delivery after it was sent. It stays first in its line until it was taken or given up, so that everything
 * arrives in the order in which it happened.
 */
export function settleDelivery(
  webhook: Pick<Webhook, 'id' | 'failing_since' | 'failures'>,
  delivery: WebhookDelivery,
  outcome: ReceiverAnswer,
  { now, chance }: { now: number; chance: number },
): WebhookDecision<{ givenUp: boolean }> {
  const { seq, place, event } = delivery;
  const attempts = delivery.attempts + 1;
  const of = { webhook_id: webhook.id, delivery_id: delivery.id, seq, place, event, attempts };
  const { status, problem, retryAfter = 0 } = outcome;
  if (problem === null) {
    return {
      events: [{ type: 'webhook.delivered', data: { ...of, status: status ?? 0 } }],
      answer: { givenUp: false },
    };
  }
  const deadline = now - PATIENCE;
  const isTooOld = (webhook.failing_since ?? now) <= deadline && delivery.queued_at <= deadline;
  const isRefused = isRefusal(status) && attempts >= MOST_REFUSALS;
  // Who refused this one answers: the next one need not wait.
  const failures = isRefused ? 0 : webhook.failures + 1;
  const pause = isRefused
    ? 0
    : Math.max(
        pauseAfter(failures - 1, { every: PAUSE, longest: HOUR, chance }),
        Math.min(retryAfter, LONGEST_WAIT),
      );
  const data = {
    ...of,
    ...{ status, problem, failures, next_at: now + pause },
    given_up: isTooOld || isRefused,
    given_up_before: isTooOld ? deadline : null,
  };
  return { events: [{ type: 'webhook.failed', data }], answer: { givenUp: data.given_up } };
}

/** When it may be sent. A time that is too far away was written by a clock that was wrong. */
export function dueAt({ next_at }: Pick<Webhook, 'next_at'>, now: number): number {
  return next_at === null || next_at - now > LONGEST_WAIT + HOUR ? now : next_at;
}

export function retryDeliveries(
  webhook: Webhook,
  deliveryId: string | null,
  count: number,
): WebhookDecision<number> {
  if (count === 0 && (deliveryId !== null || webhook.failures === 0)) return { events: [], answer: 0 };
  const data = { webhook_id: webhook.id, delivery_id: deliveryId };
  return { events: [{ type: 'webhook.retried', data }], answer: count };
}
