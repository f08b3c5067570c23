import type { HttpBindings } from '@hono/node-server';
import { RPC_CODES } from '@infold/protocol';
import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import type { Action } from '../call/action.ts';
import { noteDenial } from '../call/denial.ts';
import { MIN_SEQ, reachMinSeq } from '../call/min-seq.ts';
import { HookReceiver } from '../hooks/delivery/receive.ts';
import { sleep } from '../kernel/clock.ts';
import { SPELLINGS, type Spelling } from '../kernel/config.ts';
import { errorBody, InfoldError } from '../kernel/errors.ts';
import type { Database } from '../kernel/sqlite.ts';
import { VERSION } from '../kernel/version.ts';
import type { McpServices } from '../mcp/tools/call.ts';
import { announcesBody, readBody } from '../mcp/transports/body.ts';
import { McpEndpoint, rpcFailure } from '../mcp/transports/endpoint.ts';
import { errorFor } from '../trust/access/hide-paths.ts';
import { requireScope } from '../trust/access/rule.ts';
import { Authenticator } from '../trust/identity/authenticator.ts';
import { type Caller, isLocalOwner } from '../trust/identity/caller.ts';
import { SCOPES } from '../trust/identity/events.ts';
import { type OauthConfig, parseOauthConfig } from '../trust/identity/oauth.ts';
import { resolveProject } from '../trust/identity/projects.ts';
import { TokenWatch } from '../trust/identity/token-watch.ts';
import { Shares } from '../trust/limits/shares.ts';
import { bearerOf } from './access/bearer.ts';
import { HostGuard, isSentUnasked } from './access/guard.ts';
import { STRANGER, UnauthenticatedBudget } from './access/unauthenticated-budget.ts';
import { actionRoutes } from './actions.ts';
import { isStream, OpenStream } from './connections/streams.ts';
import { serveConsole } from './console/index.ts';
import { errorResponse, statusOf } from './errors.ts';
import { eventRoutes } from './events/events.ts';
import { answerHome } from './home/index.ts';
import { hookRoutes } from './hooks.ts';
import type { Metrics } from './metrics.ts';
import { openApiRoutes } from './openapi.ts';
import { accepts, badParameter, withoutSecretNames } from './requests.ts';
import { hasCookie, isMarked, TokenCookies } from './sign-in/cookies.ts';
import { signInRoutes } from './sign-in/index.ts';

export interface HttpServices extends McpServices {
  metrics: Metrics;
  /** Takes in what hosts tell by their hooks; one of its own where hooks are heard in no other way. */
  hooks?: HookReceiver;
  /** What is served besides MCP, by its own addresses. */
  actions: readonly Action[];
  /** False while shutting down: load balancers should look elsewhere. */
  ready: () => boolean;
  /** Where the built console is, if not where the build puts it. */
  consoleFolder?: string;
}

export interface HttpApp {
  readonly routes: readonly { method: string; path: string }[];
  /** Answers that go on, and what waits in them to be read. */
  readonly streams: ReadonlySet<OpenStream>;
  fetch: (request: Request, connection?: NodeConnection) => Response | Promise<Response>;
  close(): Promise<void>;
}

/** The connection that a request came on; tests have none. */
type NodeConnection = Partial<HttpBindings>;
type AppEnvironment = {
  Bindings: NodeConnection;
  Variables: { caller: Caller; readBody: () => Promise<string | undefined> };
};
type AppContext = Context<AppEnvironment>;

