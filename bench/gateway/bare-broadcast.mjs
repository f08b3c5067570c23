import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

/** The floor: parses each message once and sends the same buffer to everyone. No names, no checks, no history. */
const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', (socket) => {
  socket.on('error', () => {});
  socket.on('message', (data) => {
    const buffer = Buffer.from(JSON.stringify(JSON.parse(String(data))));
    for (const client of sockets.clients) client.send(buffer, { binary: false });
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.stdout.write(`listening on http://127.0.0.1:${address.port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
