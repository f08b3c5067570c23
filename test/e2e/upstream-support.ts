import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

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
}

type Answer = (request: Arrived, response: ServerResponse) => unknown;

/** A model's API that notes what it is asked and answers as it is told. */
export async function startUpstream(answer: Answer): Promise<ScriptedUpstream> {
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
  const upstream: ScriptedUpstream = { url: '', port: 0, arrived: [], connections: 0, open: new Set() };
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
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return upstream;
}

export interface RawAnswer {
  status: number;
  message: string;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  body: Buffer;
}

export interface RawRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: Buffer | string;
}

/** A request to the byte: no client of ours or Node's decodes or follows anything. */
export async function send(
  url: string,
  { method = 'POST', headers = {}, body }: RawRequest = {},
): Promise<RawAnswer> {
  const outgoing = httpRequest(url, { method, headers, agent: false });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return {
    status: response.statusCode!,
    message: response.statusMessage!,
    headers: response.headers,
    rawHeaders: response.rawHeaders,
    body: Buffer.concat(chunks),
  };
}

export const JSON_TYPE = { 'content-type': 'application/json' };

/** Server-sent events, as the providers write them. */
export function events(...values: [name: string | undefined, value: unknown][]): string {
  return values
    .map(([name, value]) => {
      const data = typeof value === 'string' ? value : JSON.stringify(value);
      return `${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`;
    })
    .join('');
}
