import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Listening, listen } from './listen.ts';

const TIMEOUTS = { request: 400, headers: 200, passedOn: 60_000, keepAlive: 200, check: 50 };
/** Far beyond the times above, for a machine that is busy with other work. */
const PATIENCE = 30_000;

async function listening(): Promise<Listening> {
  const made = await listen({
    host: '127.0.0.1',
    port: 0,
    fetch: () => new Response('hello'),
    timeouts: TIMEOUTS,
  });
  onTestFinished(() => {
    made.server.closeAllConnections();
    made.server.close();
  });
  return made;
}

/** What a connection got before the server closed it. */
function until(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error('The connection was not closed')), PATIENCE);
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(text);
    });
  });
}

test.each([
  ['sends nothing', ''],
  ['stops in the middle of its headers', 'GET / HTTP/1.1\r\nHost: localh'],
  ['stops in the middle of its body', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc'],
  ['asks for nothing more', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
])('a connection that %s is closed', async (_what, sent) => {
  const { port } = await listening();
  const socket = connect(port, '127.0.0.1');
  if (sent !== '') socket.write(sent);
  const got = await until(socket);
  expect(got).toMatch(
    sent.startsWith('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
      ? /200 OK[\s\S]*hello/
      : /^HTTP\/1.1 \d{3} |^$/,
  );
});

test('who passes requests on has time for them', async () => {
  const { server, port } = await listen({
    host: '127.0.0.1',
    port: 0,
    fetch: () => new Response('hello'),
    passOn: (request, response) => {
      request.pipe(response);
      return true;
    },
    timeouts: TIMEOUTS,
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\nConnection: close\r\n\r\nabc');
  setTimeout(() => socket.write('def'), 3 * TIMEOUTS.request);
  const got = await until(socket);
  expect(got).toMatch(/200 OK[\s\S]*abc[\s\S]*def/);
  expect(got).not.toContain('X-Frame-Options');
});

test('who is refused while it still writes can read why', async () => {
  const { server, port } = await listen({
    host: '127.0.0.1',
    port: 0,
    fetch: () => new Response('too much', { status: 413, headers: { Connection: 'close' } }),
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n');
  // What the system holds for it is not read before it has written for a while.
  socket.pause();
  const piece = 'x'.repeat(64 * 1024);
  for (let written = 0; written < 64 && !socket.destroyed; written++) {
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const got = until(socket);
  socket.resume();
  expect(await got).toMatch(/413[\s\S]*too much/);
});
