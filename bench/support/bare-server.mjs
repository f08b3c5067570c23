import { Server } from '@modelcontextprotocol/server';

const TOOLS = [
  { name: 'nothing', description: 'Does nothing.', inputSchema: { type: 'object', properties: {} } },
];

/** The least that the SDK can serve: its low-level server, with one tool that does nothing. */
export function createBareServer() {
  const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: TOOLS }));
  server.setRequestHandler('tools/call', () => ({ content: [{ type: 'text', text: 'done' }] }));
  return server;
}
