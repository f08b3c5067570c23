import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { DemoProgram } from './program.ts';

export interface Connections {
  /** An MCP client over HTTP, with the project of this name to itself. */
  connect(project: string): Promise<Client>;
  close(): Promise<void>;
}

/** The program's server with these projects, and clients of it. */
export async function startConnections(
  { startServer, version }: DemoProgram,
  projects: readonly string[],
): Promise<Connections> {
  const server = await startServer(projects);
  const clients: Client[] = [];
  return {
    async connect(project) {
      const client = new Client({ name: 'infold-demo', version }, { versionNegotiation: { mode: 'auto' } });
      const address = new URL(`/mcp?names=portable&project=${encodeURIComponent(project)}`, server.url);
      // A request of this era belongs to no connection: without a word on it, no two calls are of one session.
      const headers = { 'x-infold-session': `demo-${project}` };
      await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients.splice(0)) await client.close().catch(() => {});
      await server.close();
    },
  };
}
