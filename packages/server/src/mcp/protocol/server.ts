import { META, RPC_CODES } from '@infold/protocol';
import {
  type AuthInfo,
  CLIENT_INFO_META_KEY,
  ProtocolError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { ClientLog } from '../../call/context.ts';
import type { InfoldError } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { VERSION } from '../../kernel/version.ts';
import { errorFor } from '../../trust/access/hide-paths.ts';
import type { ClientIdentity } from '../../trust/clients/client.ts';
import { noteClientUse } from '../../trust/clients/last-seen.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { resolveProject } from '../../trust/identity/projects.ts';
import { hostSessionUnder } from '../../trust/sessions/host-processes.ts';
import { onlyOpenIn } from '../../trust/sessions/queries.ts';
import { hostOfClient } from '../hosts/client-hosts.ts';
import { callIdIn, hostSessionIn, hostSessionOf } from '../hosts/host-session.ts';
import { callTool, type McpServices } from '../tools/call.ts';
import { announceChanges } from './changes.ts';
import { serveCompletions } from './completions.ts';
import type { Exchange } from './exchange.ts';
import { servePrompts } from './prompts.ts';
import { serveResources } from './resource-handlers.ts';

/**
 * One protocol instance, for whoever opened it. The SDK wants a new one for each modern request, so everything costly is
 * made before: the tool list and the schemas are the registry's.
 */
export function createProtocolServer(
  services: McpServices,
  era: 'modern' | 'legacy',
  opened: Exchange,
  transport: 'stdio' | 'http',
): Server {
  const server = new ProtocolServer(
    (error, method, context) => failureOf(services, exchangeOf(context).caller, error, method),
    { name: 'infold', title: 'Infold', version: VERSION },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
        logging: {},
        ...(services.prompts?.length ? { prompts: { listChanged: true } } : {}),
      },
      instructions: services.registry.instructions(opened.spelling),
    },
  );
  const exchangeOf = (context: ServerContext): Exchange => {
    const exchange = transport === 'stdio' ? opened : exchangeFrom(context.http?.authInfo);
    exchange.client = clientIn(context) ?? exchange.client ?? server.getClientVersion();
    return exchange;
  };

  server.turnOf = (context) => {
    const { isBatch, caller } = exchangeOf(context);
    return isBatch ? services.turns.take(caller) : undefined;
  };
  server.setRequestHandler('tools/list', (_request, context) => {
    const exchange = exchangeOf(context);
    const { spelling } = exchange;
    noteUse(services, exchange);
    return { tools: services.registry.list(spelling) };
  });

  server.setRequestHandler('tools/call', { params: callParameters }, async (parameters, context) => {
    const exchange = exchangeOf(context);
    noteUse(services, exchange);
    const { name, arguments: input } = parameters;
    const token = context.mcpReq._meta?.progressToken;
    const told = hostSessionIn(context.mcpReq._meta, exchange.headers);
    const notices = [told.notice, sessionOfProcess(services, exchange)].filter(
      (notice) => notice !== undefined,
    );
    const outcome = await callTool(services, {
      name,
      arguments: input,
      caller: exchange.caller,
      connection: exchange.connection,
      client: exchange.client,
      hostSession: told.id ?? sessionByHooks(services, exchange),
      callId: callIdIn(context.mcpReq._meta),
      minSeq: context.mcpReq._meta?.[META.minSeq],
      notices,
      signal: context.mcpReq.signal,
      log: exchange.log ?? (era === 'modern' ? requestLog(context) : connectionLog(server)),
      ...(token === undefined ? {} : { progress: progressTo(context, token) }),
    });
    if (outcome.state) exchange.state = outcome.state;
    if ('failure' in outcome) throw rpcError(outcome.failure);
    return outcome.result;
  });

  serveCompletions(server, services, exchangeOf);
  servePrompts(server, services, exchangeOf);
  const watched = serveResources(server, services, exchangeOf);
  // A modern HTTP client is told by the endpoint's subscriptions. On a modern stdio connection the SDK keeps those, and
  // picks what it needs from everything that changes.
  const isModern = era === 'modern';
  if (!isModern || transport === 'stdio') {
    const isWatched = (uri: string) => isModern || watched.has(uri);
    announceChanges(server, services, opened, { isWatched, fromTheStart: isModern });
  }
  return server;
}

/** A host's client has our tools: of those of the fold door `context_expand` is one. */
function noteUse({ journal, config, clock }: McpServices, { client, caller }: Exchange): void {
  const host = client && hostOfClient(client.name);
  if (host === undefined) return;
  const canExpand = config.toolsets.includes('fold');
  noteClientUse(journal.database, { owner: caller, host, canExpand }, clock());
}

/**
 * Who the client is says whose variable in the environment is meant, and is known when it calls. What hooks of the same host
 * say outranks it: the variable is that of the session in which the host started us. Answers a notice.
 */
