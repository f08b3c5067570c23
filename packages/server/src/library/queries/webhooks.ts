import type { WebhookEventName } from '@infold/protocol';
import type { Database } from '../../kernel/sqlite.ts';
import { projectById } from '../../trust/identity/queries.ts';
import type { WebhookProject } from '../events.ts';

/** A webhook as the journal knows it. */
export interface Webhook {
  id: string;
  name: string;
  events: WebhookEventName[];
  projects: string[] | null;
  since: number;
  delivered: number;
  last_id: string | null;
  last_event: WebhookEventName | null;
  last_at: number | null;
  failing_since: number | null;
  failures: number;
  problem: string | null;
  next_at: number | null;
}

export interface WebhookDelivery {
  webhook_id: string;
  seq: number;
  place: number;
  event: WebhookEventName;
  id: string;
  org: string;
  project_id: string;
  at: number;
  queued_at: number;
  given_up: number;
  attempts: number;
  problem: string | null;
}

type WebhookRow = Omit<Webhook, 'events' | 'projects'> & { events: string; projects: string | null };

const read = ({ events, projects, ...row }: WebhookRow): Webhook => ({
  ...row,
  events: JSON.parse(events) as WebhookEventName[],
  projects: projects === null ? null : (JSON.parse(projects) as string[]),
});

export function webhookById(database: Database, id: string): Webhook | undefined {
  const row = database.get<WebhookRow>('SELECT * FROM library_webhook WHERE id = ?', id);
  return row && read(row);
}

export function allWebhooks(database: Database): Webhook[] {
  return database.all<WebhookRow>('SELECT * FROM library_webhook ORDER BY name').map(read);
}

/** Of the projects that something waits for, those that a webhook is for; null for all. Names may be given later than things happen. */
export function projectsMeant(
  database: Database,
  webhookId: string,
  projects: readonly string[] | null | undefined,
): WebhookProject[] | null {
  if (!projects) return null;
  return database
    .all<WebhookProject>(
      'SELECT DISTINCT org, project_id FROM library_webhook_delivery WHERE webhook_id = ? AND given_up = 0',
      webhookId,
    )
    .filter(({ org, project_id }) => {
      const project = projectById(database, org, project_id);
      return [project_id, project?.name, project?.path].some((name) => name && projects.includes(name));
    });
}

const MEANT = `(?2 IS NULL OR EXISTS (
  SELECT 1 FROM json_each(?2) WHERE value ->> 'org' = org AND value ->> 'project_id' = project_id))`;

/** What is sent next: the oldest that waits, of the projects that are meant. */
export function nextDelivery(
  database: Database,
  webhookId: string,
  projects: readonly WebhookProject[] | null,
): WebhookDelivery | undefined {
  return database.get<WebhookDelivery>(
    `SELECT * FROM library_webhook_delivery WHERE webhook_id = ?1 AND given_up = 0 AND ${MEANT}
     ORDER BY seq, place, event LIMIT 1`,
    ...[webhookId, projects && JSON.stringify(projects)],
  );
}

/** The same delivery, if it still waits. */
export function waitingDelivery(
  database: Database,
  { webhook_id, seq, place, event }: Pick<WebhookDelivery, 'webhook_id' | 'seq' | 'place' | 'event'>,
): WebhookDelivery | undefined {
  return database.get<WebhookDelivery>(
    `SELECT * FROM library_webhook_delivery
     WHERE webhook_id = ? AND seq = ? AND place = ? AND event = ? AND given_up = 0`,
    ...[webhook_id, seq, place, event],
  );
}

/** How many wait, of the projects that are meant and of all of them. */
export function countWaitingDeliveries(
  database: Database,
  webhookId: string,
  projects: readonly WebhookProject[] | null,
): { meant: number; all: number } {
  return database.get<{ meant: number; all: number }>(
    `SELECT count(*) AS "all", coalesce(sum(${MEANT}), 0) AS meant
     FROM library_webhook_delivery WHERE webhook_id = ?1 AND given_up = 0`,
    ...[webhookId, projects && JSON.stringify(projects)],
  )!;
}

export function countGivenUp(
  database: Database,
  webhookId: string,
  deliveryId: string | null = null,
): number {
  return database.get<{ count: number }>(
    `SELECT count(*) AS count FROM library_webhook_delivery
     WHERE webhook_id = ?1 AND given_up = 1 AND (?2 IS NULL OR id = ?2)`,
    ...[webhookId, deliveryId],
  )!.count;
}

/** The newest ones first. */
export function givenUpDeliveries(database: Database, webhookId: string, limit: number): WebhookDelivery[] {
  return database.all<WebhookDelivery>(
    `SELECT * FROM library_webhook_delivery WHERE webhook_id = ? AND given_up = 1
     ORDER BY seq DESC, place DESC, event DESC LIMIT ?`,
    ...[webhookId, limit],
  );
}
