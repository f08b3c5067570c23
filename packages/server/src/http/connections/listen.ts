import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { InfoldError } from '../../kernel/errors.ts';
import { holderOf } from './port-holder.ts';

export interface Listening {
  server: Server;
  url: string;
  port: number;
  calls: CallsInFlight;
}

/** Requests that are owed an answer. Streams of notifications are not: they stay open for as long as we let them. */
class CallsInFlight {
  #count = 0;
  #onNone: (() => void) | undefined;

  readonly track = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.method === 'GET' || request.headers['mcp-method'] === 'subscriptions/listen') return;
    this.#count++;
    response.once('close', () => {
      if (--this.#count === 0) this.#onNone?.();
    });
  };

  /** Resolves when all are answered, or the time for that is over. */
  answered(grace: number): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, grace);
      this.#onNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

export interface ListenOptions {
  host: string;
  port: number;
  fetch: (request: Request, connection: HttpBindings) => Response | Promise<Response>;
  /** Asked before `fetch`: true says that it answers this one, with headers of its own and in its own time. */
  passOn?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Connections at once; a further one is closed. */
  connections?: number;
  timeouts?: Timeouts;
}

/** Milliseconds. */
export interface Timeouts {
  /** For the whole of a request, and for its headers: who sends nothing at all is waited for no longer. */
  request: number;
  headers: number;
  /** For the whole of one that is passed on: it may be large, and the line to its sender slow. */
  passedOn: number;
  /** How long a connection is kept for the next request. */
  keepAlive: number;
  /** How often Node looks for those that took too long; what is over its time lasts at most this much longer. */
  check: number;
}

const TIMEOUTS: Timeouts = {
  request: 60_000,
  headers: 15_000,
  passedOn: 15 * 60_000,
  keepAlive: 10_000,
  check: 5000,
};

/** Answers are data: no browser has a reason to frame them, sniff their type or run anything from them. */
const SAFE_HEADERS = [
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'no-referrer'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cache-Control', 'no-store'],
] as const;

/** Opens the port, or says who might hold it and what to type instead. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const answer = getRequestListener(
    (request, connection) => options.fetch(request, connection as HttpBindings),
    { overrideGlobalObjects: false },
  );
  const { timeouts = TIMEOUTS } = options;
  const server = createServer(
    {
      requestTimeout: timeouts.passedOn,
      headersTimeout: timeouts.headers,
      keepAliveTimeout: timeouts.keepAlive,
      connectionsCheckingInterval: timeouts.check,
      maxHeaderSize: 32 * 1024,
    },
    (request, response) => {
      if (options.passOn?.(request, response)) return;
      lingerAfterAnswer(request);
      endSlow(request, response, timeouts.request);
      for (const [name, value] of SAFE_HEADERS) response.setHeader(name, value);
      return answer(request, response);
    },
  );
  if (options.connections !== undefined) server.maxConnections = options.connections;
  const calls = new CallsInFlight();
  server.on('request', calls.track);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  }).catch(async (error: NodeJS.ErrnoException) => {
    throw await listenError(error, options);
  });
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return { server, port, url: `http://${host}:${port}`, calls };
}

/** Node has one time for all requests of a server. */
function endSlow(request: IncomingMessage, response: ServerResponse, milliseconds: number): void {
  if (!announcesBody(request)) return;
  const timer = setTimeout(() => {
    if (request.complete) return;
    if (!response.headersSent)
      request.socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
    request.socket.destroy();
  }, milliseconds);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
}

const LINGER = 1000;
const LINGER_BYTES = 8 * 1024 * 1024;

/**
 * Who is answered before all of its body came is still writing. Closed at once, its system would throw the answer away
 * with the connection: so we close for writing, and read on for a moment.
 */
function lingerAfterAnswer(request: IncomingMessage): void {
  if (!announcesBody(request)) return;
  const { socket } = request;
  const destroySoon = socket.destroySoon;
  socket.destroySoon = () => {
    socket.destroySoon = destroySoon;
    if (request.complete) return socket.destroySoon();
    const most = socket.bytesRead + LINGER_BYTES;
    const timer = setTimeout(() => socket.destroy(), LINGER);
    timer.unref();
    request.on('data', () => {
      if (socket.bytesRead > most) socket.destroy();
    });
    request.once('end', () => socket.destroy());
    socket.once('close', () => clearTimeout(timer));
    socket.end();
  };
  request.once('close', () => {
    if (request.complete) socket.destroySoon = destroySoon;
  });
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

async function listenError(error: NodeJS.ErrnoException, { host, port }: ListenOptions): Promise<unknown> {
  if (error.code === 'EADDRINUSE') {
    const holder = await holderOf(host, port);
    return new InfoldError(
      'conflict',
      `Port ${port} is taken${holder ? ` by ${holder}` : ''}. Try "infold serve --port ${port + 1}" (in the checkout "npm start -- --port ${port + 1}"), or --port 0 for any free port`,
    );
  }
  if (error.code === 'EACCES') {
    return new InfoldError('forbidden', `Port ${port} may not be opened by this user. Try a port above 1023`);
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new InfoldError('invalid_arguments', `This machine has no address ${host}. Try --host 127.0.0.1`);
  }
  return error;
}

const LAST_BYTES = 100;

/** KERN-15: takes no new calls, lets those in flight be answered, then ends the streams and what is left. */
export async function stopListening(
  { server, calls }: Listening,
  grace: number,
  endStreams: () => Promise<void>,
): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  await calls.answered(grace);
  await endStreams();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), LAST_BYTES);
  await closed;
  clearTimeout(timer);
}
