import type { z } from 'zod';
import { type Action, bindAction } from '../call/action.ts';
import { contextFor, perform } from '../call/perform.ts';
import type { CallServices } from '../call/services.ts';
import type { Caller } from '../trust/caller.ts';
import type { Session } from '../trust/sessions/queries.ts';
import { Connection } from '../trust/sessions/resolve.ts';
import type { HookCall } from './call.ts';

/** What answers a hook: its session, and actions done in it. */
export class HookScene {
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

  /** Our session of the host's session, where it has begun. */
  findSession(): Session | undefined {
    return this.#context().findSession(false);
  }

  /** Our session of the host's session; it begins where there is none. */
  async beginSession(): Promise<Session> {
    return this.#context().sessionOrNew();
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
