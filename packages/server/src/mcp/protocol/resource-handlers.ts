import { RPC_CODES } from '@infold/protocol';
import {
  ProtocolError,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { readContext } from '../../call/perform.ts';
import type { McpServices } from '../tools/call.ts';
import type { Exchange } from './exchange.ts';

/** What an address takes besides its characters. */
const ADDRESS_BYTES = 64;

/** Resources of one protocol instance. Answers those that its client watches; 2025-era clients name them one by one. */
export function serveResources(
  server: Server,
  services: McpServices,
  exchangeOf: (context: ServerContext) => Exchange,
): ReadonlySet<string> {
  const { resources } = services;
  const watched = new Set<string>();
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
    const { uri } = request.params;
    read(uri, context);
    const most = services.config.limits.httpConnectionBytes;
    const bytes = [...watched, uri].reduce((sum, { length }) => sum + length + ADDRESS_BYTES, 0);
    if (bytes > most && !watched.has(uri)) {
      const message = `The addresses that one connection subscribes to may have at most ${most} bytes; unsubscribe from some`;
      throw new ProtocolError(RPC_CODES.invalidParams, message);
    }
    watched.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', (request) => {
    watched.delete(request.params.uri);
    return {};
  });
  return watched;
}

/** The addresses of a modern subscription that this caller may read; the others are left out of the answer. */
export function readableUris(services: McpServices, exchange: Exchange, uris: readonly string[]): string[] {
  const context = readContext(services, exchange, new AbortController().signal);
  return uris.filter((uri) => services.resources.read(uri, context) !== undefined);
}
