import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What arrived at a model's API. */
export interface Arrived {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  body: Buffer;
}

export interface ScriptedUpstream {
  url: string;
  port: number;
  arrived: Arrived[];
  /** Connections that were made to it so far, and those that are open. */
  connections: number;
  open: Set<Socket>;
  close(): void;
}

export type Answer = (request: Arrived, response: ServerResponse) => unknown;

/** A model's API that notes what it is asked and answers as it is told, until it is closed. */
export async function openUpstream(answer: Answer): Promise<ScriptedUpstream> {
  const server = createServer(async (request, response) => {
    response.on('error', () => {});
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const { method = '', url = '', headers, rawHeaders } = request;
    const one = { method, url, headers, rawHeaders, body: Buffer.concat(chunks) };
    upstream.arrived.push(one);
    await answer(one, response);
  });
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  const upstream: ScriptedUpstream = {
    url: '',
    port: 0,
    arrived: [],
    connections: 0,
    open: new Set(),
    close,
  };
  server.on('connection', (socket) => {
    upstream.connections++;
    upstream.open.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => upstream.open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  upstream.port = (server.address() as AddressInfo).port;
  upstream.url = `http://127.0.0.1:${upstream.port}`;
  return upstream;
}
