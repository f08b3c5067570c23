import { once } from 'node:events';
import { createServer } from 'node:http';

/** A model that answers at once: a short stream, or as many megabytes of one as its address says. */
const event = (/** @type {string} */ text) =>
  `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })}\n\n`;
const START = `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 10, output_tokens: 1 } } })}\n\n`;
const END = `event: message_delta\ndata: ${JSON.stringify({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } })}\n\n`;
const PIECE = Buffer.from(event('The value is computed before its file has been read. ').repeat(400));

const server = createServer(async (request, response) => {
  await once(request.resume(), 'end');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(START);
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const bytes = Number(searchParams.get('megabytes') ?? 0) * 1024 * 1024;
  for (let sent = 0; sent < bytes; sent += PIECE.length) {
    if (!response.write(PIECE)) await once(response, 'drain');
  }
  response.end(END);
});
server.listen(0, '127.0.0.1', () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
