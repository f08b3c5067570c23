import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { POD_NAME } from '@infold/protocol';
import { type WebSocket, WebSocketServer } from 'ws';
import { noteDenial } from '../../call/denial.ts';
import { badPodName, mayEnterPod, participantOf } from '../../gateway/access.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { filterFromQuery } from '../../gateway/pod/filter.ts';
import type { Wire } from '../../gateway/pod/member.ts';
import type { Join } from '../../gateway/pod/pod.ts';
import type { WireFrame } from '../../gateway/wire/frame.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { McpServices } from '../../mcp/tools/call.ts';
import { errorFor } from '../../trust/access/hide-paths.ts';
import { Authenticator } from '../../trust/identity/authenticator.ts';
import { type Caller, isLocalOwner } from '../../trust/identity/caller.ts';
import { parseOauthConfig } from '../../trust/identity/oauth.ts';
import { Shares } from '../../trust/limits/shares.ts';
import { bearerOf } from '../access/bearer.ts';
import { HostGuard } from '../access/guard.ts';
import { STRANGER, UnauthenticatedBudget } from '../access/unauthenticated-budget.ts';
import { errorResponse } from '../errors.ts';
import { MODEL_PREFIX } from '../model/address.ts';
import { type HeaderReader, TokenCookies } from '../sign-in/cookies.ts';
import { endLargest } from './unread-answers.ts';

export const WEBSOCKET_PATH = '/ws';
/** What a page offers that has a token: this, and the token behind the other. */
const SUBPROTOCOL = 'infold';
const TOKEN_PREFIX = 'infold.token.';
/** A larger frame ends the connection: it is not even kept to say what is wrong with it. */
const FRAME_FACTOR = 4;
const PARAMETERS = [
  ...['pod', 'topic', 'token', 'participant', 'since', 'epoch'],
  ...['contexts', 'kinds', 'directed', 'descendants', 'filter'],
];
const CLOSE_WAIT = 500;
const INCOMING_CHECK = 200;

/** Not even worth an answer. */
class Dropped extends Error {}

export interface WebSocketServices extends McpServices {
  gateway: Gateway;
  ready: () => boolean;
}

