import type { ContextPack, RememberAnswer, SynthesisPlan } from '@infold/protocol';
import type { z } from 'zod';
import { type Action, bindAction } from '../call/action.ts';
import { perform } from '../call/perform.ts';
import { createServices } from '../cli/services/create.ts';
import type { Services } from '../cli/services/services.ts';
import type { CallResult } from '../mcp/tools/call.ts';
import { callTool } from '../mcp/tools/call.ts';
import {
  callerNamed,
  callOf,
  type MovableClock,
  movableClock,
  openTestJournal,
  temporaryFolder,
  testConfig,
} from '../testing/fixtures.suite.ts';
import type { ClientIdentity } from '../trust/clients/client.ts';
import { type Caller, localOwner } from '../trust/identity/caller.ts';
import { Connection } from '../trust/sessions/resolve.ts';
import { Importer } from './ingest/importer.ts';
import { LineReader } from './ingest/lines.ts';
import { projectForImport } from './projects.ts';

/** One agent on a real server, less the transport. */
export class MemoryAgent {
  readonly services: Services;
  readonly caller: Caller;
  readonly connection: Connection;
  client: ClientIdentity | undefined;

  constructor(services: Services, caller: Caller = localOwner, project?: string) {
    this.services = services;
    this.caller = caller;
    this.connection = new Connection(project);
  }

  async result(name: string, input: unknown): Promise<CallResult> {
    const { caller, connection, client } = this;
    const outcome = await callTool(this.services, callOf(name, input, { caller, connection, client }));
    if ('failure' in outcome) throw outcome.failure;
    return outcome.result;
  }

  /** The structured content of a call that must succeed. */
  async call<Answer>(name: string, input: unknown): Promise<Answer> {
    const result = await this.result(name, input);
    if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.structuredContent)}`);
    return result.structuredContent as Answer;
  }

  async refusal(name: string, input: unknown): Promise<{ error: string; code: string }> {
    const result = await this.result(name, input);
    if (!result.isError) throw new Error(`${name} was not refused`);
    return result.structuredContent as { error: string; code: string };
  }

  /** What an action answers, whether or not it is a tool. */
  async act<Acted extends Action>(action: Acted, input: unknown): Promise<z.output<Acted['output']>> {
    const { caller, connection } = this;
    const { signal } = new AbortController();
    const bound = bindAction(action, this.services.config.limits);
    const { answer, failure } = await perform(this.services, bound, { input, caller, connection, signal });
    if (failure) throw failure;
    return answer.structured as z.output<Acted['output']>;
  }

  remember(content: string, more: Record<string, unknown> = {}) {
    return this.call<RememberAnswer>('remember', { content, ...more });
  }

  context(goal: string, more: Record<string, unknown> = {}) {
    return this.call<ContextPack>('context', { goal, ...more });
  }

  plan(goal: string, more: Record<string, unknown> = {}) {
    return this.call<SynthesisPlan>('synthesis_plan', { goal, ...more });
  }

  async import(items: readonly object[], project?: string) {
    const { journal, scrubber, config } = this.services;
    const importer = new Importer({ journal, scrubber, caller: this.caller, project });
    const lines = new LineReader(config.limits);
    for (const [index, item] of items.entries()) {
      const read = lines.read(item);
      if ('line' in read) await importer.add(index + 1, read.line);
      else importer.refuse(index + 1, read.problem);
    }
    return importer.finish();
  }

  /** Makes a project of this name, if it is not there; answers its id. */
  async project(name: string): Promise<string> {
    return (await projectForImport(this.services.journal, localOwner, name)).id;
  }

  as(principal: string, more: Partial<Caller> = {}): MemoryAgent {
    return new MemoryAgent(this.services, callerNamed(principal, more));
  }
}

export async function startMemory(
  clock: MovableClock = movableClock(),
  folder = temporaryFolder(),
): Promise<{ agent: MemoryAgent; services: Services; clock: MovableClock; folder: string }> {
  const journal = await openTestJournal(clock, folder);
  const services = createServices(testConfig(), journal, 'silent', clock.read);
  return { agent: new MemoryAgent(services), services, clock, folder };
}

export function idsOf(pack: ContextPack): string[] {
  return pack.sections.flatMap(({ items }) => items.map(({ id }) => id));
}

export function itemsOf(pack: ContextPack) {
  return pack.sections.flatMap(({ items }) => items);
}

/** Everything that the projection holds: what a rebuild must give again. */
export function tablesOf({ journal: { database } }: Services) {
  const names = [
    ...[
      'partition',
      'item',
      'passage',
      'language',
      'thread',
      'author',
      'alias',
      'moment',
      'wish',
      'relation',
    ],
  ];
  const tables: Record<string, Record<string, unknown>[]> = {};
  for (const name of names) {
    tables[`memory_${name}`] = [...database.iterate<Record<string, unknown>>(`SELECT * FROM memory_${name}`)];
  }
  tables.memory_text = [
    ...database.iterate<Record<string, unknown>>('SELECT rowid FROM memory_text ORDER BY rowid'),
  ];
  return tables;
}
