import { HOST_SESSION_ID, type HostName } from '@infold/protocol';
import type { z } from 'zod';
import { type Action, bindAction } from '../call/action.ts';
import { contextFor, perform } from '../call/perform.ts';
import type { CallServices } from '../call/services.ts';
import { InfoldError } from '../kernel/errors.ts';
import { requireScope } from '../trust/access/rule.ts';
import { type Caller, isLocalOwner } from '../trust/identity/caller.ts';
import { checkNames } from '../trust/secrets/identifiers.ts';
import { scrubValue } from '../trust/secrets/scrubbing.ts';
import { bindSession, noteLeft, noteTold } from '../trust/sessions/bind.ts';
import type { SessionTold } from '../trust/sessions/events.ts';
import { dropHostProcesses, noteHostProcesses } from '../trust/sessions/host-processes.ts';
import { findSession, type Session } from '../trust/sessions/queries.ts';
import { Connection } from '../trust/sessions/resolve.ts';
import type { HookCall } from './hook-call.ts';
import { forkedFrom } from './transcript.ts';

const BEGINS_ANEW = new Set<HostName>(['claude-code', 'codex', 'qwen', 'opencode', 'pi']);

/** What answers a hook: its session, and actions done in it. */
export class HookContext {
  readonly services: CallServices;
  readonly caller: Caller;
  readonly #call: HookCall;
  readonly #connection: Connection;

  constructor(services: CallServices, caller: Caller, call: HookCall) {
    this.services = services;
    this.caller = caller;
    this.#call = call;
    this.#connection = Connection.alone(call.folder);
  }

  get host(): HostName {
    return this.#call.host;
  }

  /** Whether the host begins a session anew after each compaction, and so has what was lost told there. */
  get isToldAtStart(): boolean {
    return BEGINS_ANEW.has(this.#call.host);
  }

  /** Our session of the host's session, where it has begun. */
  findSession(): Session | undefined {
    return this.#context().findSession(false);
  }

  /** The session that the host's name stood for last, though it may have ended since. */
  lastSession(): Session | undefined {
    const { database } = this.services.journal;
    const project = this.#context().project(this.#call.folder).id;
    return findSession(database, this.caller, this.#call.session, project);
  }

  /** The session from which the host's own record says that this one was forked. */
  async forkedSession(): Promise<Session | undefined> {
    const { transcript, folder } = this.#call;
    const origin =
      transcript !== undefined && isLocalOwner(this.caller) ? await forkedFrom(transcript) : undefined;
    if (origin === undefined) return undefined;
    const { database } = this.services.journal;
    return findSession(database, this.caller, origin, this.#context().project(folder).id);
  }

  /** Our session of the host's session; it begins where there is none, and keeps where the host has it. */
  async beginSession(): Promise<Session> {
    const { services, caller } = this;
    const { host, session: named, folder, transcript, event } = this.#call;
    requireScope(caller, 'write');
    if (!HOST_SESSION_ID.test(named)) {
      throw new InfoldError(
        'invalid_arguments',
        `The host sent an invalid session id: ${named.slice(0, 40)}`,
      );
    }
    checkNames(services.scrubber, { session: named, project: folder }, ['session', 'project']);
    const session = await this.#context().sessionOrNew();
    const told = scrubValue(services.scrubber, { transcript });
    await bindSession(services.journal, caller, session, {
      host,
      folder,
      transcript: told.count === 0 ? (transcript ?? null) : null,
      source: event.kind === 'session-start' ? event.source : null,
    });
    return session;
  }

  /**
   * Servers that the same process of the host started belong to the host's session. They know it from the beginning of a
   * session, and from each prompt. What is late may be about processes that are others by now.
   */
  noteProcesses(): void {
    const { session, ancestors = [], event, isLate, at } = this.#call;
    const isSaid = event.kind === 'session-start' || event.kind === 'prompt';
    if (isLate || !isSaid || !HOST_SESSION_ID.test(session)) return;
    noteHostProcesses(this.services.journal.database, this.caller, session, ancestors, at);
  }

  /** The host goes on without this session, for a while or for ever. */
  async leave(): Promise<void> {
    const { journal } = this.services;
    dropHostProcesses(journal.database, this.caller, this.#call.session);
    const session = this.findSession();
    if (session) await noteLeft(journal, this.caller, session);
  }

  /**
   * Keeps what the session's model is shown. False where the host does not wait any more: then it was not shown, and may be
   * said at the next chance.
   */
  async tell(session: Session, told: Omit<SessionTold, 'session_id'>): Promise<boolean> {
    if (this.#call.gone?.aborted) return false;
    await noteTold(this.services.journal, this.caller, session, told);
    return true;
  }

  /** Does an action in the host's session, and answers what it answers, or throws. */
  async act<Acted extends Action>(
    action: Acted,
    input: Record<string, unknown>,
  ): Promise<z.output<Acted['output']>> {
    const bound = bindAction(action, this.services.config.limits);
    const { answer, failure } = await perform(this.services, bound, this.#callWith(input));
    if (failure) throw failure;
    return answer.structured as z.output<Acted['output']>;
  }

  #context() {
    return contextFor(this.services, this.#callWith({}));
  }

  #callWith(input: Record<string, unknown>) {
    return {
      input,
      caller: this.caller,
      connection: this.#connection,
      hostSession: this.#call.session,
      signal: new AbortController().signal,
    };
  }
}
