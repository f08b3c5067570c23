import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Spelling } from '../../kernel/config.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import type { Connection } from '../../trust/sessions/resolve.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { createProtocolServer } from '../protocol/server.ts';
import type { McpServices } from '../tools/call.ts';
import { LineTransport } from './line-transport.ts';

export interface StdioSession {
  /** Resolves when the host has gone away or `close` was called. */
  ended: Promise<void>;
  /** Lets calls in flight be answered, then ends. */
  close(): Promise<void>;
}

// KERN-15: with what follows, well within the 5 seconds that a host may have to wait for us.
const DRAIN = 2000;

/** Serves the host that started this process. The process is one connection of the local owner, in either era. */
export function serveHost(services: McpServices, connection: Connection, spelling: Spelling): StdioSession {
  const exchange: Exchange = {
    caller: localOwner,
    connection,
    spelling,
    environment: process.env,
    parentProcess: process.ppid,
  };
  const transport = new LineTransport(process.stdin, process.stdout, {
    limit: services.config.limits.requestBytes,
    grace: DRAIN,
  });
  const handle = serveStdio(({ era }) => createProtocolServer(services, era, exchange, 'stdio'), {
    transport,
    onerror: (error) => services.log.debug({ err: error }, 'stdio message refused'),
  });
  const ended = new Promise<void>((resolve) => {
    const forward = transport.onclose;
    transport.onclose = () => {
      forward?.();
      resolve();
    };
  });
  return { ended, close: () => transport.drained().then(() => handle.close()) };
}
