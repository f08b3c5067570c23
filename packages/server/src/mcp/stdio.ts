import { RPC_CODES } from '@infold/protocol';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Spelling } from '../kernel/config.ts';
import { localOwner } from '../trust/caller.ts';
import { Connection } from '../trust/sessions/resolve.ts';
import type { CallServices } from './call.ts';
import { createProtocolServer, type Exchange } from './server.ts';

export interface StdioSession {
  /** Resolves when the host has gone away or `close` was called. */
  ended: Promise<void>;
  close(): Promise<void>;
}

/** Serves the host that started this process. The process is one connection of the local owner. */
export function serveHost(services: CallServices, project: string, spelling: Spelling): StdioSession {
  const exchange: Exchange = { caller: localOwner, connection: new Connection(project), spelling };
  const transport = new StdioServerTransport(process.stdin, process.stdout, {
    // The limit is the request's size; leave room for the line that is being read when it is passed.
    maxBufferSize: services.config.limits.requestBytes * 4,
  });
  const handle = serveStdio(() => createProtocolServer(services, exchange), {
    transport,
    onerror: (error) => {
      services.log.debug({ err: error }, 'stdio message refused');
      if (error instanceof SyntaxError) refuseBrokenLine();
    },
  });
  const ended = new Promise<void>((resolve) => {
    const forward = transport.onclose;
    transport.onclose = () => {
      forward?.();
      resolve();
    };
  });
  return { ended, close: () => handle.close() };
}

/** The SDK only reports a line that is not JSON; a host that waits for an answer deserves one. */
function refuseBrokenLine(): void {
  const error = { code: RPC_CODES.parseError, message: 'Parse error: the line is not valid JSON' };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error })}\n`);
}
