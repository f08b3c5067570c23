import { META_PROMPT_PATH, type WebhookEventName } from '@infold/protocol';
import type { EventPlace, Projection } from '../../journal/projections/projector.ts';
import { digestHex } from '../../kernel/ids.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { FileChange } from '../events.ts';

/** Who is told what happens in libraries, and what they have not been told yet. */
const TABLES = `
CREATE TABLE library_webhook (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  events TEXT NOT NULL,
  projects TEXT,
  since INTEGER NOT NULL,
  delivered INTEGER NOT NULL DEFAULT 0,
  last_id TEXT,
  last_event TEXT,
  last_at INTEGER,
  failing_since INTEGER,
  failures INTEGER NOT NULL DEFAULT 0,
  problem TEXT,
  next_at INTEGER
) STRICT, WITHOUT ROWID;
-- What waits, and what was given up. What was delivered is not here any more.
CREATE TABLE library_webhook_delivery (
  webhook_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  place INTEGER NOT NULL,
  event TEXT NOT NULL,
  id TEXT NOT NULL,
  org TEXT NOT NULL,
  project_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- Since when it waits: later than it happened where it was given up before.
  queued_at INTEGER NOT NULL,
  given_up INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  problem TEXT,
  PRIMARY KEY (webhook_id, seq, place, event)
) STRICT, WITHOUT ROWID;
CREATE INDEX library_webhook_waiting ON library_webhook_delivery (webhook_id, given_up, seq, place, event);
-- Whose a workspace is.
CREATE TABLE library_webhook_workspace (
  id TEXT PRIMARY KEY,
  org TEXT NOT NULL,
  project_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- Drafts that others have heard of, until they are closed.
CREATE TABLE library_webhook_draft (
  id TEXT PRIMARY KEY,
  in_review INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

interface Workspace {
  workspace_id: string;
  org: string;
  project_id: string;
}

export const webhookProjection: Projection = {
  name: 'webhooks',
  version: 1,
  tables: TABLES,
  on: {
    'library.published': (database, published, place) => {
      keepWorkspace(database, published);
      for (const event of publicationEvents(published.source === 'restore', published.changes)) {
        queue(database, event, published.workspace_id, place);
      }
      for (const id of published.draft_ids) closeDraft(database, id);
    },
    'draft.staged': (database, draft, place) => {
      keepWorkspace(database, draft);
      changed(database, draft, place);
    },
    'draft.rebased': (database, draft, place) => changed(database, draft, place),
    'draft.submitted': (database, { draft_id, workspace_id }, place) => {
      database.run('INSERT OR REPLACE INTO library_webhook_draft (id, in_review) VALUES (?, 1)', draft_id);
      queue(database, 'draft.submitted', workspace_id, place);
    },
    'draft.discarded': (database, { draft_id, workspace_id }, place) => {
      if (closeDraft(database, draft_id)) queue(database, 'draft.withdrawn', workspace_id, place);
    },
    'draft.approved': (database, { workspace_id }, place) => {
      queue(database, 'review.approved', workspace_id, place);
    },
    'draft.declined': (database, { draft_id, workspace_id }, place) => {
      closeDraft(database, draft_id);
      queue(database, 'review.declined', workspace_id, place);
    },
    'draft.commented': (database, { workspace_id }, place) => {
      queue(database, 'review.commented', workspace_id, place);
    },

    'webhook.configured': (database, { webhook_id, name, events, projects, keep }, { entry }) => {
      database.run(
        `INSERT INTO library_webhook (id, name, events, projects, since) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (id) DO UPDATE SET name = ?2, events = ?3, projects = ?4`,
        ...[webhook_id, name, JSON.stringify(events), projects && JSON.stringify(projects), entry.at],
      );
      if (!keep) return;
      database.run(
        `DELETE FROM library_webhook_delivery WHERE webhook_id = ?1 AND given_up = 0 AND NOT EXISTS (
           SELECT 1 FROM json_each(?2) WHERE value ->> 'org' = org AND value ->> 'project_id' = project_id)`,
        ...[webhook_id, JSON.stringify(keep)],
      );
    },
    'webhook.removed': (database, { webhook_id }) => {
      database.run('DELETE FROM library_webhook WHERE id = ?', webhook_id);
      database.run('DELETE FROM library_webhook_delivery WHERE webhook_id = ?', webhook_id);
    },
    'webhook.delivered': (database, { webhook_id, delivery_id, seq, place, event }, { entry }) => {
      database.run(
        'DELETE FROM library_webhook_delivery WHERE webhook_id = ? AND seq = ? AND place = ? AND event = ?',
        ...[webhook_id, seq, place, event],
      );
      database.run(
        `UPDATE library_webhook SET delivered = delivered + 1, last_id = ?, last_event = ?, last_at = ?,
           failing_since = NULL, failures = 0, problem = NULL, next_at = NULL WHERE id = ?`,
        ...[delivery_id, event, entry.at, webhook_id],
      );
    },
    'webhook.failed': (database, failed, { entry }) => {
      const { webhook_id, seq, place, event, attempts, problem, failures, next_at } = failed;
      database.run(
        `UPDATE library_webhook_delivery SET attempts = ?, problem = ?, given_up = ?
         WHERE webhook_id = ? AND seq = ? AND place = ? AND event = ?`,
        ...[attempts, problem, failed.given_up ? 1 : 0, webhook_id, seq, place, event],
      );
      if (failed.given_up_before !== null) {
        database.run(
          `UPDATE library_webhook_delivery SET given_up = 1, problem = coalesce(problem, ?)
           WHERE webhook_id = ? AND given_up = 0 AND queued_at <= ?`,
          ...[problem, webhook_id, failed.given_up_before],
        );
      }
      database.run(
        `UPDATE library_webhook SET failing_since = coalesce(failing_since, ?), failures = ?, problem = ?, next_at = ?
         WHERE id = ?`,
        ...[entry.at, failures, problem, next_at, webhook_id],
      );
    },
    'webhook.retried': (database, { webhook_id, delivery_id }, { entry }) => {
      database.run(
        `UPDATE library_webhook_delivery SET given_up = 0, attempts = 0, queued_at = ?1
         WHERE webhook_id = ?2 AND given_up = 1 AND (?3 IS NULL OR id = ?3)`,
        ...[entry.at, webhook_id, delivery_id],
      );
      database.run(
        'UPDATE library_webhook SET failing_since = NULL, failures = 0, next_at = NULL WHERE id = ?',
        webhook_id,
      );
    },
  },
};

/** The meta prompt is told of by itself: it reaches every agent, whatever rules it loads. */
function publicationEvents(isRestored: boolean, changes: readonly FileChange[]): WebhookEventName[] {
  const isMeta = ({ path }: FileChange) => path === META_PROMPT_PATH;
  const ofRules: WebhookEventName = isRestored ? 'publication.restored' : 'publication.published';
  return [
    ...(changes.every(isMeta) ? [] : [ofRules]),
    ...(changes.some(isMeta) ? (['publication.meta_prompt'] as const) : []),
  ];
}

function keepWorkspace(database: Database, { workspace_id, org, project_id }: Workspace): void {
  database.run(
    'INSERT OR IGNORE INTO library_webhook_workspace (id, org, project_id) VALUES (?, ?, ?)',
    ...[workspace_id, org, project_id],
  );
}

/** What nobody has reviewed yet is the drafter's own affair. */
function changed(
  database: Database,
  { draft_id, workspace_id }: { draft_id: string; workspace_id: string },
  place: EventPlace,
): void {
  const count = database.run(
    'UPDATE library_webhook_draft SET in_review = 0 WHERE id = ? AND in_review = 1',
    draft_id,
  );
  if (count > 0) queue(database, 'draft.changed', workspace_id, place);
}

/** Answers whether others had heard of it. */
function closeDraft(database: Database, draftId: string): boolean {
  return database.run('DELETE FROM library_webhook_draft WHERE id = ?', draftId) > 0;
}

/** For every webhook that was there when it happened, under an id that follows from what happened. */
function queue(
  database: Database,
  event: WebhookEventName,
  workspaceId: string,
  { entry, index }: EventPlace,
): void {
  const webhooks = database.all<{ id: string }>(
    'SELECT id FROM library_webhook WHERE EXISTS (SELECT 1 FROM json_each(events) WHERE value = ?)',
    event,
  );
  if (webhooks.length === 0) return;
  const whose = database.get<{ org: string; project_id: string }>(
    'SELECT org, project_id FROM library_webhook_workspace WHERE id = ?',
    workspaceId,
  );
  if (!whose) return;
  for (const { id } of webhooks) {
    database.run(
      `INSERT INTO library_webhook_delivery (webhook_id, seq, place, event, id, org, project_id, at, queued_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)`,
      ...[id, entry.seq, index, event],
      `dlv_${digestHex(32, id, entry.id, String(index), event)}`,
      ...[whose.org, whose.project_id, entry.at],
    );
  }
}
