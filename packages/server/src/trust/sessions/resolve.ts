import type { Committed, Decision, Journal } from '../../journal/journal.ts';
import type { InfoldError } from '../../kernel/errors.ts';
import { randomId } from '../../kernel/ids.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { Caller } from '../identity/caller.ts';
import { projectEvents, type ResolvedProject } from '../identity/projects.ts';
import type { RateLimiter } from '../limits/rate.ts';
import { sessionStream } from '../streams.ts';
import { sessionNotFound, sessionRequired } from './errors.ts';
import type { SessionEvent } from './events.ts';
import { findSession, isLive, type Lifetime, liveSessions, type Session, sessionById } from './queries.ts';

/**
 * What a client keeps open to us: a stdio process or a 2025-era HTTP session. It has one session, whatever project its
 * calls name, and never another connection's unless somebody names that one.
 */
export class Connection {
  /** The project that the connection was opened for, unless a call names another one. */
  readonly project: string | undefined;
  /** False for a request that stands alone: nothing that it is bound to would be there for the next one. */
  readonly isKept: boolean;
  /** Whether it was opened for one session of the host, which nothing that is told later changes (`stdio --session`). */
  readonly isFixed: boolean;
  /** The host's own id of its session, where it told one when it opened the connection. */
  hostSession: string | undefined;
  /** Whether sessions that it sets up in the library see drafts of other sessions (`stdio --drafts`). */
  drafts = false;
  #session: string | undefined;
  #starting: Promise<unknown> | undefined;

  constructor(project?: string, options: { hostSession?: string | undefined; isKept?: boolean } = {}) {
    this.project = project;
    this.hostSession = options.hostSession;
    this.isFixed = options.hostSession !== undefined;
    this.isKept = options.isKept ?? true;
  }

  /** For a request without a connection: the 2026-07-28 era over HTTP, and older clients that never began one. */
  static alone(project?: string): Connection {
    return new Connection(project, { isKept: false });
  }

  get session(): string | undefined {
    return this.#session;
  }

  bind(session: Session): void {
    this.#session = session.id;
  }

  /** The host goes on with this session of its own: so does the connection, whatever it wrote to before. */
  follow(hostSession: string): void {
    if (hostSession === this.hostSession) return;
    this.hostSession = hostSession;
    this.#session = undefined;
  }

  /** First calls at the same time share one beginning: who finds another's under way waits for it, and looks again. */
  async startOnce<Begun>(start: () => Promise<Begun>): Promise<Begun | undefined> {
    if (this.#starting) {
      await this.#starting.catch(() => {});
      return undefined;
    }
    const starting = start();
    this.#starting = starting;
    try {
      return await starting;
    } finally {
      this.#starting = undefined;
    }
  }
}

export interface SessionQuestion extends Lifetime {
  caller: Caller;
  connection: Connection;
  /** The call's own `session_id`, which outranks everything else. */
  sessionId?: string | undefined;
  /** What the host told of its session beside the call. */
  hostSession?: string | undefined;
  /** The session of what the call is about: of its branch, its handle or its scratch. */
  about?: string | undefined;
  /** The project that the call or its connection names. */
  projectId?: string | undefined;
}

export type SessionLookup =
  | { kind: 'found'; session: Session }
  /** There is none yet; one may begin, under the host's id where it told one. */
  | { kind: 'none'; hostId: string | null }
  | { kind: 'unknown'; id: string }
  /** Nothing says which one: the request stands alone, and names none. */
  | { kind: 'unclear' };

/** Which session a call belongs to: its own word, then its host's, then its connection's. Never a guess. */
export function lookUpSession(database: Database, question: SessionQuestion): SessionLookup {
  const { caller, connection, sessionId, hostSession, about, projectId } = question;
  const named = (id: string): Session | undefined => {
    const session = findSession(database, caller, id, projectId);
    return session && isLive(session, question) ? session : undefined;
  };
  const told = (id: string): SessionLookup => {
    const session = named(id);
    return session ? { kind: 'found', session } : { kind: 'none', hostId: id };
  };
  if (sessionId !== undefined) {
    const session = named(sessionId);
    return session ? { kind: 'found', session } : { kind: 'unknown', id: sessionId };
  }
  if (hostSession !== undefined) return told(hostSession);
  if (connection.isKept) {
    const own = connection.session === undefined ? undefined : sessionById(database, connection.session);
    if (own && isLive(own, question)) return { kind: 'found', session: own };
    return connection.hostSession === undefined
      ? { kind: 'none', hostId: null }
      : told(connection.hostSession);
  }
  const session = about === undefined ? undefined : named(about);
  return session ? { kind: 'found', session } : { kind: 'unclear' };
}

/** For reads: the session, or undefined when the call belongs to none. */
export function sessionIfAny(database: Database, question: SessionQuestion): Session | undefined {
  const lookup = lookUpSession(database, question);
  if (lookup.kind === 'unknown') throw sessionNotFound(lookup.id);
  if (lookup.kind === 'unclear') return onlySession(database, question);
  return lookup.kind === 'found' ? lookup.session : undefined;
}

