import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
  type Server,
  type ServerEventBus,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Spelling } from '../../kernel/config.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { parseJson } from '../../kernel/formats/json.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import type { TokenWatch } from '../../trust/identity/token-watch.ts';
import { Connection } from '../../trust/sessions/resolve.ts';
import { followChanges } from '../protocol/changes.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { readableUris } from '../protocol/resource-handlers.ts';
import { authInfoFor, connectionLog, createProtocolServer, exchangeFrom } from '../protocol/server.ts';
import type { McpServices } from '../tools/call.ts';
import { readBody } from './body.ts';
import { type LegacyConnection, LegacyConnections } from './legacy-connections.ts';

export interface EndpointRequest {
  request: Request;
  caller: Caller;
  spelling: Spelling;
  /** From `?project=`: the project of calls that name none. */
  project: string | undefined;
}

/** `/mcp`: both protocol eras on one address. */
export class McpEndpoint {
  readonly #services: McpServices;
  readonly #modern: ReturnType<typeof createMcpHandler>;
  readonly #legacy: LegacyConnections;
  /** The SDK does not say whose subscription it opens. */
  readonly #subscribing = new AsyncLocalStorage<Exchange>();

  constructor(services: McpServices, tokens: TokenWatch) {
    this.#services = services;
    const limits = services.config.limits;
    this.#modern = createMcpHandler(
      ({ authInfo }) => createProtocolServer(services, 'modern', exchangeFrom(authInfo), 'http'),
      {
        bus: this.#bus(),
        legacy: 'reject',
        maxRequestBodySize: limits.requestBytes,
        onerror: (error) => services.log.debug({ err: error }, 'mcp request refused'),
      },
    );
    this.#legacy = new LegacyConnections(limits, services.clock, tokens, services.parts.clients);
  }

  async handle(incoming: EndpointRequest): Promise<Response> {
    const { request } = incoming;
    if (request.method !== 'POST') return this.#withoutBody(incoming);
    if (!isJson(request)) return rpcFailure(415, -32600, 'Content-Type must be application/json');
    const limit = this.#services.config.limits.requestBytes;
    const text = await readBody(this.#services, request, incoming.caller);
    if (text === undefined)
      return rpcFailure(413, -32600, `The request body is over the limit of ${limit} bytes`);
    let message: unknown;
    try {
      message = parseJson(text, this.#services.config.limits);
    } catch (error) {
      return InfoldError.isInstance(error) && error.code === 'too_large'
        ? rpcFailure(413, -32600, error.message)
        : rpcFailure(400, -32700, 'Parse error: the request body is not valid JSON');
    }
    if (Array.isArray(message) && message.length > this.#services.config.limits.batchMessages) {
      const most = this.#services.config.limits.batchMessages;
      return rpcFailure(
        400,
        -32600,
        `A batch may hold at most ${most} messages; this one holds ${message.length}`,
      );
    }
    // A batch is as many calls as it holds; one of them was counted when the request came in.
    if (Array.isArray(message)) this.#services.limiter.spend(incoming.caller, 'calls', message.length - 1);
    if (isKept(message) && text.length > this.#services.config.limits.httpConnectionBytes) {
      const most = this.#services.config.limits.httpConnectionBytes;
      return rpcFailure(
        413,
        -32600,
        `A message that begins a connection or a subscription may have at most ${most} bytes`,
      );
    }
    if (!isModernCall(message) && (await isLegacyRequest(request, message)))
      return this.#servePost(incoming, message);
    const exchange = this.#exchange(incoming, Connection.alone(incoming.project));
    narrowSubscription(message, (uris) => readableUris(this.#services, exchange, uris));
    const response = await this.#subscribing.run(exchange, () =>
      this.#modern.fetch(request, { authInfo: authInfoFor(exchange), parsedBody: message }),
    );
    return withState(response, exchange, this.#services);
  }

  /** Where modern subscriptions take their events from; each hears of what its caller may see. */
  #bus(): ServerEventBus {
    return {
      publish: () => {},
      subscribe: (listener) => followChanges(this.#services, this.#subscribing.getStore()!, listener),
    };
  }

  async close(): Promise<void> {
    await this.#legacy.close();
    await this.#modern.close();
  }

  /** GET opens a 2025-era connection's notification stream, DELETE ends the connection. */
  async #withoutBody({ request, caller }: EndpointRequest): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      const response = rpcFailure(405, -32000, 'Method not allowed: POST JSON-RPC messages here');
      response.headers.set('Allow', 'POST');
      return response;
    }
    const connection = this.#legacy.find(id, caller);
    if (!connection) return rpcFailure(404, -32001, 'Session not found');
    return connection.transport.handleRequest(request);
  }

  /** 2025-era messages: an initialisation begins a connection; without one each request stands alone. */
  async #servePost(incoming: EndpointRequest, message: unknown): Promise<Response> {
    const request = acceptingBoth(incoming.request);
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      if (isInitializeRequest(message)) return this.#begin(incoming, request, message);
      return this.#serveAlone(incoming, request, message);
    }
    const connection = this.#legacy.find(id, incoming.caller);
    if (!connection) return rpcFailure(404, -32001, 'Session not found');
    // A connection's own transport answers one JSON body. Progress needs a stream, which a transport for this
    // request alone gives; both share what the connection is bound to.
    if (wantsProgress(message)) return this.#serveAlone(incoming, request, message, connection);
    if (isCancellation(message)) cancelAside(connection, message);
    const exchange = exchangeIn(connection, incoming);
    exchange.isBatch = Array.isArray(message);
    const answer = connection.transport.handleRequest(request, {
      authInfo: authInfoFor(exchange),
      parsedBody: message,
    });
    const response = await answerOrRelease(connection, message, answer);
    if (isCancellation(message)) {
      connection.waiting.get(message.params?.requestId ?? '')?.(new Response(null, { status: 202 }));
    }
    return withState(response, exchange, this.#services);
  }

  async #begin(incoming: EndpointRequest, request: Request, message: unknown): Promise<Response> {
    const state = new Connection(incoming.project);
    const exchange = this.#exchange(incoming, state);
    const server = createProtocolServer(this.#services, 'legacy', exchange, 'http');
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: true,
      onsessioninitialized: (id) =>
        this.#legacy.add(id, {
          transport,
          server,
          state,
          spelling: incoming.spelling,
          owner: incoming.caller,
          aside: new Set(),
          waiting: new Map(),
          usedAt: this.#services.clock(),
        }),
      onsessionclosed: (id) => this.#legacy.remove(id),
    });
    await server.connect(transport);
    return transport.handleRequest(request, { authInfo: authInfoFor(exchange), parsedBody: message });
  }

  async #serveAlone(
    incoming: EndpointRequest,
    request: Request,
    message: unknown,
    connection?: LegacyConnection,
  ): Promise<Response> {
    const exchange = connection
      ? exchangeIn(connection, incoming)
      : this.#exchange(incoming, Connection.alone(incoming.project));
    exchange.isBatch = Array.isArray(message);
    const siblings = connection?.aside;
    const server: Server = createProtocolServer(this.#services, 'legacy', exchange, 'http');
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: !wantsProgress(message),
    });
    await server.connect(transport);
    siblings?.add(transport);
    const response = await transport.handleRequest(request, {
      authInfo: authInfoFor(exchange),
      parsedBody: message,
    });
    const end = () => {
      siblings?.delete(transport);
      void server.close().catch(() => {});
    };
    // A 2025-era client that hangs up has not cancelled: its call goes on, only nobody hears of it.
    request.signal.addEventListener('abort', () => siblings?.delete(transport), { once: true });
    return withState(afterBody(response, end), exchange, this.#services);
  }

  #exchange(incoming: EndpointRequest, connection: Connection): Exchange {
    const { caller, spelling, request } = incoming;
    return { caller, connection, spelling, headers: request.headers };
  }
}

