import type { HostName } from '@infold/protocol';
import { type Agent, PROJECT, startServer } from '../fold/fixture.suite.ts';
import { listBranches } from '../fold/queries.ts';
import { randomId } from '../kernel/ids.ts';
import { noteClientUse } from '../trust/clients/last-seen.ts';
import { localOwner } from '../trust/identity/caller.ts';
import { findSession } from '../trust/sessions/queries.ts';
import { handleEvent } from './handlers.ts';
import type { HookAnswer, HookCall, HookEvent, ToolEvent } from './hook-call.ts';
import { HookContext } from './hook-context.ts';

export const HOST_SESSION = 'host-session-1';

type Around = Partial<Omit<HookCall, 'event'>>;

/** A host that tells by its hooks what happens, to a real server. */
export class Host {
  readonly name: HostName;
  readonly agent: Agent;
  readonly #clock: () => number;

  constructor(agent: Agent, clock: () => number, name: HostName = 'claude-code') {
    this.agent = agent;
    this.name = name;
    this.#clock = clock;
    agent.connection.hostSession = HOST_SESSION;
  }

  /** Its MCP client is seen with our tools. */
  connect(canExpand = true, at = this.#clock()): void {
    const { database } = this.agent.services.journal;
    noteClientUse(database, { owner: localOwner, host: this.name, canExpand }, at);
  }

  tell(event: HookEvent, around: Around = {}): Promise<HookAnswer> {
    const call: HookCall = {
      id: randomId('hook'),
      ...{ host: this.name, session: HOST_SESSION, folder: PROJECT, at: this.#clock(), isLate: false },
      ...around,
      event,
    };
    return handleEvent(call, new HookContext(this.agent.services, localOwner, call));
  }

  tool(event: Partial<ToolEvent>, around: Around = {}): Promise<HookAnswer> {
    const usual = { tool: 'Bash', input: '', output: '', failed: false, isReplaceable: false } as const;
    return this.tell({ kind: 'tool', ...usual, ...event }, around);
  }

  get session() {
    return findSession(this.agent.services.journal.database, localOwner, HOST_SESSION, undefined);
  }

  branches() {
    return listBranches(this.agent.services.journal.database, this.session!.id);
  }

  /** By what it is called. */
  branch(description: string) {
    return this.branches().find((branch) => branch.description === description)!;
  }
}

export async function startHost(name?: HostName) {
  const started = await startServer();
  return { ...started, host: new Host(started.agent, started.clock.read, name) };
}
