import { InfoldError } from '../../kernel/errors.ts';
import type { SessionEvent } from './events.ts';
import { isLive, type Lifetime, type Session } from './queries.ts';

/** Ends a session whose lifetime is over. Each end is an event, so that a rebuild gives the same tables. */
export function expireSession(session: Session | undefined, lifetime: Lifetime): SessionEvent[] {
  if (!session || session.ended_at !== null || isLive(session, lifetime)) return [];
  return [{ type: 'session.expired', data: { session_id: session.id } }];
}

/** For what only an ended session allows. Ends it where no sweep has come by yet, and refuses while it lives. */
export function requireEnded(session: Session, lifetime: Lifetime): SessionEvent[] {
  if (!isLive(session, lifetime)) return expireSession(session, lifetime);
  // Another process has just written to it.
  throw new InfoldError('conflict', `Session ${session.id} is still in use; try again`, { retryable: true });
}

/** Gives a session the id that its host knows it by, unless either of them is taken. */
export function nameSession(
  session: Session,
  hostId: string,
  { names, holder }: { names: readonly string[]; holder: Session | undefined },
): SessionEvent[] {
  if (names.length > 0 || holder !== undefined) return [];
  return [{ type: 'session.named', data: { session_id: session.id, host_id: hostId } }];
}