function sessionOfProcess(
  { journal, clock }: McpServices,
  { environment, parentProcess, client, connection, caller }: Exchange,
): string | undefined {
  if (!environment || connection.isFixed) return undefined;
  let notice: string | undefined;
  if (connection.hostSession === undefined && connection.session === undefined) {
    const told = hostSessionOf(environment, client?.name);
    connection.hostSession = told.id;
    notice = told.notice;
  }
  if (parentProcess === undefined) return notice;
  const { hostSession } = connection;
  const followed = hostSessionUnder(journal.database, caller, parentProcess, hostSession, clock());
  if (followed === undefined) return notice;
  connection.follow(followed);
  return undefined;
}

/**
 * A host that tells nothing over HTTP may have one session open, as its hooks say: then it is that one. Where it has several,
 * nothing says which.
 */
function sessionByHooks(
  { journal, clock, config }: McpServices,
  { environment, client, connection, caller }: Exchange,
): string | undefined {
  const host = client && hostOfClient(client.name);
  if (environment || host === undefined || connection.session !== undefined) return undefined;
  const { database } = journal;
  const project = connection.project && knownProject(database, caller, connection.project);
  const lifetime = { now: clock(), lifetime: config.limits.sessionLifetime };
  return onlyOpenIn(database, caller, host, project, lifetime);
}

/** Whether it is one that the caller may have is found out by the call itself. */
function knownProject(database: Database, caller: Caller, spec: string): string | undefined {
  try {
    return resolveProject(database, caller, spec).id;
  } catch {
    return undefined;
  }
}

/**
 * The SDK would check every call twice and every result once against its schemas. A tool's own schema checks the
 * arguments, and a `CallResult` is a result, so only the two parameters are looked at.
 */
class ProtocolServer extends Server {
  /** Set before anything is received. */
  turnOf: ((context: ServerContext) => Promise<void> | undefined) | undefined;
  readonly #failure: (error: unknown, method: string, context: ServerContext) => unknown;

  constructor(
    failure: (error: unknown, method: string, context: ServerContext) => unknown,
    ...parts: ConstructorParameters<typeof Server>
  ) {
    super(...parts);
    this.#failure = failure;
  }

  protected override _wrapHandler(...[method, handler]: Parameters<Server['_wrapHandler']>) {
    const handle = method === 'tools/call' ? handler : super._wrapHandler(method, handler);
    return async (...[request, context]: Parameters<typeof handle>) => {
      try {
        await this.turnOf?.(context);
        return await handle(request, context);
      } catch (error) {
        throw this.#failure(error, method, context);
      }
    };
  }
}

/** The SDK tells a client the message of whatever is thrown. */
function failureOf(services: McpServices, caller: Caller, error: unknown, method: string): unknown {
  return error instanceof ProtocolError ? error : errorFor(caller, error, services, method);
}

const callParameters = z.looseObject({
  name: z.string('must be a string'),
  arguments: z
    .custom<object>(
      (input) => typeof input === 'object' && input !== null && !Array.isArray(input),
      'must be an object',
    )
    .optional(),
});

const clientInfo = z.object({ name: z.string(), version: z.string() });

function clientIn({ mcpReq }: ServerContext): ClientIdentity | undefined {
  const envelope: Record<string, unknown> = mcpReq.envelope ?? {};
  return clientInfo.safeParse(envelope[CLIENT_INFO_META_KEY]).data;
}

const EXCHANGE = 'infold.exchange';

/** The SDK hands a request's auth information to its handlers; the exchange rides along. */
export function authInfoFor(exchange: Exchange) {
  return {
    token: '',
    clientId: exchange.caller.principal,
    scopes: [...exchange.caller.scopes],
    extra: { [EXCHANGE]: exchange },
  };
}

export function exchangeFrom(authInfo: AuthInfo | undefined): Exchange {
  const exchange = authInfo?.extra?.[EXCHANGE];
  if (!exchange) throw new Error('A request reached the protocol server without its exchange');
  return exchange as Exchange;
}

const LOGGER = 'infold';

/** A 2026-era request says itself what it wants to be told, and gets it before its answer. */
function requestLog(context: ServerContext): ClientLog {
  return (level, message) => void context.mcpReq.log(level, message, LOGGER).catch(() => {});
}

/**
 * A 2025-era client sets the level once, and is told on the stream that its connection keeps open: its calls are
 * answered with one JSON body, in which nothing else has a place.
 */
export function connectionLog(server: Server): ClientLog {
  return (level, message) => {
    const params = { level, logger: LOGGER, data: message };
    server.sendLoggingMessage(params, server.transport?.sessionId).catch(() => {});
  };
}

function progressTo(context: ServerContext, progressToken: string | number) {
  return (progress: number, total: number, message?: string) => {
    const params = { progressToken, progress, total, ...(message === undefined ? {} : { message }) };
    // A client that went away is told nothing more; the call itself is cancelled through its signal.
    context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

function rpcError({ rpc, message }: InfoldError): ProtocolError {
  return new ProtocolError(rpc?.code ?? RPC_CODES.internal, message, rpc?.data);
}
