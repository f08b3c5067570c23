import type { ContextStateHeader } from '@infold/protocol';
import type { Scrubber } from '@infold/scrub';
import type { Journal } from '../journal/journal.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import type { GiveWay } from '../kernel/give-way.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { ClientIdentity } from '../trust/clients/client.ts';
import type { Caller } from '../trust/identity/caller.ts';
import { type ResolvedProject, resolveProject } from '../trust/identity/projects.ts';
import type { Rate, RateLimiter } from '../trust/limits/rate.ts';
import type { Session } from '../trust/sessions/queries.ts';
import {
  type Connection,
  lookUpSession,
  type SessionBeginning,
  type SessionDecision,
  type SessionLookup,
  type SessionQuestion,
  sessionIfAny,
  sessionOrNew,
  sessionToWrite,
  unclearSession,
  type WrittenToSession,
  writeToSession,
} from '../trust/sessions/resolve.ts';
import type { Sources } from '../trust/sources.ts';
import type { Parts } from './parts.ts';

export type ClientLogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error';

/** Tells a client that wants to know: what a person finds in the host's log of this server, not in the answer. */
export type ClientLog = (level: ClientLogLevel, message: string) => void;

export interface ContextParts {
  journal: Journal;
  clock: Clock;
  config: Config;
  caller: Caller;
  connection: Connection;
  /** Unknown for a 2025-era request that came without a connection, and for our own routes and commands. */
  client: ClientIdentity | undefined;
  /** The call's `session_id`. */
  sessionId: string | undefined;
  /** What the host told of its session beside the call. */
  hostSession?: string | undefined;
  /** The call's `project_path` or `project`. */
  projectSpec?: string | undefined;
  limiter: RateLimiter;
  scrubber: Scrubber;
  parts: Parts;
  sources?: Sources | undefined;
  giveWay: GiveWay;
  /** A model reads the answer, in a window that its session counts. */
  isReadByModel: boolean;
  signal: AbortSignal;
  progress: (done: number, total: number, message?: string) => void;
  log: ClientLog;
}

/** One call: who makes it, for which project and session, and what it tells besides its answer. */
export class CallContext {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly config: Config;
  readonly caller: Caller;
  readonly connection: Connection;
  readonly client: ClientIdentity | undefined;
  readonly sessionId: string | undefined;
  readonly hostSession: string | undefined;
  readonly projectSpec: string | undefined;
  /** The session of the branch, handle or scratch that the call names: read where nothing else says which it is. */
  about: string | undefined;
  readonly limiter: RateLimiter;
  readonly scrubber: Scrubber;
  readonly parts: Parts;
  readonly #sources: Sources | undefined;
  /** For work that takes longer than a few milliseconds. */
  readonly giveWay: GiveWay;
  /** False for people and programs: what they read takes up nobody's window, and is not kept to be collapsed. */
  readonly isReadByModel: boolean;
  readonly #call: Pick<ContextParts, 'signal'>;
  readonly progress: ContextParts['progress'];
  readonly log: ClientLog;
  /** What the scrubber took out of the call's arguments, and from which ones. */
  readonly secrets: { count: number; kinds: string[]; fields: string[] } = {
    count: 0,
    kinds: [],
    fields: [],
  };
  /** The action's work counts as an operation by itself; the call does not count again. */
  isCounted = false;
  /** What the caller should know beside the answer. */
  readonly notices: string[] = [];
  /** The session that the call turned out to belong to; its state goes out with the answer. */
  session: Session | undefined;
  /** That state, where the action knows it already. */
  contextState: ContextStateHeader | undefined;
  #isGuessed = false;
  /** A call is asked about its project more than once: before its action runs, and by the action. */
  #project: { spec: string | undefined; found: ResolvedProject } | undefined;

  constructor(parts: ContextParts) {
    this.journal = parts.journal;
    this.clock = parts.clock;
    this.config = parts.config;
    this.caller = parts.caller;
    this.connection = parts.connection;
    this.client = parts.client;
    this.sessionId = parts.sessionId;
    this.hostSession = parts.hostSession;
    this.projectSpec = parts.projectSpec;
    this.limiter = parts.limiter;
    this.scrubber = parts.scrubber;
    this.parts = parts.parts;
    this.#sources = parts.sources;
    this.giveWay = parts.giveWay;
    this.isReadByModel = parts.isReadByModel;
    this.#call = parts;
    this.progress = parts.progress;
    this.log = parts.log;
  }

