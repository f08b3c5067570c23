import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenServer, openServer } from '../../packages/server/src/cli/serve/serve.ts';
import { type ActionCaller, callsOf } from '../../packages/server/src/cli/services/calls.ts';
import { createServices } from '../../packages/server/src/cli/services/create.ts';
import { PROJECTIONS } from '../../packages/server/src/cli/services/projections.ts';
import type { Services } from '../../packages/server/src/cli/services/services.ts';
import { SqliteJournal } from '../../packages/server/src/journal/sqlite.ts';
import type { Clock } from '../../packages/server/src/kernel/clock.ts';
import { type Flags, loadConfig } from '../../packages/server/src/kernel/config.ts';
import { importFiles } from '../../packages/server/src/library/commands/import.ts';
import type { Edge } from '../../packages/server/src/library/edge/edge.ts';
import { importState } from '../../packages/server/src/library/queries/command-state.ts';
import { callTool } from '../../packages/server/src/mcp/tools/call.ts';
import { createToken } from '../../packages/server/src/system/actions/tokens.ts';
import { localOwner, ownerIn } from '../../packages/server/src/trust/identity/caller.ts';
import { ensureProject, resolveProject } from '../../packages/server/src/trust/identity/projects.ts';
import { Connection } from '../../packages/server/src/trust/sessions/resolve.ts';
import { libraryStream } from '../../packages/server/src/trust/streams.ts';
import { afterThisFile } from './leftovers.ts';

let ids = 0;

export function hubFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'infold-hub-'));
  afterThisFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A team's server in this process, on a port of loopback. */
export class TestHub {
  readonly data: string;
  readonly #flags: Flags;
  #server: OpenServer;
  #port: number;

  private constructor(data: string, flags: Flags, server: OpenServer) {
    this.data = data;
    this.#flags = flags;
    this.#server = server;
    this.#port = Number(new URL(server.url).port);
    afterThisFile(() => this.stop());
  }

  static async start(data = hubFolder(), port = 0, flags: Flags = {}): Promise<TestHub> {
    return new TestHub(data, flags, await openServer(loadConfig({ data, port, ...flags }, {}), 'silent'));
  }

  get url(): string {
    return this.#server.url;
  }

  get services(): Services {
    return this.#server.services;
  }

  get call(): ActionCaller {
    return callsOf(this.services, localOwner);
  }

  /** Somebody at the hub, as their token lets them. */
  as(principal: string): ActionCaller {
    return callsOf(this.services, ownerIn('local', principal));
  }

  async token(name: string, more: Record<string, unknown> = {}): Promise<{ id: string; token: string }> {
    return this.call(createToken, { name, scopes: ['read', 'write'], ...more });
  }

  /** Makes these the files of a project, in one revision. */
  async publish(project: string, files: Record<string, string>): Promise<void> {
    const { journal } = this.services;
    const known = resolveProject(journal.database, localOwner, `/${project}`);
    const { workspace_id, id } = await ensureProject(journal, localOwner, known);
    const incoming = Object.entries(files).map(([path, text]) => ({ path, text }));
    await journal.commit({
      stream: libraryStream(workspace_id),
      actor: localOwner.actor,
      decide: (database) =>
        importFiles(
          importState(database, { workspaceId: workspace_id, principal: 'owner' }, incoming),
          { workspaceId: workspace_id, org: 'local', projectId: id, validators: [] },
          () => `${process.pid}-${++ids}`,
        ),
    });
  }

  async stop(): Promise<void> {
    await this.#server.close();
  }

  /** What it was before comes back after the work. */
  async losing(work: () => Promise<unknown>): Promise<void> {
    await this.stop();
    const backup = join(hubFolder(), 'hub');
    cpSync(this.data, backup, { recursive: true });
    await this.restart();
    await work();
    await this.stop();
    rmSync(this.data, { recursive: true });
    cpSync(backup, this.data, { recursive: true });
    await this.restart();
  }

  /** The same folder on the same port, or what lies in its place by then. */
  async restart(): Promise<void> {
    this.#server = await openServer(
      loadConfig({ data: this.data, port: this.#port, ...this.#flags }, {}),
      'silent',
    );
  }
}

/** Every entry of an edge that the hub has, with its batch, in the order in which they came. */
export function receivedBy(hub: TestHub) {
  return hub.services.journal
    .entriesAfter(0, Number.MAX_SAFE_INTEGER)
    .flatMap(({ events }) => events.flatMap((event) => (event.type === 'hub.received' ? [event.data] : [])))
    .flatMap(({ entries, ...batch }) => entries.map((entry) => ({ ...entry, batch })));
}

/** A member's machine in this process. */
export class TestEdge {
  readonly services: Services;

  private constructor(services: Services) {
    this.services = services;
  }

