import type { JournalEvent } from '../journal/journal.ts';
import {
  entriesMentioning,
  entriesOfOwner,
  entriesOfStream,
  FORGOTTEN_TEXT,
  type ForgetTarget,
  type Forgetter,
} from '../trust/forget.ts';
import { sessionById } from '../trust/sessions/queries.ts';
import { branchById, listBranches } from './queries.ts';

/**
 * Descriptions, prompts, summaries and what tools read and wrote go; the tree and its figures stay. What tools of other
 * branches read of the target goes too: the whole of it, since it cannot be told apart.
 */
export const foldForgetter: Forgetter = {
  namesOf(database, { kind, id }) {
    return kind === 'session' ? listBranches(database, id).map((branch) => branch.id) : [];
  },
  entriesOf(database, target) {
    if (target.kind !== 'branch') return entriesOfOwner(database, target);
    const branch = branchById(database, target.id);
    const session = branch && sessionById(database, branch.session_id);
    return session && entriesOfStream(database, session.stream);
  },
  mentionsOf: (database, target) => entriesMentioning(database, 'session', target),
  redact(event, target) {
    return speaksOf(event, target) || isAbout(event, target) ? withoutText(event) : undefined;
  },
};

function speaksOf({ type, data }: JournalEvent, { kind, names }: ForgetTarget): boolean {
  if (kind === 'principal' || !names) return false;
  if (type !== 'operation.completed' && type !== 'operation.collapsed') return false;
  const text = JSON.stringify(type === 'operation.completed' ? [data.input, data.output] : [data.summary]);
  return names.some((name) => text.includes(name));
}

/** Entries of a session or a principal are theirs as a whole; of a branch only the events that name it. */
function isAbout({ data }: JournalEvent, { kind, id }: ForgetTarget): boolean {
  if (kind === 'branch') return 'branch_id' in data && data.branch_id === id;
  if (kind === 'session') return 'session_id' in data && data.session_id === id;
  return kind === 'principal';
}

function withoutText(event: JournalEvent): JournalEvent | undefined {
  switch (event.type) {
    case 'branch.created':
      return { type: event.type, data: { ...event.data, description: FORGOTTEN_TEXT, prompt: '' } };
    case 'branch.folded':
      return { type: event.type, data: { ...event.data, summary: FORGOTTEN_TEXT } };
    case 'branch.returned_late':
      return { type: event.type, data: { ...event.data, summary: FORGOTTEN_TEXT } };
    case 'operation.completed': {
      const { input: _input, output: _output, ...rest } = event.data;
      return { type: event.type, data: rest };
    }
    case 'operation.collapsed': {
      const { summary: _summary, ...rest } = event.data;
      return { type: event.type, data: rest };
    }
    case 'session.bound':
      return { type: event.type, data: { ...event.data, folder: FORGOTTEN_TEXT, transcript: null } };
    default:
      return undefined;
  }
}