/** Why a read found no session, where there are several to choose from. */
export function unclearSession(database: Database, question: SessionQuestion): InfoldError | undefined {
  if (lookUpSession(database, question).kind !== 'unclear') return undefined;
  const live = liveSessions(database, question.caller, question);
  return live.length > 1 ? sessionRequired(database, live) : undefined;
}

/** A read that stands alone does no harm in the principal's only live session, in all or in the project it names. */
function onlySession(database: Database, question: SessionQuestion): Session | undefined {
  const live = liveSessions(database, question.caller, question);
  const near = live.length > 1 ? live.filter(({ project_id }) => project_id === question.projectId) : live;
  return near.length === 1 ? near[0] : undefined;
}

/** For writes to a session that is there: undefined when the call's own has not begun. */
export function sessionToWrite(database: Database, question: SessionQuestion): Session | undefined {
  const lookup = lookUpSession(database, question);
  if (lookup.kind === 'unknown') throw sessionNotFound(lookup.id);
  if (lookup.kind === 'found') return bound(question, lookup.session);
  const live = lookup.kind === 'unclear' ? liveSessions(database, question.caller, question) : [];
  if (live.length > 0) throw sessionRequired(database, live);
  return undefined;
}

export interface SessionBeginning extends SessionQuestion {
  /** The project that a session keeps when it begins now. */
  project: ResolvedProject;
  /** Whether a request that stands alone begins a session, instead of being asked which one it means. */
  beginsAlone?: boolean;
  /** Asked before a session begins. */
  limiter?: RateLimiter;
}

/** What a write adds to its session. A new session is not in any table yet: it begins in the same entry. */
export type SessionDecision<Answer> = (
  database: Database,
  session: Session,
  isNew: boolean,
) => Decision<Answer>;

export interface WrittenToSession<Answer> extends Committed<Answer> {
  session: Session;
}

/**
 * For writes that may begin a session: the one that the call belongs to, or a new one. A `session_id` that we do
 * not know is the host's own name for a session that begins now.
 */
export async function writeToSession<Answer>(
  journal: Journal,
  question: SessionBeginning,
  decide: SessionDecision<Answer>,
): Promise<WrittenToSession<Answer>> {
  for (;;) {
    const lookup = lookUpSession(journal.database, question);
    if (lookup.kind === 'found') {
      const session = bound(question, lookup.session);
      return { session, ...(await commitTo(journal, question.caller, session, decide)) };
    }
    refuseUnclear(journal.database, question, lookup);
    const written = await question.connection.startOnce(() => startWith(journal, question, decide));
    if (written) return written;
  }
}

export async function sessionOrNew(journal: Journal, question: SessionBeginning): Promise<Session> {
  const { session } = await writeToSession(journal, question, () => ({ events: [], answer: null }));
  return session;
}

function commitTo<Answer>(
  journal: Journal,
  { actor }: Caller,
  session: Session,
  decide: SessionDecision<Answer>,
): Promise<Committed<Answer>> {
  return journal.commit({
    stream: session.stream,
    actor,
    decide: (database) => decide(database, session, false),
  });
}

/** Undefined when another process began the session meanwhile. */
async function startWith<Answer>(
  journal: Journal,
  question: SessionBeginning,
  decide: SessionDecision<Answer>,
): Promise<WrittenToSession<Answer> | undefined> {
  const { caller, project } = question;
  question.limiter?.spend(caller, 'sessions');
  const { org, principal } = caller;
  const id = randomId('sess');
  const place = { id, org, principal, project_id: project.id };
  const stream = sessionStream(org, principal, project.id, id);
  const { answer, ...committed } = await journal.commit({
    stream,
    actor: caller.actor,
    decide: (database, now) => {
      // Of two first calls at the same time one starts the session and the other finds it here.
      const lookup = lookUpSession(database, question);
      if (lookup.kind === 'found') return { events: [], answer: undefined };
      const session = { ...place, stream, started_at: now, last_at: now, ended_at: null };
      const added = projectEvents(database, caller, project);
      const first = decide(database, session, true);
      const started = startedEvent(session, hostIdOf(lookup));
      return { events: [...added, started, ...first.events], answer: { session, first: first.answer } };
    },
  });
  if (!answer) return undefined;
  return { ...committed, session: bound(question, answer.session), answer: answer.first };
}

function startedEvent({ id, org, principal, project_id }: Session, host_id: string | null): SessionEvent {
  return { type: 'session.started', data: { session_id: id, org, principal, project_id, host_id } };
}

function hostIdOf(lookup: Exclude<SessionLookup, { kind: 'found' }>): string | null {
  if (lookup.kind === 'unclear') return null;
  return lookup.kind === 'unknown' ? lookup.id : lookup.hostId;
}

function refuseUnclear(database: Database, question: SessionBeginning, { kind }: SessionLookup): void {
  if (kind !== 'unclear' || question.beginsAlone) return;
  throw sessionRequired(database, liveSessions(database, question.caller, question));
}

/**
 * A connection goes on where its own calls, or a call that named a session, have written last. What the host tells
 * beside each call is that call's alone: several agents may share the connection.
 */
function bound({ connection, sessionId, hostSession }: SessionQuestion, session: Session): Session {
  if (sessionId !== undefined || hostSession === undefined) connection.bind(session);
  return session;
}