/** Everything that is served on the one port. */
export function createHttpApp(services: HttpServices): HttpApp {
  const { config, journal } = services;
  const app = new Hono<AppEnvironment>();
  const streams = new Shares('streams', config.limits);
  const openStreams = new Set<OpenStream>();
  const tokens = new TokenWatch(journal, services.clock);
  const endpoint = new McpEndpoint(services, tokens);
  const guard = new HostGuard(config.host, config.allowedHosts, config.allowedOrigins);
  const oauth = parseOauthConfig(config.oauth);
  const authenticator = new Authenticator(journal.database, services.clock, oauth);
  const callerOf = (context: Context): Caller => context.get('caller') as Caller;
  const hooks = services.hooks ?? new HookReceiver(services);
  const cookies = new TokenCookies(journal.database);
  const identify = async ({ req }: Context): Promise<Caller> =>
    authenticator.callerOf(bearerOf(req.header('authorization')) ?? cookies.tokenIn(req.raw.headers));
  /** A stream outlives the check at its beginning: it ends with the token that opened it. */
  const holdOpen = (response: Response, caller: Caller, request: Request): Response => {
    let release: () => void;
    try {
      release = streams.take(caller);
    } catch (error) {
      services.held.release(request);
      void response.body?.cancel().catch(() => {});
      throw error;
    }
    const stream = new OpenStream(response, config.limits.readerBufferBytes, () => {
      forget();
      release();
      openStreams.delete(stream);
      services.held.release(request);
    });
    openStreams.add(stream);
    const forget = tokens.whenEnded(caller, () => stream.end());
    return stream.response;
  };
  const strangers = new UnauthenticatedBudget(services.limiter, config.limits);
  /** Before anything is read or done for who is unknown. */
  const turnAway = async (context: AppContext, answer: () => Response): Promise<Response> => {
    const beyond = await strangers.beyondBudget();
    if (beyond === 'drop') context.env?.incoming?.socket.destroy();
    return unread(context, beyond instanceof InfoldError ? errorResponse(beyond) : answer());
  };
  const refused = (error: InfoldError, context: Context, who: { org: string; principal: string }) => {
    noteDenial(services, who, context.req.method, context.req.routePath, error);
    return errorResponse(error, oauth && metadataAddress(context));
  };

  app.use(async (context, next) => {
    const refusal = guard.refusal(context.req.header('host'), context.req.header('origin'));
    // Not put on record: any page that somebody opens can cause these, as often as it likes.
    if (refusal) return turnAway(context, () => errorResponse(new InfoldError('forbidden', refusal)));
    await next();
  });
  if (config.allowedOrigins.length > 0) {
    app.use(cors({ origin: config.allowedOrigins, exposeHeaders: EXPOSED }));
  }

  app.get('/healthz', (context) => context.json({ status: 'ok', version: VERSION }));
  app.get('/readyz', async (context) => {
    if (!services.ready()) return context.json({ status: 'stopping' }, 503);
    // How much happens here is not for strangers.
    const isKnown = await identify(context).then(isReader, () => false);
    const node = journal.cluster?.state();
    const known = isKnown && { seq: journal.head().seq, ...(node && { lag: node.lag }) };
    if (!node || node.ready) return context.json({ status: 'ready', ...known });
    const reason = node.reason ?? 'This node follows what it missed';
    return context.json(
      { status: node.reason === undefined ? 'catching up' : 'not ready', reason, ...known },
      503,
    );
  });
  if (oauth) {
    for (const path of [METADATA, `${METADATA}/mcp`]) {
      app.get(path, (context) => context.json(resourceMetadata(context, oauth)));
    }
  }

  // Both also for who has no token yet: the page asks for one.
  app.use(serveConsole(services.consoleFolder));
  app.get('/', async (context) =>
    answerHome(context, services, await identify(context).catch(() => undefined)),
  );

  app.route(
    '/',
    signInRoutes({
      ...services,
      authenticator,
      cookies,
      refuse: (context, error, isOnRecord) => {
        const known = errorFor(undefined, error, services, context.req.path);
        return turnAway(context as AppContext, () =>
          isOnRecord ? refused(known, context, STRANGER) : errorResponse(known),
        );
      },
    }),
  );

  // KERN-10: who is calling is settled before anything is done for the call.
  app.use(async (context, next) => {
    if (context.req.query('token') !== undefined) {
      throw new InfoldError(
        'invalid_arguments',
        'A token in the address ends up in logs: send it as a header',
      );
    }
    const forged =
      context.req.header('authorization') === undefined &&
      cookies.refusal(context.req.method, context.req.raw.headers);
    // Not put on record: what a page of somebody else tried.
    if (forged) return turnAway(context, () => errorResponse(new InfoldError('forbidden', forged)));
    try {
      context.set('caller', await identify(context));
    } catch (error) {
      const known = errorFor(undefined, error, services, context.req.path);
      return turnAway(context, () =>
        isFirstLook(context) ? errorResponse(known) : refused(known, context, STRANGER),
      );
    }
    const caller = callerOf(context);
    if (isLocalOwner(caller)) {
      const refusal = changeRefusal(context, guard);
      // Not put on record either.
      if (refusal) return errorResponse(refusal);
    }
    let leave: () => void;
    let answered: () => void;
    try {
      services.limiter.spend(caller, 'calls');
      services.limiter.spend(caller, 'bytes', Number(context.req.header('content-length') ?? 0));
      leave = services.limiter.enter(caller);
      answered = services.turns.enter(caller);
    } catch (error) {
      // An answer at once would only bring the next request at once, and refusing costs time too.
      await sleep(REFUSAL_DELAY);
      return unread(context, refused(errorFor(caller, error, services, context.req.path), context, caller));
    }
    try {
      context.set('readBody', () => readBody(services, context.req.raw, caller));
      // With a body, the turn comes when it is there.
      if (!announcesBody(context.req.raw.headers)) await services.turns.take(caller);
      const minSeq = context.req.header('x-infold-min-seq') ?? context.req.query(MIN_SEQ);
      if (minSeq !== undefined) await reachMinSeq(journal, minSeq);
      await next();
    } finally {
      leave();
      answered();
      // A call that streams goes on: it keeps what it was asked.
      if (!isStream(context.res)) services.held.release(context.req.raw);
    }
    if (isStream(context.res)) context.res = holdOpen(context.res, caller, context.req.raw);
  });

  app.get('/metrics', async (context) => {
    requireScope(callerOf(context), 'admin');
    return services.metrics.response();
  });
  app.get('/mcp/tools/list', accepts('names'), (context) => {
    requireScope(callerOf(context), 'read');
    return context.json({ tools: services.registry.list(spellingOf(context, config.toolNames)) });
  });
  app.all('/mcp', accepts('names', 'project'), (context) => {
    const caller = callerOf(context);
    const project = context.req.query('project');
    const problem = isBeginning(context) ? unknownProject(journal.database, caller, project) : undefined;
    if (problem) {
      return rpcFailure(statusOf(problem), RPC_CODES.invalidParams, problem.message, errorBody(problem));
    }
    const spelling = spellingOf(context, config.toolNames);
    return endpoint.handle({ request: context.req.raw, caller, spelling, project });
  });

  app.route('/', hookRoutes(services, hooks, callerOf));

  app.use('/api/*', withoutSecretNames(services.scrubber));
  // Pods are served whether or not agents get tools for them, and windows have none.
  const doors: readonly string[] = ['system', 'gateway', 'window', ...config.toolsets];
  const open = services.actions.filter(({ door }) => doors.includes(door));
  app.route('/', actionRoutes(services, open, callerOf));
  app.route('/', eventRoutes(services, callerOf));
  app.route('/', openApiRoutes(open, config, callerOf));

  app.notFound(() =>
    errorResponse(
      new InfoldError(
        'not_found',
        'Nothing is served at this address; GET /api/openapi.json lists the routes',
      ),
    ),
  );
  app.onError((error, context) => {
    const caller = callerOf(context) as Caller | undefined;
    const known = errorFor(caller, error, services, context.req.path);
    const answer = refused(known, context, caller ?? STRANGER);
    // Perhaps in the midst of its body.
    return known.code === 'rate_limited' ? unread(context, answer) : answer;
  });

  const close = () => {
    services.turns.end();
    hooks.close();
    return endpoint.close();
  };
  return {
    routes: app.routes,
    streams: openStreams,
    fetch: (request, connection) => app.fetch(request, connection),
    close,
  };
}

