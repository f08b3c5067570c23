import type { WebhookEventName } from '../api/webhooks.ts';

/** A project of an organisation, as deliveries name theirs. */
export interface WebhookProject {
  org: string;
  project_id: string;
}

/** From here on, what happens in libraries is queued for this webhook. Its address and its secret are in the configuration alone. */
export interface WebhookConfigured {
  webhook_id: string;
  name: string;
  events: WebhookEventName[];
  /** As they are configured; null for all. */
  projects: string[] | null;
  /** What waits for other projects than these is not for this webhook; null where everything stays. */
  keep: WebhookProject[] | null;
}

/** Where a delivery comes from: an event of an entry, and what receivers call it. */
interface OfDelivery {
  webhook_id: string;
  delivery_id: string;
  seq: number;
  place: number;
  event: WebhookEventName;
  /** How often it was sent, this time included. */
  attempts: number;
}

export interface WebhookDelivered extends OfDelivery {
  /** What the receiver answered. */
  status: number;
}

export interface WebhookFailed extends OfDelivery {
  /** Null where there was no answer. */
  status: number | null;
  problem: string;
  /** Failures in a row, of whatever delivery. */
  failures: number;
  next_at: number;
  /** This one is not sent again by itself. */
  given_up: boolean;
  /** Nor is anything that has been waiting since then or longer; null where that is not said. */
  given_up_before: number | null;
}

/** What was given up waits again. */
export interface WebhookRetried {
  webhook_id: string;
  /** One delivery; null for all of them. */
  delivery_id: string | null;
}

export interface WebhookEvents {
  'webhook.configured': WebhookConfigured;
  'webhook.removed': { webhook_id: string };
  'webhook.delivered': WebhookDelivered;
  'webhook.failed': WebhookFailed;
  'webhook.retried': WebhookRetried;
}
