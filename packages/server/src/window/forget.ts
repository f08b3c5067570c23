import { branchById } from '../fold/queries.ts';
import type { JournalEvent } from '../journal/journal.ts';
import type { Database } from '../kernel/sqlite.ts';
import { entriesOfStream, FORGOTTEN_TEXT, type ForgetTarget, type Forgetter } from '../trust/forget.ts';
import { namesOf, sessionById, sessionsOfPrincipal } from '../trust/sessions/queries.ts';
import type { WindowCollapsed } from './events.ts';
import {
  conversationById,
  conversationsOfHostSession,
  conversationsOfPrincipal,
  type WindowConversation,
} from './queries.ts';

/**
 * What was left in place of results goes, with everything by which a text or the host's session could be recognised; the
 * figures stay. A host that goes on sends it all again, in what is a new conversation here.
 */
export const windowForgetter: Forgetter = {
  namesOf: (database, target) => conversationsOfTarget(database, target).map(({ id }) => id),
  entriesOf(database, target) {
    const conversations = conversationsOfTarget(database, target);
    if (conversations.length === 0) return undefined;
    return conversations.flatMap(({ stream }) => entriesOfStream(database, stream));
  },
  redact(event, { names = [] }) {
    const { conversation } = event.data as { conversation?: string };
    return conversation !== undefined && names.includes(conversation) ? withoutText(event) : undefined;
  },
};

/**
 * A session is named by our id of it; by the host's, or by that of a conversation, where the host talks to a model and never
 * to us.
 */
export function conversationsOfTarget(
  database: Database,
  { kind, id, org }: ForgetTarget,
): WindowConversation[] {
  if (kind === 'principal') return conversationsOfPrincipal(database, { org, principal: id });
  if (kind !== 'session') return [];
  const conversation = conversationById(database, id);
  if (conversation) return conversation.org === org ? [conversation] : [];
  const session = sessionById(database, id);
  if (!session) return conversationsOfHostSession(database, { org, principal: null }, id);
  return namesOf(database, session.id).flatMap((name) => conversationsOfHostSession(database, session, name));
}

/** What originals are archived under: conversations, and sessions whose hooks archived what tools gave. */
export function archivedUnder(database: Database, target: ForgetTarget): string[] {
  const conversations = conversationsOfTarget(database, target).map(({ id }) => id);
  const { kind, id, org } = target;
  if (kind === 'session') return [...conversations, id];
  if (kind === 'principal') return [...conversations, ...sessionsOfPrincipal(database, org, id)];
  // Which of a session's outputs were a branch's is not known: it is a cache, and all of them go.
  const branch = kind === 'branch' ? branchById(database, id) : undefined;
  return branch ? [...conversations, branch.session_id] : conversations;
}

/** How hosts name the sessions that a target means. */
export function hostNamesOf(database: Database, target: ForgetTarget): string[] {
  const named = archivedUnder(database, target).flatMap((id) => namesOf(database, id));
  return target.kind === 'session' ? [...named, target.id] : named;
}

function withoutText({ type, data }: JournalEvent): JournalEvent | undefined {
  switch (type) {
    case 'window.opened':
      return { type, data: { ...data, key: FORGOTTEN_TEXT, host_session: null } };
    case 'window.asked':
      return {
        type,
        data: {
          ...data,
          digest: FORGOTTEN_TEXT,
          system_digest: FORGOTTEN_TEXT,
          tools_digest: FORGOTTEN_TEXT,
        },
      };
    case 'window.collapsed':
      return { type, data: { ...data, anchors: [], effect: effectWithoutText(data.effect) } };
    default:
      return undefined;
  }
}

function effectWithoutText(effect: WindowCollapsed['effect']): WindowCollapsed['effect'] {
  return 'text' in effect ? { kind: effect.kind, text: FORGOTTEN_TEXT } : { kind: effect.kind };
}
