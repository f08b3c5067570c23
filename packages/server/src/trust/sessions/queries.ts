import type { HostName } from '@infold/protocol';
import type { Clock } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import type { Database, SqlValue } from '../../kernel/sqlite.ts';
import { admits } from '../access/rule.ts';
import type { Caller } from '../identity/caller.ts';

export interface Session {
  id: string;
  org: string;
  principal: string;
  project_id: string;
  stream: string;
  started_at: number;
  last_at: number;
  ended_at: number | null;
}

export type Lifetime = { now: number; lifetime: number };

/** How long sessions live, and what time it is. */
export function lifetimeIn({ clock, config }: { clock: Clock; config: Pick<Config, 'limits'> }): Lifetime {
  return { now: clock(), lifetime: config.limits.sessionLifetime };
}

export function isLive(session: Session, { now, lifetime }: Lifetime): boolean {
  return session.ended_at === null && session.last_at > now - lifetime;
}

/**
 * By our own id or by the host's. Another principal's session, or one of a project that is not open to the caller,
 * is answered as if it were not there.
 */
export function findSession(
  database: Database,
  caller: Caller,
  id: string,
  projectId: string | undefined,
): Session | undefined {
  // Names first: an ended session's own id becomes the name of the session that took its place.
  const session = sessionByName(database, caller, id, projectId) ?? sessionOfCaller(database, caller, id);
  return session && admits(caller, { kind: 'session', ...session }).allowed ? session : undefined;
}

function sessionOfCaller(database: Database, caller: Caller, id: string): Session | undefined {
  return database.get<Session>(
    'SELECT * FROM session WHERE id = ? AND org = ? AND principal = ?',
    id,
    caller.org,
    caller.principal,
  );
}

function sessionByName(
  database: Database,
  caller: Caller,
  id: string,
  projectId: string | undefined,
): Session | undefined {
  return database.get<Session>(
    `SELECT session.* FROM session_name AS name JOIN session ON session.id = name.session_id
     WHERE name.org = ? AND name.principal = ? AND name.host_id = ?
     ORDER BY name.project_id = ? DESC, session.last_at DESC LIMIT 1`,
    caller.org,
    caller.principal,
    id,
    projectId ?? '',
  );
}

/** The session whose stream this is. */
export function sessionOfStream(database: Database, stream: string): Session | undefined {
  return database.get<Session>('SELECT * FROM session WHERE stream = ?', stream);
}

export function sessionById(database: Database, id: string): Session | undefined {
  return database.get<Session>('SELECT * FROM session WHERE id = ?', id);
}

/** Of everybody, for who owns the data folder: the one that was used last first. */
export function latestSessions(database: Database, most: number): Session[] {
  return database.all<Session>('SELECT * FROM session ORDER BY last_at DESC, id LIMIT ?', most);
}

/** By our id or by the host's, whoever's it is: for who owns the data folder. */
export function anySessionNamed(database: Database, id: string): Session | undefined {
  return (
    sessionById(database, id) ??
    database.get<Session>(
      `SELECT session.* FROM session JOIN session_name AS name ON name.session_id = session.id
       WHERE name.host_id = ? ORDER BY session.last_at DESC LIMIT 1`,
      id,
    )
  );
}

/** False once the session's end is on record. */
export function isOpen(database: Database, id: string): boolean {
  return database.get('SELECT 1 FROM session WHERE id = ? AND ended_at IS NULL', id) !== undefined;
}

/** The live sessions of a principal that are open to the caller, the newest first. */
export function liveSessions(database: Database, caller: Caller, { now, lifetime }: Lifetime): Session[] {
  return database
    .all<Session>(
      'SELECT * FROM session WHERE org = ? AND principal = ? AND ended_at IS NULL AND last_at > ? LIMIT 1000',
      caller.org,
      caller.principal,
      now - lifetime,
    )
    .filter((session) => admits(caller, { kind: 'session', ...session }).allowed)
    .sort((one, other) => other.last_at - one.last_at);
}

/** Where a page of sessions ended: in the order of last use, and among those of the same moment by id. */
export interface SessionCursor {
  at: number;
  id: string;
}

/** Undefined for a text that is no cursor. */
export function sessionCursor(text: string): SessionCursor | undefined {
  const match = /^(\d{1,15})\.(\w{1,64})$/.exec(text);
  return match ? { at: Number(match[1]), id: match[2]! } : undefined;
}

/** The caller's own sessions of one project, or of all that are open to it, and `others` of its own by id; newest first. */
export function ownSessions(
  database: Database,
  caller: Caller,
  page: {
    projectId: string | undefined;
    others: readonly string[];
    /** Words of our id or the host's: all of them. */
    words: readonly string[];
    limit: number;
    after: SessionCursor | undefined;
  },
): { sessions: Session[]; next: string | null } {
  const rows = database.all<Session>(
    `SELECT * FROM session WHERE org = ?1 AND principal = ?2
       AND (?3 IS NULL OR project_id = ?3 OR id IN (SELECT value FROM json_each(?8)))
       AND (?4 IS NULL OR project_id IN (SELECT value FROM json_each(?4)))
       AND (last_at < ?5 OR (last_at = ?5 AND id < ?6))
       AND ${hasWords(
         "session.id || ' ' || coalesce((SELECT group_concat(host_id, ' ') FROM session_name WHERE session_id = session.id), '')",
         '?9',
       )} ORDER BY last_at DESC, id DESC LIMIT ?7`,
    caller.org,
    caller.principal,
    page.projectId ?? null,
    caller.projects === null ? null : JSON.stringify(caller.projects),
    page.after?.at ?? Number.MAX_SAFE_INTEGER,
    page.after?.id ?? '',
    page.limit + 1,
    JSON.stringify(page.others),
    JSON.stringify(page.words),
  );
  const sessions = rows.slice(0, page.limit);
  const last = rows.length > page.limit ? sessions.at(-1)! : undefined;
  return { sessions, next: last ? `${last.last_at}.${last.id}` : null };
}

