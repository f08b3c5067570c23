import type { HostName } from '@infold/protocol';
import { startServer, type TestServer } from '../library/fixture.suite.ts';
import { callTool } from '../mcp/tools/call.ts';
import { callOf } from '../testing/fixtures.suite.ts';
import { type Caller, localOwner } from '../trust/identity/caller.ts';
import { findSession } from '../trust/sessions/queries.ts';
import { handleEvent } from './handlers.ts';
import type { HookAnswer, HookCall, HookEvent } from './hook-call.ts';
import { HookContext } from './hook-context.ts';

export const FOLDER = '/work-of/alice';

/** A host whose hooks are heard, less its dialect, and whose model calls tools with the host's own session id. */
export class HookHost {
  readonly server: TestServer;
  session: string;
  host: HostName = 'claude-code';
  caller: Caller = localOwner;

  #calls = 0;

  constructor(server: TestServer, session = 'host-session-1') {
    this.server = server;
    this.session = session;
  }

  get services() {
    return this.server.services;
  }

  hear(event: HookEvent, more: Partial<HookCall> = {}): Promise<HookAnswer> {
    const { host, session } = this;
    const at = this.server.clock.read();
    const call = {
      id: `call-${this.#calls++}`,
      host,
      session,
      folder: FOLDER,
      at,
      isLate: false,
      event,
      ...more,
    };
    return handleEvent(call, this.contextOf(call));
  }

  contextOf(call: HookCall): HookContext {
    return new HookContext(this.services, this.caller, call);
  }

  sessionNow() {
    const { caller, services } = this;
    return findSession(services.journal.database, caller, this.session, undefined);
  }

  start(source: Extract<HookEvent, { kind: 'session-start' }>['source'] = 'startup') {
    return this.hear({ kind: 'session-start', source });
  }

  prompt(text: string) {
    return this.hear({ kind: 'prompt', text });
  }

  /** What a tool answers that the host's model calls. */
  async call<T = Record<string, unknown>>(name: string, input: Record<string, unknown> = {}): Promise<T> {
    const { session: hostSession, caller } = this;
    const around = { hostSession, caller };
    const outcome = await callTool(this.services, callOf(name, { project_path: FOLDER, ...input }, around));
    if ('failure' in outcome) throw outcome.failure;
    if (outcome.result.isError) throw new Error(`${name}: ${outcome.result.content[0].text}`);
    return outcome.result.structuredContent as T;
  }

  remember(content: string, more: Record<string, unknown> = {}) {
    return this.call<{ id: string }>('remember', {
      content,
      project: FOLDER,
      project_path: undefined,
      ...more,
    });
  }
}

/** A host of a server whose library holds these files. */
export async function startHost(
  files: Record<string, string> = {},
  overrides: Parameters<typeof startServer>[1] = {},
): Promise<HookHost> {
  return new HookHost(await startServer(files, overrides));
}