/** Answers upgrades at `/ws`: everything is settled before the connection becomes a WebSocket. */
export function attachWebSockets(server: Server, services: WebSocketServices): { close(): void } {
  const { config } = services;
  const guard = new HostGuard(config.host, config.allowedHosts, config.allowedOrigins);
  const oauth = parseOauthConfig(config.oauth);
  const authenticator = new Authenticator(services.journal.database, services.clock, oauth);
  const cookies = new TokenCookies(services.journal.database);
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // What may be a token is not said back.
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
    maxPayload: FRAME_FACTOR * config.limits.envelopeBytes,
    perMessageDeflate: {
      // Nothing is taken over from message to message: one compressed frame fits all, and idle ones cost nothing.
      serverNoContextTakeover: true,
      clientNoContextTakeover: true,
      serverMaxWindowBits: 15,
      threshold: config.limits.deflateBytes,
    },
  });
  const connections = new Set<SocketWire>();
  const shares = new Shares('sockets', config.limits);
  const strangers = new UnauthenticatedBudget(services.limiter, config.limits);

  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const entry = await admit(request);
    await services.gateway.ready({ ...entry.join, pod: entry.pod });
    if (socket.destroyed) return;
    socket.once('close', shares.take(entry.join.caller));
    sockets.handleUpgrade(request, socket, head, (ws) => {
      const wire = new SocketWire(ws, socket as Socket, config.limits.deflateBytes);
      connections.add(wire);
      try {
        const { pod, member } = services.gateway.join(entry.pod, { ...entry.join, wire });
        ws.on('message', (data, isBinary) => {
          wire.alive = true;
          pod.receive(member, data as Buffer, isBinary);
        });
        ws.once('close', () => {
          connections.delete(wire);
          wire.gone();
          pod.leave(member);
        });
      } catch (error) {
        connections.delete(wire);
        const known = errorFor(entry.join.caller, error, services, WEBSOCKET_PATH);
        ws.close(1013, known.message.slice(0, 120));
      }
    });
  };

  /** KERN-10, KERN-11: where it comes from, who it is, and where it wants to go. */
  async function admit(request: IncomingMessage): Promise<{ pod: string; join: Omit<Join, 'wire'> }> {
    const refusal = guard.refusal(request.headers.host, request.headers.origin);
    if (refusal) throw await stranger(new InfoldError('forbidden', refusal));
    // Over a WebSocket a host would send what is new alone; told so, it posts the whole conversation instead.
    if (request.url?.startsWith(MODEL_PREFIX)) {
      throw new InfoldError('no_websocket', 'Models are served over plain HTTP here, not WebSocket');
    }
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (url.pathname !== WEBSOCKET_PATH) throw new InfoldError('not_found', 'WebSockets are served at /ws');
    if (!services.ready())
      throw new InfoldError('storage_failed', 'The server is stopping', { retryable: true });
    const query = url.searchParams;
    const caller = await callerOf(request, query);
    const pageRefusal =
      isLocalOwner(caller) && guard.changeRefusal(request.headers.host, request.headers.origin);
    if (pageRefusal) throw new InfoldError('forbidden', pageRefusal);
    const pod = query.get('pod') ?? query.get('topic');
    try {
      services.limiter.spend(caller, 'calls');
      await services.turns.take(caller);
      checkParameters(query);
      if (pod === null || !POD_NAME.test(pod)) throw badPodName();
      mayEnterPod(services.journal.database, caller, pod);
      const participant = participantOf(caller, query.get('participant') ?? undefined);
      services.gateway.identifiers.checkName('pod', pod);
      services.gateway.identifiers.checkName('participant', participant);
      return { pod, join: { caller, ...placeOf(query), participant } };
    } catch (error) {
      const known = errorFor(caller, error, services, WEBSOCKET_PATH);
      noteDenial(services, caller, 'join', WEBSOCKET_PATH, known);
      throw known;
    }
  }

  async function callerOf(request: IncomingMessage, query: URLSearchParams): Promise<Caller> {
    try {
      // A browser cannot set headers on a WebSocket but this one: here, and only here, a token may stand there or in the address.
      const given =
        bearerOf(request.headers.authorization) ?? tokenOffered(request) ?? query.get('token') ?? undefined;
      return await authenticator.callerOf(given ?? cookies.tokenInUpgrade(readerOf(request)));
    } catch (error) {
      const known = errorFor(undefined, error, services, WEBSOCKET_PATH);
      const answered = await stranger(known);
      noteDenial(services, STRANGER, 'join', WEBSOCKET_PATH, answered);
      throw answered;
    }
  }

  async function stranger(error: InfoldError): Promise<InfoldError> {
    const beyond = await strangers.beyondBudget();
    if (beyond === 'drop') throw new Dropped();
    return beyond ?? error;
  }

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    upgrade(request, socket, head).catch((error) => {
      if (error instanceof Dropped) socket.destroy();
      else void refuse(socket, errorFor(undefined, error, services, WEBSOCKET_PATH));
    });
  });

  // What came of messages that are not complete yet; who sends them in pieces decides when they are.
  const incoming = setInterval(() => {
    endLargest(
      [...connections].map((wire) => wire.incoming),
      config.limits.requestBytesInAll,
    );
  }, INCOMING_CHECK);
  incoming.unref();
  const heartbeat = setInterval(() => {
    for (const wire of connections) wire.beat();
  }, config.limits.heartbeat);
  heartbeat.unref();
  return {
    close() {
      clearInterval(heartbeat);
      clearInterval(incoming);
      for (const wire of connections) wire.end();
    },
  };
}

/** The token that stands among the subprotocols which a page offers: a header, and in no log of addresses. */
function tokenOffered({ headers }: IncomingMessage): string | undefined {
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  return offered.find((name) => name.startsWith(TOKEN_PREFIX))?.slice(TOKEN_PREFIX.length);
}

const readerOf = ({ headers }: IncomingMessage): HeaderReader => ({
  get: (name) => [headers[name] ?? []].flat()[0],
});

