import { ResourceNotFoundError, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { type CallServices, readContext } from './call.ts';
import type { Exchange } from './server.ts';

/**
 * Resources of one protocol instance. 2025-era clients subscribe address by address; on a modern stdio connection
 * the SDK keeps the subscriptions and picks what it needs from everything that changes.
 */
export function serveResources(
  server: Server,
  services: CallServices,
  exchangeOf: (context: ServerContext) => Exchange,
  followAll: boolean,
): void {
  const { resources } = services;
  const subscribed = new Set<string>();
  let stopListening: (() => void) | undefined;
  const tell = (uri: string) => {
    if (followAll || subscribed.has(uri)) server.sendResourceUpdated({ uri }).catch(() => {});
  };
  const listen = () => {
    stopListening ??= resources.listen(tell);
  };
  const stop = () => {
    stopListening?.();
    stopListening = undefined;
  };

  const read = (uri: string, context: ServerContext) => {
    const toolContext = readContext(services, exchangeOf(context), context.mcpReq.signal);
    const content = resources.read(uri, toolContext);
    if (!content) throw new ResourceNotFoundError(uri);
    return content;
  };

  server.setRequestHandler('resources/list', (_request, context) => ({
    resources: resources.list(readContext(services, exchangeOf(context), context.mcpReq.signal)),
  }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: resources.templates() }));
  server.setRequestHandler('resources/read', (request, context) => ({
    contents: [read(request.params.uri, context)],
  }));
  server.setRequestHandler('resources/subscribe', (request, context) => {
    read(request.params.uri, context);
    subscribed.add(request.params.uri);
    listen();
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', (request) => {
    subscribed.delete(request.params.uri);
    if (subscribed.size === 0) stop();
    return {};
  });

  if (followAll) listen();
  const closed = server.onclose;
  server.onclose = () => {
    stop();
    closed?.();
  };
}

/** The addresses of a modern subscription that this caller may read; the others are left out of the answer. */
export function readableUris(services: CallServices, exchange: Exchange, uris: readonly string[]): string[] {
  const context = readContext(services, exchange, new AbortController().signal);
  return uris.filter((uri) => services.resources.read(uri, context) !== undefined);
}
