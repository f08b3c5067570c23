import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createBareServer } from './bare-server.mjs';

/** The bare peer over HTTP. Sessions of the 2025 era have their own address, so that neither era pays for both. */
const modern = toNodeHandler(createMcpHandler(createBareServer, { legacy: 'reject' }));
const sessions = new Map();

const server = createServer(async (request, response) => {
  if (request.url === '/mcp') return modern(request, response);
  const transport = sessions.get(request.headers['mcp-session-id']) ?? (await beginSession());
  await transport.handleRequest(request, response);
});

async function beginSession() {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => {
      sessions.set(id, transport);
    },
  });
  await createBareServer().connect(transport);
  return transport;
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.stdout.write(`listening on http://127.0.0.1:${address?.port}\n`);
});
process.once('SIGTERM', () => process.exit());
