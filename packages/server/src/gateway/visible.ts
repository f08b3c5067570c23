import type { Visibility, VisibleEvent } from '../call/visible.ts';
import type { JournalEvent } from '../journal/journal.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { Caller } from '../trust/identity/caller.ts';
import { isPodOpen } from './access.ts';

/** What history shows: neither from which session it came nor what is under way. */
export const visibleOfPod: Visibility = ({ events }, caller, database) => ({
  events: events.flatMap((event) => shown(event, caller, database)),
});

function shown({ type, data }: JournalEvent, caller: Caller, database: Database): VisibleEvent[] {
  if (type !== 'envelope.accepted' && type !== 'context.concluded') return [];
  if (data.org !== caller.org || !isPodOpen(database, caller, data.pod)) return [];
  if (type === 'envelope.accepted') {
    const { pod, seq, epoch, tokens, envelope } = data;
    return [{ type, data: { pod, seq, epoch, tokens, envelope } }];
  }
  const { pod, id, type: kind, summary } = data;
  return [{ type, data: { pod, id, type: kind, summary } }];
}
