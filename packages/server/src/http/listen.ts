import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { InfoldError } from '../kernel/errors.ts';
import { holderOf } from './port-holder.ts';

export interface Listening {
  server: Server;
  url: string;
  port: number;
}

export interface ListenOptions {
  host: string;
  port: number;
  fetch: (request: Request) => Response | Promise<Response>;
}

/** Opens the port, or says who might hold it and what to type instead. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const server = createServer(
    { requestTimeout: 60_000, headersTimeout: 15_000, keepAliveTimeout: 10_000, maxHeaderSize: 32 * 1024 },
    getRequestListener(options.fetch, { overrideGlobalObjects: false }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  }).catch(async (error: NodeJS.ErrnoException) => {
    throw await listenError(error, options);
  });
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return { server, port, url: `http://${host}:${port}` };
}

async function listenError(error: NodeJS.ErrnoException, { host, port }: ListenOptions): Promise<unknown> {
  if (error.code === 'EADDRINUSE') {
    const holder = await holderOf(host, port);
    return new InfoldError(
      'conflict',
      `Port ${port} is taken${holder ? ` by ${holder}` : ''}. Try "infold serve --port ${port + 1}", or --port 0 for any free port`,
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

/** Lets calls in flight finish, then ends what is left. */
export async function stopListening(server: Server, grace: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), grace);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