  static async open({
    data = hubFolder(),
    clock,
    ...flags
  }: Flags & { data?: string; clock?: Clock } = {}): Promise<TestEdge> {
    const report = loadConfig({ data, ...flags }, {});
    const { limits } = report.config;
    const journal = await SqliteJournal.open({
      ...{ folder: data, projections: PROJECTIONS, limits },
      ...(clock && { clock }),
    });
    const edge = new TestEdge(createServices(report.config, journal, 'silent', clock));
    afterThisFile(() => edge.close());
    return edge;
  }

  get edge(): Edge {
    return this.services.parts.edge;
  }

  get data(): string {
    return this.services.config.data;
  }

  get call(): ActionCaller {
    return callsOf(this.services, localOwner);
  }

  join(hub: { url: string }, token: string | undefined, project = 'shop', to?: string) {
    return this.edge.join({ url: hub.url, token, project: `/${project}`, to });
  }

  /** An agent in a session of its own, in a project. */
  async agent(session: string, project = 'shop'): Promise<TestAgent> {
    const agent = new TestAgent(this.services, new Connection(`/${project}`, { hostSession: session }));
    await agent.call('memory.setup', { session_id: session });
    return agent;
  }

  async close(): Promise<void> {
    await this.services.settle();
    await this.services.journal.close();
  }
}

export class TestAgent {
  readonly #services: Services;
  readonly #connection: Connection;
  /** What it was told besides the answers. */
  readonly notices: string[] = [];

  constructor(services: Services, connection: Connection) {
    this.#services = services;
    this.#connection = connection;
  }

  async call<Answer = Record<string, unknown>>(name: string, input: object = {}): Promise<Answer> {
    const outcome = await callTool(this.#services, {
      ...{ name, arguments: input, caller: localOwner, connection: this.#connection },
      signal: new AbortController().signal,
    });
    if ('failure' in outcome) throw outcome.failure;
    const { result } = outcome;
    this.notices.push(...((result._meta?.['infold/notices'] as string[] | undefined) ?? []));
    if (result.isError) throw new Error(result.content[0].text);
    return result.structuredContent as Answer;
  }

  /** Of all rules. */
  async ids(): Promise<string[]> {
    const { items } = await this.call<{ items: { id: string }[] }>('memory.discover', { kind: 'rule' });
    return items.map(({ id }) => id);
  }

  /** What there is, loaded: the paths, and the first rule's text. */
  async loadAll(): Promise<Map<string, string>> {
    const { items } = await this.call<{ items: { id: string; path: string }[] }>('memory.discover', {});
    if (items.length === 0) return new Map();
    const knownHashes = Object.fromEntries(items.map(({ id }) => [id, '']));
    const loaded = await this.call<{ items: { path: string; content: string }[] }>('memory.load', {
      ids: items.map(({ id }) => id),
      knownHashes,
    });
    return new Map(loaded.items.map(({ path, content }) => [path, content]));
  }
}

export interface FakeAnswer {
  status?: number;
  headers?: Record<string, string>;
  body: unknown;
}

const NOT_FOUND: FakeAnswer = { status: 404, body: { error: 'no', code: 'not_found' } };

/** Passes everything on to a hub, but for what a test takes out. `seen` has every request, with what was sent. */
export async function passingOn(
  hub: { url: string },
  isCut: (request: { path: string; body: string }) => boolean | FakeAnswer = () => false,
): Promise<{ url: string; seen: { path: string; body: string }[] }> {
  const seen: { path: string; body: string }[] = [];
  const front = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const one = { path: request.url!, body: body.toString() };
      seen.push(one);
      const cut = isCut(one);
      if (cut === true) return request.socket.destroy();
      if (cut) {
        response.writeHead(cut.status ?? 200, { 'Content-Type': 'application/json', ...cut.headers });
        return response.end(JSON.stringify(cut.body));
      }
      const headers = { ...request.headers, host: new URL(hub.url).host };
      const passed = send(`${hub.url}${request.url}`, { method: request.method!, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      passed.on('error', () => request.socket.destroy());
      return passed.end(body);
    });
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  afterThisFile(() => {
    front.closeAllConnections();
    front.close();
  });
  return { url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`, seen };
}

/** A server that answers whatever a test makes it answer. */
export async function fakeHub(
  answer: (request: {
    path: string;
    query: URLSearchParams;
    method: string;
    body: string;
  }) => FakeAnswer | undefined,
): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://hub');
    asked.push(`${request.method} ${pathname}`);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const told = answer({ path: pathname, query: searchParams, method: request.method!, body });
      const { status = 200, headers, body: said }: FakeAnswer = told ?? NOT_FOUND;
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
      response.end(typeof said === 'string' ? said : JSON.stringify(said));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterThisFile(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
