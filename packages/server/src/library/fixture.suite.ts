import { randomUUID } from 'node:crypto';
import type { Constraint, DiscoverItem, LoadedItem } from '@infold/protocol';
import type { Action } from '../call/action.ts';
import { type ActionOutput, callsOf } from '../cli/services/calls.ts';
import { createServices } from '../cli/services/create.ts';
import type { Services } from '../cli/services/services.ts';
import type { Config } from '../kernel/config.ts';
import type { Database } from '../kernel/sqlite.ts';
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
import type { Project } from '../trust/identity/queries.ts';
import { Connection } from '../trust/sessions/resolve.ts';
import { createDraft } from './actions/draft.ts';
import { publishDrafts } from './actions/publish.ts';
import { rebaseDraft } from './actions/rebase.ts';
import { restoreRevision } from './actions/restore.ts';
import {
  approveDraft,
  commentDraft,
  declineDraft,
  discardDraft,
  reviewDrafts,
  submitDraft,
} from './actions/review.ts';
import { importChanges } from './commands/import.ts';
import { type FileValidator, type Publication, publish } from './commands/publish.ts';
import { commitToLibrary, publishTargetIn } from './commit.ts';
import type { PublicationSource } from './events.ts';
import { incomingState, workspaceState } from './queries/command-state.ts';
import type { Proposal } from './staging.ts';

export const PROJECT = '/work-of/alice';

export const STYLE = `---
description: How code looks
---
# Code style

## Naming

- Use whole words
- Name files after what they hold

## Forbidden

Nothing clever.
`;

export const CODING = `# Coding

## Steps

1. Load relevant rules.
2. Run tests.
`;

export const SPEC = '# Specification\n\n## Scope\n\n- Everything\n';

export interface SetupAnswer {
  workspaceId: string;
  sessionId: string;
  mpf: { hash: string; content?: string; changed?: false } | null;
}

/** One agent on a real server, less the transport. */
export class Agent {
  readonly services: Services;
  readonly caller: Caller;
  readonly connection: Connection;

  constructor(services: Services, caller: Caller = localOwner, connection = new Connection(PROJECT)) {
    this.services = services;
    this.caller = caller;
    this.connection = connection;
  }

  async result(name: string, input: Record<string, unknown> = {}): Promise<CallResult> {
    const { caller, connection } = this;
    const signal = new AbortController().signal;
    const outcome = await callTool(this.services, { name, arguments: input, caller, connection, signal });
    if ('failure' in outcome) throw outcome.failure;
    return outcome.result;
  }