/** An instance that serves one request of a connection has not heard who the client is, nor what it wants to be told. */
function exchangeIn(
  { server, state, spelling }: LegacyConnection,
  { caller, request }: EndpointRequest,
): Exchange {
  const told = { client: server.getClientVersion(), log: connectionLog(server) };
  return { caller, connection: state, spelling, headers: request.headers, ...told };
}

/** Calls `end` when the whole body has been sent; at once for a body that is complete already. */
function afterBody(response: Response, end: () => void): Response {
  if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
    end();
    return response;
  }
  const body = response.body.pipeThrough(new TransformStream({ flush: end }));
  return new Response(body, { status: response.status, headers: response.headers });
}

function withState(response: Response, exchange: Exchange, { journal }: McpServices): Response {
  response.headers.set('X-Infold-Seq', String(journal.head().seq));
  if (exchange.state) response.headers.set('X-Context-State', JSON.stringify(exchange.state));
  return response;
}

function isJson(request: Request): boolean {
  return /^application\/json\b/i.test(request.headers.get('content-type') ?? '');
}

/**
 * A call that names its protocol version in `_meta` is never a legacy one. The modern handler classifies every
 * message itself, so asking `isLegacyRequest` first would validate the most frequent message twice.
 */
function isModernCall(message: unknown): boolean {
  const { id, method, params } = (message ?? {}) as {
    id?: unknown;
    method?: unknown;
    params?: { _meta?: Record<string, unknown> | null } | null;
  };
  return method === 'tools/call' && id !== undefined && !!params?._meta?.[PROTOCOL_VERSION_META_KEY];
}

