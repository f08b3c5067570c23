import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LimitName } from '@infold/protocol';
import { onTestFinished } from 'vitest';
import { Peer } from '../../../../../test/e2e/support/gateway.ts';
import { createServices } from '../../cli/services/create.ts';
import type { Services } from '../../cli/services/services.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { createHttpApp } from '../../http/app.ts';
import { listen } from '../../http/connections/listen.ts';
import { attachWebSockets } from '../../http/connections/websocket.ts';
import { Metrics } from '../../http/metrics.ts';
import { type Config, DOORS, environmentName, loadConfig } from '../../kernel/config.ts';
import { type MovableClock, movableClock, openTestJournal, temporaryFolder } from '../fixtures.suite.ts';
import type { Probe } from './probe.suite.ts';

/** The answer to a call or a request: its data, or why it was refused. */
export interface Outcome {
  status: number;
  data: Record<string, unknown>;
  text: string;
  notices: string[];
  refusal: { code: string | number; message: string } | undefined;
}

export const PROJECT = '/home/someone/shop';
const JSON_TYPE = 'application/json';

/** The whole server as `serve` has it, configured by the environment, on a port of its own and a clock that can be moved. */
export class Served {
  readonly services: Services;
  readonly gateway: Gateway;
  readonly clock: MovableClock;
  readonly url: string;
  #connections = 0;

  private constructor(services: Services, gateway: Gateway, clock: MovableClock, url: string) {
    this.services = services;
    this.gateway = gateway;
    this.clock = clock;
    this.url = url;
  }

  static async start(name: LimitName, { value, settings = {} }: Probe): Promise<Served> {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'files'));
    const path = (file: string) => join(folder, 'files', file);
    for (const [file, text] of Object.entries(settings.files ?? {})) writeFileSync(path(file), text);
    const sources = Object.entries(settings.sources ?? {}).map(([model, { file, ...source }]) => [
      model,
      { ...source, path: path(file) },
    ]);
    const limits = Object.entries({ ...settings.limits, [name]: value });
    const { config } = loadConfig(
      { data: folder, toolsets: [...DOORS], sources: Object.fromEntries(sources), gateway: settings.gateway },
      Object.fromEntries(limits.map(([key, number]) => [environmentName(`limits.${key}`), String(number)])),
    );
    return Served.#open(config);
  }

  static async #open(config: Config): Promise<Served> {
    const clock = movableClock();
    const journal = await openTestJournal(clock, config.data, config);
    const services = createServices(config, journal, 'silent', clock.read);
    const gateway = services.openGateway(true);
    const metrics = new Metrics(journal);
    const served = { ...services, gateway, metrics, observer: metrics, ready: () => true };
    const app = createHttpApp(served);
    const { server, url } = await listen({
      ...{ host: config.host, port: 0, fetch: app.fetch },
      connections: config.limits.portConnections,
    });
    const sockets = attachWebSockets(server, served);
    onTestFinished(async () => {
      sockets.close();
      server.closeAllConnections();
      server.close();
      await app.close();
      await services.settle();
      await services.records.close();
    });
    return new Served(services, gateway, clock, url);
  }

  /** A host that has just connected, in a session of its own. */
  agent(): Agent {
    return new Agent(this, `window-${++this.#connections}`);
  }

  async get(path: string): Promise<Outcome> {
    return restOutcome(await fetch(this.url + path));
  }

  async post(path: string, body: unknown, type = JSON_TYPE): Promise<Outcome> {
    return restOutcome(await this.send(path, typeof body === 'string' ? body : JSON.stringify(body), type));
  }

  send(
    path: string,
    body: string,
    type = JSON_TYPE,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(this.url + path, {
      method: 'POST',
      headers: { 'content-type': type, accept: 'application/json, text/event-stream', ...headers },
      body,
    });
  }

  join(query: Record<string, string> = {}): Promise<Peer> {
    return Peer.join(this.url, { pod: 'p', participant: 'alice', ...query });
  }
}

/** A client of the 2025 era: `initialize` gives its connection a name. */
export class Agent {
  readonly server: Served;
  readonly session: string;
  #connection: Promise<string> | undefined;

  constructor(server: Served, session: string) {
    this.server = server;
    this.session = session;
  }

  /** The connection's `Mcp-Session-Id`. */
  connection(): Promise<string> {
    this.#connection ??= this.#initialize();
    return this.#connection;
  }

  async #initialize(): Promise<string> {
    const clientInfo = { name: 'probe', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const response = await this.request('initialize', params, {});
    await response.text();
    return response.headers.get('mcp-session-id') ?? '';
  }

  request(method: string, params: object, headers: Record<string, string>): Promise<Response> {
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return this.server.send(`/mcp?project=${PROJECT}`, message, JSON_TYPE, headers);
  }

  async call(name: string, input: Record<string, unknown>): Promise<Outcome> {
    const params = { name, arguments: { session_id: this.session, ...input } };
    const response = await this.request('tools/call', params, { 'mcp-session-id': await this.connection() });
    return callOutcome(response.status, JSON.parse(await response.text()));
  }

  /** A call that must succeed. */
  async done(name: string, input: Record<string, unknown> = {}): Promise<Outcome> {
    const outcome = await this.call(name, input);
    if (outcome.refusal) throw new Error(`${name} was refused: ${outcome.refusal.message}`);
    return outcome;
  }
}

async function restOutcome(response: Response): Promise<Outcome> {
  const text = await response.text();
  const data = JSON.parse(text) as Record<string, unknown>;
  const refusal = response.ok ? undefined : { code: data.code as string, message: String(data.error) };
  return { status: response.status, data, text, notices: [], refusal };
}

interface RpcAnswer {
  error?: { code: number; message: string };
  result?: {
    isError?: boolean;
    content: { text: string }[];
    structuredContent: Record<string, unknown>;
    _meta?: Record<string, unknown>;
  };
}

function callOutcome(status: number, { error, result }: RpcAnswer): Outcome {
  const text = result?.content[0]?.text ?? '';
  const data = result?.structuredContent ?? {};
  const notices = (result?._meta?.['infold/notices'] as string[] | undefined) ?? [];
  const refusal = result?.isError ? { code: data.code as string, message: text } : error;
  return { status, data, text, notices, refusal };
}
