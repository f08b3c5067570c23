import { RPC_CODES } from '@infold/protocol';
import { ProtocolError, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { requireScope } from '../trust/access.ts';
import type { ToolContext } from '../trust/tool.ts';
import { type CallServices, contextFor } from './call.ts';
import type { Exchange } from './server.ts';

/** Prompts of one protocol instance, from whatever doors have some. */
export function servePrompts(
  server: Server,
  services: CallServices,
  exchangeOf: (context: ServerContext) => Exchange,
): void {
  const sources = services.prompts ?? [];
  if (sources.length === 0) return;
  const contextOf = (context: ServerContext): ToolContext => {
    const { caller, connection, client } = exchangeOf(context);
    requireScope(caller, 'read');
    return contextFor(services, { arguments: {}, caller, connection, client, signal: context.mcpReq.signal });
  };

  server.setRequestHandler('prompts/list', (_request, context) => {
    const toolContext = contextOf(context);
    return { prompts: sources.flatMap((source) => source.list(toolContext)) };
  });

  server.setRequestHandler('prompts/get', (request, context) => {
    const toolContext = contextOf(context);
    const { name } = request.params;
    for (const source of sources) {
      const prompt = source.get(name, toolContext);
      if (!prompt) continue;
      return {
        ...(prompt.description === undefined ? {} : { description: prompt.description }),
        messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt.text } }],
      };
    }
    throw new ProtocolError(RPC_CODES.invalidParams, `Prompt not found: ${name.slice(0, 200)}`);
  });
}