/** A mistyped filter would let everything through. */
function checkParameters(query: URLSearchParams): void {
  const unknown = [...query.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown === undefined) return;
  throw new InfoldError(
    'invalid_arguments',
    `Unknown parameter ${JSON.stringify(unknown.slice(0, 100))}; known are ${PARAMETERS.join(', ')}`,
  );
}

function placeOf(query: URLSearchParams): Pick<Join, 'filter' | 'since' | 'epoch'> {
  const text = query.get('since');
  const since = text === null ? undefined : Number(text);
  if (since !== undefined && !(Number.isSafeInteger(since) && since >= 0 && text !== '')) {
    throw new InfoldError(
      'invalid_arguments',
      'since must be the position (seq) of the last message that you have',
    );
  }
  return { filter: filterFromQuery(query), since, epoch: query.get('epoch') ?? undefined };
}

/** An answer instead of an upgrade, in plain HTTP. */
async function refuse(socket: Duplex, error: InfoldError): Promise<void> {
  if (socket.destroyed) return;
  const response = errorResponse(error);
  const body = await response.text();
  const headers = [
    ...response.headers,
    ['content-length', String(Buffer.byteLength(body))],
    ['connection', 'close'],
  ];
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const status = `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}\r\n`;
  socket.end(`${status}${lines}\r\n${body}`);
}

/** Sockets with something to send: all of a turn's messages to one reader leave with one call to the system. */
let corked: Socket[] = [];
function uncorkAll(): void {
  const sockets = corked;
  corked = [];
  for (const socket of sockets) socket.uncork();
}

/**
 * A member's socket. Messages are framed once for all of them and written past the library, which would frame and
 * write each one anew; control frames and everything that comes in remain the library's.
 */
class SocketWire implements Wire {
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  readonly #deflateFrom: number;
  #draining: Promise<void> | undefined;
  #onGone: (() => void) | undefined;
  alive = true;

  constructor(ws: WebSocket, socket: Socket, deflateBytes: number) {
    this.#ws = ws;
    this.#socket = socket;
    this.#deflateFrom = ws.extensions.includes('permessage-deflate')
      ? deflateBytes
      : Number.POSITIVE_INFINITY;
    ws.on('error', () => {});
    ws.on('pong', () => {
      this.alive = true;
    });
  }

  send(frame: WireFrame): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    const socket = this.#socket;
    if (socket.writableCorked === 0) {
      if (corked.length === 0) process.nextTick(uncorkAll);
      socket.cork();
      corked.push(socket);
    }
    socket.write(frame.bytes >= this.#deflateFrom ? frame.deflated : frame.plain);
  }

  get buffered(): number {
    return this.#socket.writableLength;
  }

  drained(): Promise<void> {
    if (this.#ws.readyState !== this.#ws.OPEN) return Promise.resolve();
    this.#draining ??= new Promise<void>((resolve) => {
      const done = () => {
        this.#socket.off('drain', done);
        this.#draining = undefined;
        this.#onGone = undefined;
        resolve();
      };
      this.#onGone = done;
      // Nothing to wait for: others get their turn all the same.
      if (this.#socket.writableNeedDrain) this.#socket.once('drain', done);
      else setImmediate(done);
    });
    return this.#draining;
  }

  close(code: number, reason: string): void {
    this.#ws.close(code, reason);
  }

  gone(): void {
    this.#onGone?.();
  }

  /** What came of a message that is not complete. The library does not tell, but its receiver knows. */
  get incoming(): { bytes: number; end(): void } {
    const { _receiver } = this.#ws as unknown as {
      _receiver: { _bufferedBytes: number; _messageLength: number } | null;
    };
    const bytes = _receiver ? _receiver._bufferedBytes + _receiver._messageLength : 0;
    return { bytes, end: () => this.#ws.terminate() };
  }

  /** Who gave no sign of life since the last beat is gone without a word. */
  beat(): void {
    if (!this.alive) {
      this.#ws.terminate();
      return;
    }
    this.alive = false;
    if (this.#ws.readyState === this.#ws.OPEN) this.#ws.ping();
  }

  /** The server goes: a moment for the other side to say goodbye, then the end. */
  end(): void {
    const timer = setTimeout(() => this.#ws.terminate(), CLOSE_WAIT);
    timer.unref();
    this.#ws.once('close', () => clearTimeout(timer));
  }
}
