import { briefEvent } from '../../call/brief-events.ts';
import type { VisibleEvent } from '../../call/visible.ts';
import type { Entry, Journal } from '../../journal/journal.ts';
import { isoTime } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { Session } from '../../trust/sessions/queries.ts';
import type { FoldEvent } from '../events.ts';
import { type Branch, contextHeaderOf, foldState, openPath } from '../queries.ts';

/**
 * FOLD-14: the state of a session as seed 003 has it in NATS. Keys are `{owner}.{project}.{session}.branches.{id}`,
 * `….events.{type}.{seq}.{place}` and `….meta.session_state`. The bucket of a cluster and `/api/state` hold the same values.
 */
export interface StateValue {
  /** Without the session's own part. */
  key: string;
  value: Record<string, unknown> & {
    /** The position of the journal that it says: a value never gives way to one of an earlier position. */
    seq: number;
  };
}

const LOGGED = ['branch.created', 'branch.folded', 'branch.rolled_back', 'operation.completed'] as const;

export const SESSION_STATE = 'meta.session_state';

/** `{owner}.{project}.{session}`, as the session's stream has them. */
export function stateRoot({ stream }: Pick<Session, 'stream'>): string {
  return stream.slice(stream.indexOf('.') + 1);
}

/** Whether the event is in the session's log. */
export function isLogged(type: string): type is FoldEvent['type'] {
  return (LOGGED as readonly string[]).includes(type);
}

export function branchKey(id: string): string {
  return `branches.${id}`;
}

export function eventKey(type: string, seq: number, place: number): string {
  return `events.${type}.${seq}.${place}`;
}

/** What the branch was told to do is in the journal alone. */
export function branchState(journal: Pick<Journal, 'entryAt' | 'head'>, branch: Branch): StateValue {
  return {
    key: branchKey(branch.id),
    value: branchValue(branch, promptOf(journal, branch), journal.head().seq),
  };
}

export function branchValue(branch: Branch, prompt: string, seq: number): StateValue['value'] {
  const { id, description, parent_id, status, tokens, ended_at, summary, tokens_folded } = branch;
  const ended = ended_at === null ? null : isoTime(ended_at);
  return {
    ...{ id, description, prompt, parent_id, status, created_at: isoTime(branch.created_at), tokens },
    ...(status === 'folded' ? { folded_at: ended, summary, tokens_folded } : {}),
    ...(status === 'discarded' || status === 'expired' ? { ended_at: ended } : {}),
    seq,
  };
}

function promptOf(journal: Pick<Journal, 'entryAt'>, { id, created_seq }: Branch): string {
  for (const { type, data } of journal.entryAt(created_seq)?.events ?? []) {
    if (type === 'branch.created' && data.branch_id === id) return data.prompt;
  }
  return '';
}

/** Which branch is active and how deep it is, with the figures of the `X-Context-State` header. */
export function sessionState(
  { database, head }: { database: Database; head: number },
  sessionId: string,
  contextLimit: number,
): StateValue {
  const path = openPath(database, sessionId).map(({ id }) => id);
  return {
    key: SESSION_STATE,
    value: {
      ...contextHeaderOf(foldState(database, sessionId), contextLimit),
      branch_path: ['main', ...path],
      seq: head,
    },
  };
}

/** An event without what calls were given and answered. */
export function eventState(
  { seq, at }: Pick<Entry, 'seq' | 'at'>,
  event: VisibleEvent,
  place: number,
): StateValue {
  const { type, data } = briefEvent(event);
  return { key: eventKey(type, seq, place), value: { type, at: isoTime(at), data, place, seq } };
}
