import { META_PROMPT_PATH, type WebhookEventName } from '@infold/protocol';
import type { Entry, Journal, JournalEvent } from '../../journal/journal.ts';
import { isoTime } from '../../kernel/clock.ts';
import type { WebhookConfig } from '../../kernel/webhook-config.ts';
import { projectById } from '../../trust/identity/queries.ts';
import type { LibraryPublished } from '../events.ts';
import { draftById } from '../queries/drafts.ts';
import type { WebhookDelivery } from '../queries/webhooks.ts';

/** A publication of thousands of files is told of by its first ones, and how many there were. */
const MOST_CHANGES = 1000;

export interface PayloadSources {
  journal: Pick<Journal, 'database' | 'entryAt'>;
  /** Where the console is. */
  console: string;
}

/** What a receiver is told: who did what where, and where to look. Texts stay here; comments go where the configuration says so. */
export function payloadOf(
  { journal, console }: PayloadSources,
  webhook: Pick<WebhookConfig, 'name' | 'comments'>,
  delivery: WebhookDelivery,
): object {
  const { org, project_id, seq, place, event } = delivery;
  const entry = journal.entryAt(seq);
  const happened = entry?.events[place];
  if (!entry || !happened) throw new Error(`There is no event ${place} of entry ${seq}`);
  const project = projectById(journal.database, org, project_id);
  const what = detailsOf(journal, happened, event, webhook.comments);
  return {
    id: delivery.id,
    event,
    at: isoTime(entry.at),
    webhook: webhook.name,
    org,
    project: { id: project_id, name: project?.name ?? null },
    principal: entry.actor.principal,
    ...(entry.actor.agent !== undefined && { agent: entry.actor.agent }),
    entry: placeOf(entry),
    ...what,
    link: linkTo(console, project_id, what),
  };
}

const placeOf = ({ seq, id }: Entry) => ({ seq, id });

interface Details {
  draft?: object & { id: string };
  review?: object;
  publication?: object & { revision: number };
}

function detailsOf(
  journal: PayloadSources['journal'],
  { type, data }: JournalEvent,
  event: WebhookEventName,
  hasComments: boolean,
): Details {
  if (type === 'library.published') return { publication: publicationOf(data, event, hasComments) };
  const { draft_id } = data as { draft_id: string };
  const draft = draftOf(journal, draft_id);
  if (type === 'draft.commented') {
    const { text, on } = data;
    const at = on && { side: on.side, line: on.line };
    return { draft, review: { ...(at && { on: at }), ...(hasComments && { comment: text }) } };
  }
  if (type === 'draft.approved' || type === 'draft.declined') {
    return { draft, review: { decision: type.slice(6), ...(hasComments && { comment: data.note }) } };
  }
  return { draft };
}

function draftOf({ database }: PayloadSources['journal'], id: string) {
  const draft = draftById(database, id);
  if (!draft) return { id };
  const { resource, op, kind, path, new_path, principal } = draft;
  return { id, resource, op, kind, path, new_path, principal };
}

function publicationOf(
  { revision, source, changes, draft_ids, note }: LibraryPublished,
  event: WebhookEventName,
  hasComments: boolean,
) {
  const isMeta = event === 'publication.meta_prompt';
  const told = changes.filter(({ path }) => (path === META_PROMPT_PATH) === isMeta);
  return {
    ...{ revision, source, draft_ids: draft_ids.slice(0, MOST_CHANGES) },
    ...(hasComments && { comment: note }),
    changes: told.slice(0, MOST_CHANGES).map(({ op, file_id, kind, path, previous_path, hash }) => ({
      ...{ op, id: file_id, kind, path, previous_path, hash },
    })),
    changes_total: told.length,
  };
}

function linkTo(console: string, project: string, { draft, publication }: Details): string {
  const query = new URLSearchParams({ project });
  if (draft) query.set('draft', draft.id);
  if (publication) query.set('revision', String(publication.revision));
  return `${console}/library/${draft ? 'drafts' : 'files'}?${query}`;
}
