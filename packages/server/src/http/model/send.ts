import * as http from 'node:http';
import * as https from 'node:https';
import type { TLSSocket } from 'node:tls';
import { InfoldError, messageOf } from '../../kernel/errors.ts';

export interface Outgoing {
  /** As the configuration names it. */
  name: string;
  base: URL;
  method: string;
  target: string;
  /** As in `rawHeaders`. */
  headers: string[];
  /** What is there already, and what still comes. */
  begun: readonly Buffer[];
  rest: http.IncomingMessage | undefined;
  signal: AbortSignal;
  /** Everything that was begun with has left. */
  onSent(): void;
}

const CONNECT_WAIT = 10_000;
const HEADER_BYTES = 128 * 1024;

/** Sends requests to upstreams, over connections that are kept for the next one. */
export class Sender {
  readonly #kept = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  };
  readonly #connectWait: number;

  constructor(connectWait = CONNECT_WAIT) {
    this.#connectWait = connectWait;
  }

  /** The beginning of the upstream's answer. */
  async send(outgoing: Outgoing): Promise<http.IncomingMessage> {
    try {
      return await this.#attempt(outgoing, true);
    } catch (error) {
      // The upstream closed a connection that was kept, just as it was used again: nothing of the request was served.
      if (!(error instanceof Stale) || outgoing.signal.aborted) throw unreachable(outgoing, error);
      return this.#attempt(outgoing, false).catch((again: unknown) => {
        throw unreachable(outgoing, again);
      });
    }
  }

  close(): void {
    for (const agent of Object.values(this.#kept)) agent.destroy();
  }

  #attempt(outgoing: Outgoing, mayReuse: boolean): Promise<http.IncomingMessage> {
    const { base, method, target: path, headers, begun, rest, signal, onSent } = outgoing;
    const protocol = base.protocol as 'http:' | 'https:';
    const client = protocol === 'https:' ? https : http;
    return new Promise((resolve, reject) => {
      const request = client.request({
        // What only comes once cannot be sent again.
        agent: mayReuse && !rest ? this.#kept[protocol] : false,
        protocol,
        hostname: base.hostname.replace(/^\[|\]$/g, ''),
        ...(base.port === '' ? {} : { port: base.port }),
        method,
        path,
        headers,
        maxHeaderSize: HEADER_BYTES,
        signal,
      });
      this.#limitConnecting(request);
      request.once('response', resolve);
      // After the answer began this tells nothing that the answer does not.
      request.on('error', (error: NodeJS.ErrnoException) => {
        reject(request.reusedSocket && error.code === 'ECONNRESET' ? new Stale() : error);
      });
      request.once('close', onSent);
      for (const chunk of begun) request.write(chunk);
      if (rest) rest.pipe(request).once('finish', onSent);
      else request.end(onSent);
    });
  }

  /** A long answer is waited for as long as it takes, but not a connection. */
  #limitConnecting(request: http.ClientRequest): void {
    request.once('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(() => {
        request.destroy(new Error(`no connection within ${this.#connectWait / 1000} s`));
      }, this.#connectWait);
      const isSecure = (socket as TLSSocket).encrypted === true;
      socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(timer));
      socket.once('close', () => clearTimeout(timer));
    });
  }
}

class Stale extends Error {}

function unreachable({ name, base }: Outgoing, error: unknown): InfoldError {
  const why = error instanceof AggregateError ? messageOf(error.errors[0]) : messageOf(error);
  return new InfoldError(
    'upstream_unreachable',
    `Infold could not reach the upstream "${name}" at ${base.href}: ${why}`,
    { retryable: true, cause: error },
  );
}