  /** Asked for when it is needed: over HTTP, having one costs more than a short call does. */
  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get database(): Database {
    return this.journal.database;
  }

  /** The project that the call names, else the connection's, else its session's, else the organisation's default. */
  project(spec?: string): ResolvedProject {
    const wanted = spec ?? this.connection.project ?? this.session?.project_id;
    if (!this.#project || this.#project.spec !== wanted) {
      this.#project = { spec: wanted, found: resolveProject(this.database, this.caller, wanted) };
    }
    return this.#project.found;
  }

  lookUpSession(): SessionLookup {
    return lookUpSession(this.database, this.#question());
  }

  /** For reads: the session that the call belongs to, if there is one. */
  sessionIfAny(): Session | undefined {
    if (!this.session) {
      this.session = sessionIfAny(this.database, this.#question());
      this.#isGuessed = this.session !== undefined && this.lookUpSession().kind === 'unclear';
    }
    return this.session;
  }

  /** Reading what may be somebody else's does no harm; counting a call there would. */
  get sessionToMeter(): Session | undefined {
    return this.#isGuessed ? undefined : this.session;
  }

  /** For reads of a session alone: where it is one of several, nothing found would be taken for the truth. */
  noteUnclear(): undefined {
    const which = unclearSession(this.database, this.#question());
    if (which) this.notices.push(which.message);
  }

  /** For writes to what is in a session already: undefined when there is no session yet. */
  sessionToWrite(): Session | undefined {
    this.session = sessionToWrite(this.database, this.#question());
    return this.session;
  }

  /** The session that the call counts in, before its action has run; never an error. */
  findSession(reads: boolean): Session | undefined {
    try {
      const lookup = this.lookUpSession();
      if (lookup.kind === 'found') this.session = lookup.session;
      else if (lookup.kind === 'unclear' && reads) this.sessionIfAny();
    } catch {
      return undefined;
    }
    return this.sessionToMeter;
  }

  /**
   * The results that a call says it is done with; undefined where it says nothing. Its work does not depend on them, so
   * those that are unknown are told and left out.
   */
  async sources(handles: readonly string[] | undefined): Promise<string[] | undefined> {
    if (handles === undefined) return undefined;
    const named = [...new Set(handles)];
    const known = (await this.#sources?.known(this.caller, named)) ?? [];
    const unknown = named.filter((handle) => !known.includes(handle));
    if (unknown.length > 0) {
      const shown = unknown.slice(0, 5).map((handle) => handle.slice(0, 100));
      this.notices.push(`sources were left out: ${shown.join(', ')} (unknown, expired, or not yours)`);
    }
    return known;
  }

  /**
   * For what is served without a session: the first call of a connection begins its session, and so is counted in it.
   * Never an error: who may not write begins none.
   */
  async beginSession(): Promise<Session | undefined> {
    if (this.session) return this.sessionToMeter;
    const may = this.hasOwnSession && this.sessionId === undefined && this.caller.scopes.includes('write');
    return may ? this.sessionOrNew().catch(() => undefined) : undefined;
  }

  /** Whether the call has a session without naming one: its host told it, or its connection has one. */
  get hasOwnSession(): boolean {
    return this.hostSession !== undefined || this.connection.isKept;
  }

  /** Counts against what the caller may do in a minute; refuses when that is used up. */
  spend(rate: Rate, amount = 1): void {
    this.limiter.spend(this.caller, rate, amount);
  }

  async sessionOrNew(): Promise<Session> {
    this.session = await sessionOrNew(this.journal, this.#beginning());
    return this.session;
  }

  /** Writes to the call's session, which begins in the same entry where it has to. */
  async writeToSession<Answer>(
    decide: SessionDecision<Answer>,
    options: Pick<SessionBeginning, 'beginsAlone'> = {},
  ): Promise<WrittenToSession<Answer>> {
    const written = await writeToSession(this.journal, { ...this.#beginning(), ...options }, decide);
    this.session = written.session;
    return written;
  }

  #question(): SessionQuestion {
    const spec = this.projectSpec ?? this.connection.project;
    return {
      caller: this.caller,
      connection: this.connection,
      sessionId: this.sessionId,
      hostSession: this.hostSession,
      about: this.about,
      projectId: spec === undefined ? undefined : this.project(spec).id,
      now: this.clock(),
      lifetime: this.config.limits.sessionLifetime,
    };
  }

  #beginning(): SessionBeginning {
    return { ...this.#question(), project: this.project(this.projectSpec), limiter: this.limiter };
  }
}
