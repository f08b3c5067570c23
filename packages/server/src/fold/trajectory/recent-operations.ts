import type { Journal } from '../../journal/journal.ts';
import type { OperationCompleted } from '../events.ts';
import { operationSeqs } from '../queries.ts';

/** What was done last in a session, in whichever branch, the newest first. */
export function recentOperations(journal: Journal, sessionId: string, most: number): OperationCompleted[] {
  const seqs = operationSeqs(journal.database, sessionId, 0, Number.MAX_SAFE_INTEGER)
    .sort((one, other) => one - other)
    .slice(-most);
  return journal
    .entriesAt(seqs)
    .sort((one, other) => one.seq - other.seq)
    .flatMap(({ events }) => events)
    .flatMap(({ type, data }) => (type === 'operation.completed' ? [data] : []))
    .filter(({ session_id }) => session_id === sessionId)
    .reverse()
    .slice(0, most);
}
