import type { ExtensionApi, ToolResult } from './host.ts';
import { Server, type ServerTool } from './server.ts';

/** Offers Infold's tools to Pi, which knows no MCP servers. */
export class Tools {
  readonly #pi: ExtensionApi;
  readonly #command: readonly string[];
  #server: Promise<Server> | undefined;
  /** As Infold names them. */
  readonly names = new Set<string>();

  constructor(pi: ExtensionApi, command: readonly string[]) {
    this.#pi = pi;
    this.#command = command;
  }

  async start(folder: string): Promise<void> {
    this.#server ??= Server.start(this.#command, folder);
    try {
      for (const tool of await (await this.#server).tools()) this.#offer(tool);
    } catch (error) {
      this.#server = undefined;
      throw error;
    }
  }

  async stop(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    this.#server = undefined;
    await server?.close();
  }

  #offer({ name, description = '', inputSchema }: ServerTool): void {
    this.names.add(name);
    this.#pi.registerTool({
      name: nameIn(name),
      label: name,
      description,
      parameters: inputSchema,
      execute: (callId, input, signal, _update, context) =>
        this.#call(name, input, { 'infold/session': context.sessionManager.getSessionId(), callId }, signal),
    });
  }

  async #call(
    name: string,
    input: unknown,
    meta: object,
    signal: AbortSignal | undefined,
  ): Promise<ToolResult> {
    const server = await this.#server;
    if (!server) throw new Error('Infold is not running; /reload starts it again');
    const { content = [], isError } = await server.call(name, input, meta, signal);
    const text = content.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : [])).join('\n');
    // So Pi wants to be told.
    if (isError) throw new Error(text);
    return { content: [{ type: 'text', text }], details: undefined };
  }
}

/** All tools of a host share their names, and ours are plain words. */
function nameIn(name: string): string {
  const plain = name.replaceAll('.', '_');
  return plain.startsWith('infold_') ? plain : `infold_${plain}`;
}
