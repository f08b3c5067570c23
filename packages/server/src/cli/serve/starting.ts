import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Config } from '../../kernel/config.ts';
import { VERSION } from '../../kernel/version.ts';

/**
 * A node may follow what it missed for minutes before it serves. Whoever watches the port is told that it is alive, and that
 * it should not be asked yet. Returns the way to stop.
 */
export async function answerProbes({
  host,
  port,
}: Pick<Config, 'host' | 'port'>): Promise<() => Promise<void>> {
  // Nobody knows the port before it serves.
  if (port === 0) return async () => {};
  const server = createServer((request, response) => {
    const isAlive = request.url === '/healthz';
    const reason = 'This node follows what it missed';
    const body = isAlive
      ? { status: 'ok', version: VERSION }
      : request.url === '/readyz'
        ? { status: 'catching up', reason }
        : { error: `${reason}; try again in 1 s`, code: 'unavailable', retryable: true, retryAfter: 1 };
    response.writeHead(isAlive ? 200 : 503, {
      'Content-Type': 'application/json',
      ...(isAlive ? {} : { 'Retry-After': '1' }),
    });
    response.end(JSON.stringify(body));
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch {
    // Who holds the port is told when this node would serve.
    return async () => {};
  }
  return async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
}
