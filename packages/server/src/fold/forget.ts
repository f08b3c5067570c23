import type { JournalEvent } from '../journal/journal.ts';
import { entriesOfOwner, entriesOfStream, type ForgetTarget, type Forgetter } from '../trust/forget.ts';
import { sessionById } from '../trust/sessions/queries.ts';
import type { FoldEvent } from './events.ts';
import { branchById } from './queries.ts';

export const FORGOTTEN_TEXT = '[forgotten]';

/** Descriptions, prompts, summaries and what tools read and wrote go; the tree and its figures stay. */
export const foldForgetter: Forgetter = {
  entriesOf(database, target) {
    if (target.kind !== 'branch') return entriesOfOwner(database, target);
    const branch = branchById(database, target.id);
    const session = branch && sessionById(database, branch.session_id);
    return session && entriesOfStream(database, session.stream);
  },
  redact(event, target) {
    return isAbout(event, target) ? withoutText(event as FoldEvent) : undefined;
  },
};

/** Entries of a session or a principal are theirs as a whole; of a branch only the events that name it. */
function isAbout({ data }: JournalEvent, { kind, id }: ForgetTarget): boolean {
  if (kind === 'branch') return (data as { branch_id?: unknown }).branch_id === id;
  return kind === 'session' || kind === 'principal';
}

function withoutText(event: FoldEvent): JournalEvent | undefined {
  switch (event.type) {
    case 'branch.created':
      return { type: event.type, data: { ...event.data, description: FORGOTTEN_TEXT, prompt: '' } };
    case 'branch.folded':
      return { type: event.type, data: { ...event.data, summary: FORGOTTEN_TEXT } };
    case 'operation.completed': {
      const { input: _input, output: _output, ...rest } = event.data;
      return { type: event.type, data: rest };
    }
    default:
      return undefined;
  }
}
