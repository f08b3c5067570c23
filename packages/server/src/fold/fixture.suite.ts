import type { branchOutput, branchStatusOutput, returnOutput, rollbackOutput } from '@infold/protocol';
import type { z } from 'zod';
import { createServices } from '../cli/services/create.ts';
import type { Services } from '../cli/services/services.ts';
import type { Config } from '../kernel/config.ts';
import type { InfoldError } from '../kernel/errors.ts';
import type { CallResult } from '../mcp/tools/call.ts';
import { callTool } from '../mcp/tools/call.ts';
import {
  type MovableClock,
  movableClock,
  openTestJournal,
  temporaryFolder,
  testConfig,
} from '../testing/fixtures.suite.ts';
import { type Caller, localOwner } from '../trust/identity/caller.ts';
import { resolveProject } from '../trust/identity/projects.ts';
import { Connection, sessionOrNew } from '../trust/sessions/resolve.ts';

export const PROJECT = '/work-of/alice';

/** A text of exactly so many tokens. */
export function words(count: number): string {
  return count === 0 ? '' : 'one'.concat(' two'.repeat(count - 1));
}

type Answer<Schema extends z.ZodType> = z.infer<Schema>;

/** One agent on a real server, less the transport. */
export class Agent {
  readonly services: Services;
  readonly caller: Caller;
  readonly connection: Connection;

  constructor(services: Services, caller: Caller = localOwner, connection = new Connection()) {
    this.services = services;
    this.caller = caller;
    this.connection = connection;
  }

  async outcome(name: string, input: Record<string, unknown>): Promise<CallResult | InfoldError> {
    const { caller, connection } = this;
    const signal = new AbortController().signal;
    const outcome = await callTool(this.services, { name, arguments: input, caller, connection, signal });
    return 'failure' in outcome ? outcome.failure : outcome.result;
  }

  /** The structured content of a call that must succeed. */
  async call<T = Record<string, unknown>>(name: string, input: Record<string, unknown> = {}): Promise<T> {
    const outcome = await this.outcome(name, { project_path: PROJECT, ...input });
    if ('rpc' in outcome || outcome.isError) throw new Error(`${name}: ${JSON.stringify(outcome)}`);
    return outcome.structuredContent as T;
  }

  /** The JSON-RPC error of a call that must be answered with one. */
  async rpcError(
    name: string,
    input: Record<string, unknown> = {},
  ): Promise<{ code: number; data: unknown; message: string }> {
    const outcome = await this.outcome(name, { project_path: PROJECT, ...input });
    const { rpc, message } = outcome as InfoldError;
    if (!rpc) throw new Error(`${name} answered ${JSON.stringify(outcome)}`);
    return { ...rpc, message };
  }

  /** The error content of a call that must be refused with `isError`. */
  async refusal(name: string, input: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const outcome = await this.outcome(name, { project_path: PROJECT, ...input });
    if ('rpc' in outcome || !(outcome as CallResult).isError) throw new Error(`${name} was not refused`);
    return (outcome as CallResult).structuredContent;
  }

  branch(description = 'subtask', prompt = 'do it', more: Record<string, unknown> = {}) {
    return this.call<Answer<typeof branchOutput>>('context_branch', { description, prompt, ...more });
  }

  fold(message = 'done', branch_id?: string) {
    const named = branch_id === undefined ? {} : { branch_id };
    return this.call<Answer<typeof returnOutput>>('context_return', { message, ...named });
  }

  rollback(branch_id: string, restore_state?: boolean) {
    const restore = restore_state === undefined ? {} : { restore_state };
    return this.call<Answer<typeof rollbackOutput>>('context_rollback', { branch_id, ...restore });
  }

  status() {
    return this.call<Answer<typeof branchStatusOutput>>('context_branch_status');
  }

  /** Reports operations as a host's hook does; the session begins if there is none. */
  async report(
    operations: Parameters<Services['meter']['report']>[2],
    sessionId?: string,
    collapsed?: Parameters<Services['meter']['report']>[3],
  ) {
    const { journal, meter, clock, config } = this.services;
    const project = resolveProject(journal.database, this.caller, PROJECT);
    const { caller, connection } = this;
    const lifetime = config.limits.sessionLifetime;
    const session = await sessionOrNew(journal, {
      caller,
      connection,
      project,
      sessionId,
      now: clock(),
      lifetime,
    });
    return meter.report(this.caller, session, operations, collapsed);
  }

  /** Tokens on the main thread or the named branch, as if a tool had used them. */
  spend(tokens: number, branch_id?: string) {
    return this.report([{ tool: 'Read', tokens, ...(branch_id === undefined ? {} : { branch_id }) }]);
  }
}

export async function startServer(
  overrides: Partial<Config> = {},
  clock: MovableClock = movableClock(),
  folder = temporaryFolder(),
): Promise<{ services: Services; agent: Agent; clock: MovableClock; folder: string }> {
  const journal = await openTestJournal(clock, folder);
  const services = createServices(testConfig(overrides), journal, 'silent', clock.read);
  return { services, agent: new Agent(services), clock, folder };
}
