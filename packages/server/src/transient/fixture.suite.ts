import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { createServices } from '../cli/services/create.ts';
import type { Services } from '../cli/services/services.ts';
import type { Config } from '../kernel/config.ts';
import { randomId } from '../kernel/ids.ts';
import { describeFile } from '../library/files/describe.ts';
import { contentHash } from '../library/files/hashes.ts';
import { People } from '../library/fixture.suite.ts';
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
import { ensureProject, resolveProject } from '../trust/identity/projects.ts';
import { Connection } from '../trust/sessions/resolve.ts';

const examples = (path: string) => fileURLToPath(new URL(`../../../../examples/${path}`, import.meta.url));

export const PROJECT = '/home/someone/shop';
export const ACTIVITIES = examples('records/activities.jsonl');
export const RECLASSIFY = readFileSync(examples('library-workflow/workflow/RECLASSIFY.md'), 'utf8');

/** A caller of a real server, less the transport. */
export class Reader {
  readonly services: Services;
  readonly caller: Caller;
  readonly connection: Connection;

  constructor(services: Services, caller: Caller = localOwner) {
    this.services = services;
    this.caller = caller;
    this.connection = new Connection(PROJECT);
  }

  async result(name: string, input: Record<string, unknown> = {}): Promise<CallResult> {
    const { caller, connection } = this;
    const signal = new AbortController().signal;
    const outcome = await callTool(this.services, { name, arguments: input, caller, connection, signal });
    if ('failure' in outcome) throw outcome.failure;
    return outcome.result;
  }

  /** A call that must succeed. */
  async call<T = Answer>(name: string, input: Record<string, unknown> = {}): Promise<T> {
    const result = await this.result(name, input);
    if (result.isError) throw new Error(`${name}: ${result.content[0]!.text}`);
    return result.structuredContent as T;
  }

  /** A call that must be refused. */
  async refusal(name: string, input: Record<string, unknown> = {}): Promise<Refusal> {
    const result = await this.result(name, input);
    if (!result.isError) throw new Error(`${name} was not refused: ${result.content[0]!.text}`);
    return result.structuredContent as unknown as Refusal;
  }

  search(input: Record<string, unknown> = {}): Promise<Answer> {
    return this.call('search_records', { model: 'activity', ...input });
  }
}

export interface Refusal {
  error: string;
  code: string;
  retryable: boolean;
}

export interface Answer {
  schema: { model: string; columns: string[] };
  records: Record<string, unknown>[];
  pagination: { page: number; per_page: number; total?: number; total_pages?: number; has_more?: boolean };
  handle?: string;
}

export function contextOf(
  result: CallResult,
): { lifecycle?: string; summary?: string; consumed?: boolean } | undefined {
  return result._meta?.context as never;
}

export function noticesOf(result: CallResult): string[] {
  return (result._meta?.['infold/notices'] as string[] | undefined) ?? [];
}

export interface Started {
  services: Services;
  reader: Reader;
  clock: MovableClock;
  folder: string;
  /** Writes a file that a source can name. */
  write(name: string, content: string): string;
}

/** A server whose only source, unless others are given, is the example of 132 activities. */
export async function startServer(overrides: Partial<Config> = {}): Promise<Started> {
  const clock = movableClock();
  const folder = temporaryFolder();
  const journal = await openTestJournal(clock, folder);
  const files = join(folder, 'files');
  mkdirSync(files);
  copyFileSync(ACTIVITIES, join(files, 'activities.jsonl'));
  const sources = { activity: { type: 'jsonl', path: join(files, 'activities.jsonl') } };
  const config = testConfig({ data: folder, sources, ...overrides });
  const services = createServices(config, journal, 'silent', clock.read);
  onTestFinished(() => services.records.close());
  const write = (name: string, content: string) => {
    const path = join(files, name);
    writeFileSync(path, content);
    return path;
  };
  return { services, reader: new Reader(services), clock, folder, write };
}

/** Sources in a folder that is there before the server: files by name, and what the configuration says of each. */
export async function withFiles(
  files: Record<string, string>,
  sources: (path: (name: string) => string) => Config['sources'],
  overrides: Partial<Config> = {},
): Promise<Started & { path: (name: string) => string }> {
  const folder = temporaryFolder();
  const path = (name: string) => join(folder, name);
  for (const [name, content] of Object.entries(files)) writeFileSync(path(name), content);
  return { ...(await startServer({ sources: sources(path), ...overrides })), path };
}

/** Publishes a workflow to the library of the readers' project. */
export async function publish(services: Services, path: string, text: string): Promise<void> {
  const { journal } = services;
  const known = resolveProject(journal.database, localOwner, PROJECT);
  const project = await ensureProject(journal, localOwner, known);
  const file = { file_id: randomId('file'), previous_path: null, hash: contentHash(text), text };
  await new People(services).publishChanges(localOwner, project, 'import', () => [
    { op: 'create', path, ...describeFile(path, text), ...file },
  ]);
}
