import type { Journal } from '../../journal/journal.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { randomId } from '../../kernel/ids.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { Caller } from '../caller.ts';
import { ensureProject, type ResolvedProject } from '../projects.ts';
import type { RateLimiter } from '../rate.ts';
import { sessionStream } from '../streams.ts';
import type { SessionEvent } from './events.ts';
import { findSession, isLive, type Lifetime, liveSessions, type Session, sessionById } from './queries.ts';

/**
 * What a client keeps open to us: a stdio process or a 2025-era HTTP session. A 2026-era request has one of its
 * own, which ends with it. A connection is bound to one session per project, by setup or by its first branch.
 */
export class Connection {
  /** The project that the connection was opened for, unless a call names another one. */
  readonly project: string | undefined;
  /** Whether sessions that it sets up in the library see drafts of other sessions (`stdio --drafts`). */
  drafts = false;
  readonly #bound = new Map<string, string>();
  readonly #starting = new Map<string, Promise<Session>>();

  constructor(project?: string) {
    this.project = project;
  }

  boundTo(projectId: string): string | undefined {
    return this.#bound.get(projectId);
  }

  bind(session: Session): void {
    this.#bound.set(session.project_id, session.id);
  }

  /** First calls at the same time share one beginning: each by itself would find no session and start its own. */
  startOnce(projectId: string, start: () => Promise<Session>): Promise<Session> {
    const begin = () =>
      start().then((session) => {
        this.bind(session);
        return session;
      });
    const starting = this.#starting.get(projectId) ?? begin();
    this.#starting.set(projectId, starting);
    return starting.finally(() => this.#starting.delete(projectId));
  }
}

export interface SessionQuestion extends Lifetime {
  caller: Caller;
  connection: Connection;
  project: ResolvedProject;
  /** The call's own `session_id`, which outranks everything else. */
  sessionId: string | undefined;
  /** Asked before a session begins. */
  limiter?: RateLimiter;
}

export type SessionLookup =
  | { kind: 'found'; session: Session }
  | { kind: 'none' }
  | { kind: 'unknown'; id: string }
  | { kind: 'several'; sessions: Session[] };

/** Which session a call belongs to: its own word, then the connection's, then the only one there is. */
export function lookUpSession(database: Database, question: SessionQuestion): SessionLookup {
  const { caller, connection, project, sessionId } = question;
  if (sessionId !== undefined) {
    const session = findSession(database, caller, sessionId, project.id);
    return session && isLive(session, question)
      ? { kind: 'found', session }
      : { kind: 'unknown', id: sessionId };
  }
  const boundId = connection.boundTo(project.id);
  const bound = boundId === undefined ? undefined : sessionById(database, boundId);
  if (bound && isLive(bound, question)) return { kind: 'found', session: bound };
  const live = liveSessions(database, caller, project.id, question, 10);
  if (live.length === 0) return { kind: 'none' };
  return live.length === 1 ? { kind: 'found', session: live[0]! } : { kind: 'several', sessions: live };
}

/** For reads: the session, or undefined when the call belongs to none. */
export function sessionIfAny(database: Database, question: SessionQuestion): Session | undefined {
  const lookup = lookUpSession(database, question);
  if (lookup.kind === 'unknown') throw sessionNotFound(lookup.id);
  return lookup.kind === 'found' ? lookup.session : undefined;
}

/**
 * For writes that may begin a session: the one that the call belongs to, or a new one. A `session_id` that we do
 * not know is the host's own name for a session that begins now.
 */
export async function sessionOrNew(journal: Journal, question: SessionQuestion): Promise<Session> {
  const lookup = lookUpSession(journal.database, question);
  const session = lookup.kind === 'found' ? lookup.session : await startOnce(journal, question);
  question.connection.bind(session);
  return session;
}

function startOnce(journal: Journal, question: SessionQuestion): Promise<Session> {
  const start = () => startSession(journal, question);
  // Calls that name a session find each other by that name.
  return question.sessionId === undefined
    ? question.connection.startOnce(question.project.id, start)
    : start();
}

async function startSession(journal: Journal, question: SessionQuestion): Promise<Session> {
  const { caller, project } = question;
  question.limiter?.spend(caller, 'sessions');
  const { org, principal } = caller;
  await ensureProject(journal, caller, project);
  const id = randomId('sess');
  const stream = sessionStream(org, principal, project.id, id);
  const { answer } = await journal.commit({
    stream,
    actor: caller.actor,
    decide: (database, now) => {
      // Of two first calls at the same time one starts the session and the other finds it here.
      const lookup = lookUpSession(database, question);
      if (lookup.kind === 'found') return { events: [], answer: lookup.session };
      const host_id = lookup.kind === 'unknown' ? lookup.id : null;
      const data = { session_id: id, org, principal, project_id: project.id, host_id };
      const started: SessionEvent = { type: 'session.started', data };
      const times = { started_at: now, last_at: now, ended_at: null };
      return { events: [started], answer: { id, org, principal, project_id: project.id, stream, ...times } };
    },
  });
  return answer;
}

export function sessionNotFound(id: string): InfoldError {
  return new InfoldError('session_not_found', `Session not found: ${id} (unknown, ended, or not yours)`);
}
