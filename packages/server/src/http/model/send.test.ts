import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { errorOf } from '../../testing/fixtures.suite.ts';
import { type Outgoing, Sender } from './send.ts';

const outgoing = (port: number, more: Partial<Outgoing> = {}): Outgoing => ({
  name: 'model',
  base: new URL(`http://127.0.0.1:${port}`),
  method: 'POST',
  target: '/v1/messages',
  headers: ['Host', 'localhost', 'Content-Length', '2'],
  begun: [Buffer.from('{}')],
  rest: undefined,
  signal: new AbortController().signal,
  onSent() {},
  ...more,
});

function sender(connectWait?: number): Sender {
  const made = new Sender(connectWait);
  onTestFinished(() => made.close());
  return made;
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer) text += chunk;
  return text;
}

/** Answers requests that come on one connection, then resets it as soon as it is used again. */
async function forgetful(): Promise<{ port: number; connections: Socket[] }> {
  const connections: Socket[] = [];
  const server = createServer((socket) => {
    connections.push(socket);
    let requests = 0;
    socket.on('error', () => {});
    socket.on('data', () => {
      if (++requests > 1) socket.resetAndDestroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections };
}

describe('sending to an upstream', () => {
  test('a kept connection that ends as it is used again is replaced', async () => {
    const { port, connections } = await forgetful();
    const sending = sender();
    for (let round = 0; round < 3; round++) {
      expect(await textOf(await sending.send(outgoing(port)))).toBe('hello');
      // The connection is kept from the next turn of the loop on.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(connections.length).toBeGreaterThan(1);
  });

  test('a connection that does not come about is given up, and said so', async () => {
    // It takes connections and never says a word of TLS.
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const base = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const error = await errorOf(() => sender(80).send(outgoing(0, { base })));
    expect(error).toMatchObject({ code: 'upstream_unreachable', retryable: true });
    expect(error.message).toContain(`upstream "model" at ${base.href}: no connection within 0.08 s`);
  });

  test('an answer may take longer than a connection', async () => {
    const server = createHttpServer((_request, response) => {
      setTimeout(() => response.end('late'), 700);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    expect(await textOf(await sender(500).send(outgoing(port)))).toBe('late');
  });
});
