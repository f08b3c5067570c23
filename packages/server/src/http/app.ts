import { type Context, Hono } from 'hono';
import { InfoldError } from '../kernel/errors.ts';
import { VERSION } from '../kernel/version.ts';
import { asInfoldError } from '../mcp/call.ts';
import { McpEndpoint } from '../mcp/endpoint.ts';
import { authenticate, type Caller, requireScope } from '../trust/caller.ts';
import { errorResponse } from './errors.ts';
import { HostGuard } from './guard.ts';
import type { Metrics } from './metrics.ts';
import { type FoldRouteServices, foldRoutes } from './routes/fold.ts';

export interface HttpServices extends FoldRouteServices {
  metrics: Metrics;
  /** False while shutting down: load balancers should look elsewhere. */
  ready: () => boolean;
}

export interface HttpApp {
  fetch: (request: Request) => Response | Promise<Response>;
  close(): Promise<void>;
}

/** Everything that is served on the one port. */
export function createHttpApp(services: HttpServices): HttpApp {
  const { config, journal } = services;
  const app = new Hono();
  const endpoint = new McpEndpoint(services);
  const guard = new HostGuard(config.host, config.allowedHosts);
  const callerOf = (context: Context): Caller =>
    authenticate(journal.database, bearerOf(context.req.header('authorization')), services.clock());

  app.use(async (context, next) => {
    const refusal = guard.refusal(context.req.header('host'), context.req.header('origin'));
    if (refusal) return errorResponse(new InfoldError('forbidden', refusal));
    await next();
  });

  app.get('/healthz', (context) => context.json({ status: 'ok', version: VERSION }));
  app.get('/readyz', (context) => {
    if (!services.ready()) return context.json({ status: 'stopping' }, 503);
    return context.json({ status: 'ready', seq: journal.head().seq });
  });
  app.get('/metrics', async (context) => {
    requireScope(callerOf(context), 'read');
    return services.metrics.response();
  });
  app.get('/mcp/tools/list', (context) => {
    requireScope(callerOf(context), 'read');
    return context.json({ tools: services.registry.list(spellingOf(context, config.toolNames)) });
  });
  app.all('/mcp', (context) =>
    endpoint.handle({
      request: context.req.raw,
      caller: callerOf(context),
      spelling: spellingOf(context, config.toolNames),
      project: context.req.query('project'),
    }),
  );

  if (config.toolsets.includes('fold')) app.route('/api', foldRoutes(services, callerOf));

  app.notFound(() => errorResponse(new InfoldError('not_found', 'There is nothing at this address')));
  app.onError((error, context) => errorResponse(asInfoldError(error, services.log, context.req.path)));

  return { fetch: (request) => app.fetch(request), close: () => endpoint.close() };
}

function bearerOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const match = /^Bearer +([^\s]+)$/i.exec(header);
  if (!match) throw new InfoldError('unauthenticated', 'The Authorization header must be "Bearer <token>"');
  return match[1];
}

function spellingOf(context: Context, configured: 'seed' | 'portable' | undefined): 'seed' | 'portable' {
  if (configured) return configured;
  return context.req.query('names') === 'portable' ? 'portable' : 'seed';
}