  /** The structured content of a call that must succeed. */
  async call<T = Record<string, unknown>>(name: string, input: Record<string, unknown> = {}): Promise<T> {
    const result = await this.result(name, input);
    if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.structuredContent)}`);
    return result.structuredContent as T;
  }

  /** The error content of a call that must be refused. */
  async refusal(name: string, input: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const result = await this.result(name, input);
    if (!result.isError) throw new Error(`${name} was not refused: ${JSON.stringify(result)}`);
    if (result.content[0]!.text !== result.structuredContent.error)
      throw new Error('The text is another one');
    return result.structuredContent;
  }

  setup(session_id = 'thread-1', more: Record<string, unknown> = {}) {
    return this.call<SetupAnswer>('memory.setup', { session_id, ...more });
  }

  async discover(input: Record<string, unknown> = {}): Promise<DiscoverItem[]> {
    return (await this.call<{ items: DiscoverItem[] }>('memory.discover', input)).items;
  }

  async load(...ids: string[]): Promise<LoadedItem[]> {
    const knownHashes = Object.fromEntries(ids.map((id) => [id, '']));
    return (await this.call<{ items: LoadedItem[] }>('memory.load', { ids, knownHashes })).items;
  }

  async idOf(path: string): Promise<string> {
    const item = (await this.discover()).find((one) => one.path === path);
    if (!item) throw new Error(`There is no ${path}`);
    return item.id;
  }

  refer(ruleId: string, constraintId: string, more: Record<string, unknown> = {}) {
    return this.call('memory.refer', { refs: [{ ruleId, constraintId, ...more }] });
  }

  draft(resource: string, op: Record<string, unknown>) {
    return this.call<{ ok: true; draft_path: string }>('draft', { resource, op });
  }

  draftRefusal(resource: string, op: Record<string, unknown>) {
    return this.refusal('draft', { resource, op });
  }
}

export const idsOf = (constraints: readonly Constraint[]) => constraints.map(({ id }) => id);

/** What people do to a library, whoever they are. */
export class People {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  get database(): Database {
    return this.#services.journal.database;
  }

  /** The answer of an action; its refusal is thrown. */
  act<Acted extends Action>(
    caller: Caller,
    action: Acted,
    input: Record<string, unknown>,
  ): Promise<ActionOutput<Acted>> {
    return callsOf(this.#services, caller)(action, input);
  }

  async stage(caller: Caller, project: Project, proposal: Proposal): Promise<{ draft_id: string }> {
    const { draft } = await this.act(caller, createDraft, { ...proposal, project: project.id });
    return { draft_id: draft.id };
  }

  submit(caller: Caller, id: string) {
    return this.act(caller, submitDraft, { id });
  }

  discard(caller: Caller, id: string) {
    return this.act(caller, discardDraft, { id });
  }

  decide(caller: Caller, id: string, step: 'approve' | 'decline', note?: string, hash?: string) {
    const given = { id, note, ...(hash !== undefined && { hash }) };
    return this.act(caller, step === 'approve' ? approveDraft : declineDraft, given);
  }

  takeStep(caller: Caller, drafts: readonly string[], step: string) {
    return this.act(caller, reviewDrafts, { drafts, step });
  }

  comment(
    caller: Caller,
    id: string,
    text: string,
    where: { line?: number; side?: string; hash?: string } = {},
  ) {
    return this.act(caller, commentDraft, { id, text, ...where });
  }

  publish(caller: Caller, drafts: readonly string[]) {
    return this.act(caller, publishDrafts, { drafts });
  }

  rebase(
    caller: Caller,
    id: string,
    how: { take?: 'draft' | 'published'; body?: string; onto?: string } = {},
  ) {
    return this.act(caller, rebaseDraft, { id, ...how });
  }

  restore(caller: Caller, project: Project, id: string, revision: number) {
    return this.act(caller, restoreRevision, { id, revision, project: project.id });
  }

  publishChanges(
    caller: Caller,
    project: Project,
    source: PublicationSource,
    changesOf: (database: Database) => Publication['changes'],
  ): Promise<Publication> {
    const { journal, parts } = this.#services;
    return commitToLibrary({ journal, caller }, project.workspace_id, (database) =>
      publish(
        workspaceState(database, project.workspace_id),
        publishTargetIn({ caller, parts, journal }, project),
        { source, changes: changesOf(database) },
      ),
    );
  }
}

export interface TestServer {
  services: Services;
  library: People;
  project: Project;
  agent: Agent;
  clock: MovableClock;
  publish(files: Record<string, string>): Promise<void>;
}

/** A server with a library of three files, and an agent that has not set up yet. */
export async function startServer(
  files: Record<string, string> = {
    'coding/STYLE.md': STYLE,
    'workflow/CODING.md': CODING,
    'context/SPEC.md': SPEC,
  },
  overrides: Partial<Config> = {},
  fileValidators: readonly FileValidator[] = [],
): Promise<TestServer> {
  const clock = movableClock();
  const journal = await openTestJournal(clock, temporaryFolder());
  const config = testConfig(overrides);
  const services = createServices(config, journal, 'silent', clock.read);
  Object.assign(services.parts, { fileValidators });
  const library = new People(services);
  const project = await ensureProject(
    journal,
    localOwner,
    resolveProject(journal.database, localOwner, PROJECT),
  );
  const publish = async (given: Record<string, string>) => {
    const incoming = Object.entries(given).map(([path, text]) => ({ path, text }));
    await library.publishChanges(localOwner, project, 'import', (database) =>
      importChanges(incomingState(database, project.workspace_id, incoming), randomUUID),
    );
  };
  await publish(files);
  return { services, library, project, agent: new Agent(services), clock, publish };
}

/** What is on record of agents' and drafters' doings, in order. */
export const eventTypes = (agent: Agent) =>
  agent.services.journal
    .entriesAfter(0, 1000)
    .flatMap((entry) => entry.events.map(({ type }) => type))
    .filter((type) => type.startsWith('attest.') || type.startsWith('draft.'));

export const eventData = (agent: Agent, wanted: string) =>
  agent.services.journal
    .entriesAfter(0, 1000)
    .flatMap((entry) => entry.events)
    .filter(({ type }) => type === wanted)
    .map(({ data }) => data as Record<string, unknown>);
