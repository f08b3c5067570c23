import { isoTime } from '../../kernel/clock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { projectById } from '../identity/queries.ts';
import type { Session } from './queries.ts';

const MOST_CANDIDATES = 10;

export function sessionNotFound(id: string): InfoldError {
  return new InfoldError('session_not_found', `Session not found: ${id} (unknown, ended, or not yours)`);
}

/** A write that names no session, without a connection that would: which one it is for is not guessed. */
export function sessionRequired(database: Database, live: readonly Session[]): InfoldError {
  const candidates = live.slice(0, MOST_CANDIDATES).map(({ id, org, project_id, last_at }) => ({
    session_id: id,
    project: projectById(database, org, project_id)?.name ?? project_id,
    last_at: isoTime(last_at),
  }));
  const ids = candidates.map(({ session_id, project }) => `${session_id} (${project})`).join(', ');
  const which = candidates.length === 0 ? '' : `, one of: ${ids}; or`;
  return new InfoldError(
    'session_required',
    `Nothing says which session this is for: pass session_id${which || ':'} the id of your host session, or any ` +
      'other of your own (letters, digits, "-", "_"), which begins one. context_branch begins one by itself',
    { details: { retryAction: 'pass_session_id', candidates } },
  );
}
