import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { afterThisFile } from '../../../../test/support/leftovers.ts';
import { defineTool, type ToolDefinition } from '../call/tool.ts';
import { createServices } from '../cli/services/create.ts';
import { PROJECTIONS } from '../cli/services/projections.ts';
import type { Services } from '../cli/services/services.ts';
import { Meter } from '../fold/metering.ts';
import type { Journal, JournalEvent } from '../journal/journal.ts';
import { SqliteJournal } from '../journal/sqlite.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Config, loadConfig } from '../kernel/config.ts';
import { InfoldError } from '../kernel/errors.ts';
import type { ToolCall } from '../mcp/tools/call.ts';
import { ToolRegistry } from '../mcp/tools/registry.ts';
import { systemTools } from '../system/tools.ts';
import { type Caller, localOwner } from '../trust/identity/caller.ts';
import { createToken, type NewToken } from '../trust/identity/commands.ts';
import { Connection } from '../trust/sessions/resolve.ts';
import { accessStream } from '../trust/streams.ts';

declare module '../journal/journal.ts' {
  interface Events {
    /** What any door may do in a session. */
    'note.written': { text?: string; session_id?: string; isNew?: boolean };
  }
}

export const HOUR = 3_600_000;
export const START = Date.UTC(2026, 0, 5, 9);

/** A clock that stands still until it is moved, in either direction. */
export interface MovableClock {
  read: Clock;
  advance(milliseconds: number): void;
}

export function movableClock(start = START): MovableClock {
  let now = start;
  return {
    read: () => now,
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'infold-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The real journal with every table of the program, on a folder of its own. */
export async function openTestJournal(
  clock: MovableClock = movableClock(),
  folder = temporaryFolder(),
  { limits } = testConfig(),
): Promise<SqliteJournal> {
  const journal = await SqliteJournal.open({ folder, projections: PROJECTIONS, clock: clock.read, limits });
  onTestFinished(() => journal.close());
  return journal;
}

/** Where services keep what they keep beside the journal: gone after the file's tests, and made by who needs it. */
export const TEST_DATA = join(tmpdir(), `infold-test-${process.pid}-${Math.random().toString(36).slice(2)}`);
const removeTestData = () => rmSync(TEST_DATA, { recursive: true, force: true });

export function testConfig(overrides: Partial<Config> = {}): Config {
  afterThisFile(removeTestData);
  return { ...loadConfig({ data: TEST_DATA }, {}).config, ...overrides };
}

export interface ServiceOptions extends Partial<Pick<Services, 'config' | 'scrubber' | 'observer'>> {
  clock?: MovableClock;
  tools?: readonly ToolDefinition[];
}

/** What a call needs, on a real journal, with `infold_status` and the test's own tools. */
export async function testServices(options: ServiceOptions = {}): Promise<Services> {
  const { clock = movableClock(), tools = [], ...others } = options;
  const config = others.config ?? testConfig();
  const registry = new ToolRegistry([...systemTools, ...tools], config);
  const journal = await openTestJournal(clock, temporaryFolder(), config);
  const services = createServices(config, journal, 'silent', clock.read);
  const meter = new Meter(journal, others.scrubber ?? services.scrubber, config, (error) => {
    throw error;
  });
  // In place, because an action's parts are those of the services.
  return Object.assign(services, { meter, registry, ...others });
}

export function callOf(name: string, input: unknown, more: Partial<ToolCall> = {}): ToolCall {
  return {
    name,
    arguments: input,
    caller: localOwner,
    connection: new Connection(),
    signal: new AbortController().signal,
    ...more,
  };
}

export function callerNamed(principal: string, more: Partial<Caller> = {}): Caller {
  const org = more.org ?? localOwner.org;
  return { ...localOwner, principal, actor: { org, principal }, ...more };
}

/** Makes a token as the command line does; answers its id and its secret. */
export async function makeToken(journal: Journal, more: Partial<NewToken> = {}) {
  const input: NewToken = {
    name: 'alice',
    org: 'local',
    projects: null,
    scopes: ['read', 'write'],
    capabilities: ['*'],
    expiresAt: null,
    ...more,
  };
  const { answer } = await journal.commit({
    stream: accessStream(input.org),
    actor: localOwner.actor,
    decide: (_database, now) => createToken(now, input),
  });
  return answer;
}

/** Writes its text into the session of the call, so that a test can see what reached the journal. */
export const noteTool = defineTool({
  name: 'memory.note',
  door: 'memory',
  title: 'Note',
  description: 'Write a note.',
  input: z.object({ text: z.string().max(1000), times: z.number().int().positive().default(1) }),
  output: z.object({ noted: z.string() }),
  annotations: { readOnlyHint: false },
  scope: 'write',
  async run({ text }, context) {
    const session = await context.sessionOrNew();
    const event: JournalEvent = { type: 'note.written', data: { text } };
    await context.journal.commit({
      stream: session.stream,
      actor: context.caller.actor,
      decide: () => ({ events: [event], answer: null }),
    });
    return { structured: { noted: text } };
  },
});

/** The error that a function throws; a function that throws none fails the test. */
export async function errorOf(work: () => unknown): Promise<InfoldError> {
  try {
    await work();
  } catch (error) {
    if (InfoldError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('Expected an error, and there was none');
}