/** Sessions that have not ended and were used since then, of everyone. */
export function sessionsSince(database: Database, since: number): Session[] {
  return database.all<Session>(
    'SELECT * FROM session WHERE ended_at IS NULL AND last_at > ? ORDER BY started_at, id',
    since,
  );
}

/** Sessions that have not ended and were last used by then, of everyone. */
export function sessionsUntil(database: Database, until: number, most: number): Session[] {
  return database.all<Session>(
    'SELECT * FROM session WHERE ended_at IS NULL AND last_at <= ? ORDER BY last_at LIMIT ?',
    until,
    most,
  );
}

/** The ids of all of them, ended ones too. */
export function sessionsOfPrincipal(database: Database, org: string, principal: string): string[] {
  return database
    .all<{ id: string }>('SELECT id FROM session WHERE org = ? AND principal = ?', org, principal)
    .map(({ id }) => id);
}

/** Whether somebody of this name has a token, revoked ones too, or was ever at work here. */
export function isPrincipal(database: Database, org: string, name: string): boolean {
  return (
    database.get(
      `SELECT 1 FROM identity_token WHERE org = ?1 AND name = ?2
       UNION ALL SELECT 1 FROM session WHERE org = ?1 AND principal = ?2 LIMIT 1`,
      org,
      name,
    ) !== undefined
  );
}

/** The principal's sessions whose host's id, and an underscore, a name begins with; with the rest of the name. */
export function sessionsWithNameIn(
  database: Database,
  { org, principal }: Pick<Caller, 'org' | 'principal'>,
  name: string,
): { session_id: string; rest: string }[] {
  return database.all(
    `SELECT session_id, substr(?3, length(host_id) + 2) AS rest FROM session_name
     WHERE org = ?1 AND principal = ?2 AND substr(?3, 1, length(host_id) + 1) = host_id || '_'`,
    org,
    principal,
    name,
  );
}

/** An SQL condition: the session that the column names has not ended. For queries of other doors about what is theirs. */
export const sessionIsOpen = (column: string) =>
  `EXISTS (SELECT 1 FROM session WHERE session.id = ${column} AND ended_at IS NULL)`;

/** The same: it is of the organisation ?1 and the principal ?2, and of one of the projects ?3 (as JSON; null for all). */
export const sessionIsOwn = (column: string) =>
  `EXISTS (SELECT 1 FROM session WHERE session.id = ${column} AND org = ?1 AND principal = ?2
     AND (?3 IS NULL OR project_id IN (SELECT value FROM json_each(?3))))`;

/** An SQL condition: the text has every word of a list (as JSON), in any order, whether small or capital. */
export const hasWords = (text: string, words: string) =>
  `NOT EXISTS (SELECT 1 FROM json_each(${words}) AS word WHERE instr(lower(${text}), lower(word.value)) = 0)`;

/** The host's names of a session. */
export function namesOf(database: Database, sessionId: string): string[] {
  return database
    .all<{ host_id: string }>(
      'SELECT host_id FROM session_name WHERE session_id = ? ORDER BY host_id',
      sessionId,
    )
    .map((row) => row.host_id);
}

export function hostIdOf(database: Database, sessionId: string): string | null {
  return namesOf(database, sessionId)[0] ?? null;
}

/** Where a session's host has it. */
export interface SessionHost {
  host: HostName;
  folder: string;
  transcript: string | null;
  bound_at: number;
  is_compacted: number;
  is_woken: number;
  is_left: number;
}

/** Undefined where no hook has spoken of it. */
export function hostOf(database: Database, sessionId: string): SessionHost | undefined {
  return database.get<SessionHost & Record<string, SqlValue>>(
    'SELECT host, folder, transcript, bound_at, is_compacted, is_woken, is_left FROM session_host WHERE session_id = ?',
    sessionId,
  );
}

/**
 * The host's name of the only session that it has open, in a project where one is named: undefined where it has none, or several.
 * What its hooks told says which are open.
 */
export function onlyOpenIn(
  database: Database,
  { org, principal }: Caller,
  host: HostName,
  projectId: string | undefined,
  { now, lifetime }: Lifetime,
): string | undefined {
  const rows = database.all<{ id: string }>(
    `SELECT session.id FROM session JOIN session_host ON session_id = session.id
     WHERE org = ?1 AND principal = ?2 AND ended_at IS NULL AND last_at > ?3 AND host = ?4 AND is_left = 0
       AND (?5 IS NULL OR project_id = ?5) LIMIT 2`,
    ...[org, principal, now - lifetime, host, projectId ?? null],
  );
  return rows.length === 1 ? (hostIdOf(database, rows[0]!.id) ?? undefined) : undefined;
}

/** Which of these the session's model was shown already. */
export function toldOf(database: Database, sessionId: string, ids: readonly string[]): Set<string> {
  const rows = database.all<{ id: string }>(
    'SELECT id FROM session_told WHERE session_id = ? AND id IN (SELECT value FROM json_each(?))',
    sessionId,
    JSON.stringify(ids),
  );
  return new Set(rows.map(({ id }) => id));
}
