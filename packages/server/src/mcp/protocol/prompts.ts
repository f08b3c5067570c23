import { RPC_CODES } from '@infold/protocol';
import { ProtocolError, type Server, type ServerContext } from '@modelcontextprotocol/server';
import type { CallContext } from '../../call/context.ts';
import { readContext } from '../../call/perform.ts';
import type { ListedPrompt, PromptSource } from '../../call/prompt.ts';
import type { McpServices } from '../tools/call.ts';
import type { Exchange } from './exchange.ts';

/** Prompts of one protocol instance, from whatever doors have some. */
export function servePrompts(
  server: Server,
  services: McpServices,
  exchangeOf: (context: ServerContext) => Exchange,
): void {
  const sources = services.prompts ?? [];
  if (sources.length === 0) return;
  const contextOf = (context: ServerContext): CallContext =>
    readContext(services, exchangeOf(context), context.mcpReq.signal);

  server.setRequestHandler('prompts/list', (_request, context) => {
    const toolContext = contextOf(context);
    return { prompts: sources.flatMap((source) => source.list(toolContext)) };
  });

  server.setRequestHandler('prompts/get', (request, context) => {
    const toolContext = contextOf(context);
    const { name, arguments: input = {} } = request.params;
    for (const source of sources) {
      requireArguments(source, name, toolContext, input);
      const prompt = source.get(name, toolContext, input);
      if (!prompt) continue;
      const { description, content } = prompt;
      return {
        ...(description === undefined ? {} : { description }),
        messages: content.map((part) => ({ role: 'user' as const, content: part })),
      };
    }
    throw promptNotFound(
      name,
      sources.flatMap((source) => source.list(toolContext)),
    );
  });
}

const MOST_NAMED = 50;

/** Hosts show an error's message and drop its data. */
function promptNotFound(name: string, listed: readonly ListedPrompt[]): ProtocolError {
  const names = listed.slice(0, MOST_NAMED).map((prompt) => prompt.name);
  const options = names.length === 0 ? 'there are none yet' : `there are ${names.join(', ')}`;
  return new ProtocolError(RPC_CODES.invalidParams, `Prompt not found: ${name.slice(0, 200)} (${options})`);
}

function requireArguments(
  source: PromptSource,
  prompt: string,
  context: CallContext,
  input: Record<string, string>,
): void {
  const { arguments: wanted = [] } = source.list(context).find(({ name }) => name === prompt) ?? {};
  const missing = wanted.filter(({ name, required }) => required && !input[name]).map(({ name }) => name);
  if (missing.length === 0) return;
  throw new ProtocolError(RPC_CODES.invalidParams, `The prompt ${prompt} needs: ${missing.join(', ')}`);
}
