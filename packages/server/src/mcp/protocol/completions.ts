import { RPC_CODES } from '@infold/protocol';
import { ProtocolError, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { readContext } from '../../call/perform.ts';
import type { McpServices } from '../tools/call.ts';
import type { Exchange } from './exchange.ts';

// The protocol's own limit.
const MOST_VALUES = 100;

/** What a person may put into a resource's address, for what was typed so far. Arguments of prompts are free text. */
export function serveCompletions(
  server: Server,
  services: McpServices,
  exchangeOf: (context: ServerContext) => Exchange,
): void {
  server.setRequestHandler('completion/complete', (request, context) => {
    const { ref, argument } = request.params;
    const toolContext = readContext(services, exchangeOf(context), context.mcpReq.signal);
    const found =
      ref.type === 'ref/resource'
        ? services.resources.complete(ref.uri, argument.value, toolContext)
        : services.prompts?.some((source) => source.list(toolContext).some(({ name }) => name === ref.name))
          ? []
          : undefined;
    if (!found) {
      const what = ref.type === 'ref/resource' ? `resource template: ${ref.uri}` : `prompt: ${ref.name}`;
      throw new ProtocolError(RPC_CODES.invalidParams, `There is no such ${what.slice(0, 200)}`);
    }
    return { completion: { values: found.slice(0, MOST_VALUES), hasMore: found.length > MOST_VALUES } };
  });
}
