import type { UploadedEvent } from '@infold/protocol/events';
import type { JournalEvent } from '../journal/journal.ts';
import { entriesOfPrincipal, entriesOfStream, FORGOTTEN_TEXT, type Forgetter } from '../trust/forget.ts';
import { sessionById } from '../trust/sessions/queries.ts';
import { reportItemId } from './events.ts';
import { contentHash } from './files/hashes.ts';

/** Of a draft whose content was forgotten; such a draft is never published. */
export const FORGOTTEN_HASH = contentHash(FORGOTTEN_TEXT);

/**
 * What agents and people said goes: summaries, reasons, queries, comments, drafts. What was published is the
 * team's and stays, and so does which rule was loaded or referred to.
 */
export const libraryForgetter: Forgetter = {
  entriesOf(database, target) {
    if (target.kind === 'session') {
      const session = sessionById(database, target.id);
      return session && entriesOfStream(database, session.stream);
    }
    if (target.kind !== 'principal') return undefined;
    const entries = entriesOfPrincipal(database, target);
    return entries.length > 0 ? entries : undefined;
  },
  redact(event, { kind, id }, { seq, index }) {
    // A report is an item of memory too, under an id that says where it stands.
    if (kind === 'item') {
      const isReport = event.type === 'attest.agent_report' && reportItemId(seq, index) === id;
      return isReport ? withoutText(event) : undefined;
    }
    if (kind !== 'session' && kind !== 'principal') return undefined;
    const session = 'session_id' in event.data ? event.data.session_id : undefined;
    if (kind === 'session' && session !== undefined && session !== id) return undefined;
    return withoutText(event);
  },
};

/** What an edge sent is what its agents did, less where they did it. */
function uploadedWithoutText(event: UploadedEvent): UploadedEvent {
  return (withoutText(event as JournalEvent) ?? event) as UploadedEvent;
}

function withoutText(event: JournalEvent): JournalEvent | undefined {
  switch (event.type) {
    case 'attest.discover':
      return { type: event.type, data: { ...event.data, query: null, result_names: [] } };
    case 'attest.instructions':
      return { type: event.type, data: { ...event.data, file: FORGOTTEN_TEXT } };
    case 'attest.refer': {
      const refs = event.data.refs.map((ref) => ({ ...ref, reason: null }));
      return { type: event.type, data: { ...event.data, refs } };
    }
    case 'attest.agent_report':
      return { type: event.type, data: { ...event.data, summary: FORGOTTEN_TEXT } };
    case 'attest.reject':
      return { type: event.type, data: { ...event.data, reason: null } };
    case 'hub.received': {
      const entries = event.data.entries.map((entry) => ({
        ...entry,
        events: entry.events.map(uploadedWithoutText),
      }));
      return { type: event.type, data: { ...event.data, entries } };
    }
    case 'draft.commented':
      return { type: event.type, data: { ...event.data, text: FORGOTTEN_TEXT } };
    case 'draft.approved':
    case 'draft.declined':
      return { type: event.type, data: { ...event.data, note: null } };
    case 'draft.staged':
    case 'draft.rebased': {
      const { text, ...rest } = event.data;
      const content = text === undefined ? {} : { text: FORGOTTEN_TEXT, hash: FORGOTTEN_HASH };
      return { type: event.type, data: { ...rest, description: null, file_description: null, ...content } };
    }
    default:
      return undefined;
  }
}