/** A 2025-era connection is named by a header, and keeps the project that it began with. */
function isBeginning({ req }: Context): boolean {
  return req.method === 'POST' && req.header('mcp-session-id') === undefined;
}

/** Every call of a connection to a project that is not there would fail: its first request is told so, and what there is. */
function unknownProject(
  database: Database,
  caller: Caller,
  project: string | undefined,
): InfoldError | undefined {
  if (!project) return undefined;
  try {
    resolveProject(database, caller, project);
  } catch (error) {
    if (InfoldError.isInstance(error) && error.code !== 'project_denied') return error;
  }
  return undefined;
}

const REFUSAL_DELAY = 200;
/** What pages of other origins may read of an answer besides its body. */
const EXPOSED = ['Mcp-Session-Id', 'X-Context-State', 'X-Infold-Seq', 'Retry-After', 'WWW-Authenticate'];
const METADATA = '/.well-known/oauth-protected-resource';

function metadataAddress(context: Context): string {
  return new URL(METADATA, context.req.url).href;
}

/** RFC 9728: tells clients whose tokens are accepted here. */
function resourceMetadata(context: Context, { issuer }: OauthConfig) {
  return {
    resource: new URL('/mcp', context.req.url).href,
    authorization_servers: [issuer],
    scopes_supported: SCOPES.map((scope) => `infold:${scope}`),
    bearer_methods_supported: ['header'],
  };
}

/** The rest of a request that was refused is not read: its connection ends with the answer. */
function unread({ req }: Context, response: Response): Response {
  if (announcesBody(req.raw.headers)) response.headers.set('Connection', 'close');
  return response;
}

/** The console, before it knows whether it needs a token: it shows none, so nothing was tried that should be on record. */
function isFirstLook({ req }: Context): boolean {
  const { headers } = req.raw;
  return isMarked(headers) && !headers.has('authorization') && !hasCookie(headers);
}

function isReader({ scopes }: Caller): boolean {
  return scopes.includes('read');
}

/** Without tokens every request is the owner's, also one that a page of somebody else made the owner's browser send. */
function changeRefusal({ req }: Context, guard: HostGuard): InfoldError | undefined {
  if (['GET', 'HEAD', 'OPTIONS'].includes(req.method)) return undefined;
  const refusal = guard.changeRefusal(req.header('host'), req.header('origin'));
  if (refusal) return new InfoldError('forbidden', refusal);
  if (!announcesBody(req.raw.headers) || !isSentUnasked(req.header('content-type'))) return undefined;
  const message =
    'A body needs a Content-Type such as application/json: without one, or as plain text, any web page could send it';
  return new InfoldError('unsupported_type', message);
}

function spellingOf(context: Context, configured: Spelling | undefined): Spelling {
  const wanted = context.req.query('names') ?? 'seed';
  const spelling = SPELLINGS.find((one) => one === wanted);
  if (!spelling) throw badParameter('names', `must be one of ${SPELLINGS.join(', ')}`);
  return configured ?? spelling;
}