/** Whether what it says is kept for as long as the connection or the stream that it begins. */
function isKept(message: unknown): boolean {
  const { method } = (message ?? {}) as { method?: unknown };
  return method === 'initialize' || method === 'subscriptions/listen';
}

function wantsProgress(message: unknown): boolean {
  const { params } = (message ?? {}) as { params?: { _meta?: { progressToken?: unknown } } };
  return params?._meta?.progressToken !== undefined;
}

/** Who may not read a resource is not told when it changes either. */
function narrowSubscription(message: unknown, readable: (uris: string[]) => string[]): void {
  const { method, params } = (message ?? {}) as {
    method?: unknown;
    params?: { notifications?: Record<string, unknown> };
  };
  const uris = params?.notifications?.resourceSubscriptions;
  if (method !== 'subscriptions/listen' || !Array.isArray(uris)) return;
  params!.notifications!.resourceSubscriptions = readable(uris.filter((uri) => typeof uri === 'string'));
}

interface Cancellation {
  method: 'notifications/cancelled';
  params?: { requestId?: RequestId };
}

function isCancellation(message: unknown): message is Cancellation {
  return (message as { method?: unknown } | null)?.method === 'notifications/cancelled';
}

/** Tells the calls that stream by themselves, and ends the stream of the one that was meant. */
function cancelAside({ aside }: LegacyConnection, message: Cancellation): void {
  for (const transport of aside) {
    transport.onmessage?.(message as never);
    if (message.params?.requestId !== undefined) transport.closeSSEStream(message.params.requestId);
  }
}

async function answerOrRelease(
  { waiting }: LegacyConnection,
  message: unknown,
  answer: Promise<Response>,
): Promise<Response> {
  const id = (message as { id?: RequestId } | null)?.id;
  if (id === undefined) return answer;
  const released = new Promise<Response>((resolve) => waiting.set(id, resolve));
  try {
    return await Promise.race([answer, released]);
  } finally {
    waiting.delete(id);
  }
}

/** Plain HTTP clients that accept only JSON get JSON; the SDK's transport would turn them away. */
function acceptingBoth(request: Request): Request {
  const accept = request.headers.get('accept') ?? '*/*';
  if (accept.includes('application/json') && accept.includes('text/event-stream')) return request;
  const headers = new Headers(request.headers);
  headers.set('accept', 'application/json, text/event-stream');
  return new Request(request.url, { method: request.method, headers });
}

export function rpcFailure(status: number, code: number, message: string, data?: unknown): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message, data }, id: null }, { status });
}
