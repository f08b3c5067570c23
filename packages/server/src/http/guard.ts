import { isIP } from 'node:net';
import { hostname } from 'node:os';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]', '::1'];

export function isLoopback(host: string): boolean {
  return LOOPBACK.includes(host) || (isIP(host) === 4 && host.startsWith('127.'));
}

/**
 * Which `Host` and `Origin` are ours. A page of another site can make a browser send requests here, under a name
 * that its owner points at this address (DNS rebinding); its own name gives it away.
 */
export class HostGuard {
  readonly #names: Set<string>;
  readonly #anyAddress: boolean;

  constructor(boundHost: string, extra: readonly string[] = []) {
    this.#names = new Set([...LOOPBACK, ...[boundHost, ...extra].map((name) => name.toLowerCase())]);
    this.#anyAddress = !isLoopback(boundHost);
    if (this.#anyAddress) this.#names.add(hostname().toLowerCase());
  }

  /** The reason to refuse, or undefined. A request without `Origin` comes from no web page. */
  refusal(host: string | null | undefined, origin: string | null | undefined): string | undefined {
    if (!host || !this.#isOurs(nameOf(`http://${host}`))) return 'Host not allowed';
    if (origin && !this.#isOurs(nameOf(origin))) return 'Origin not allowed';
    return undefined;
  }

  #isOurs(name: string | undefined): boolean {
    if (name === undefined) return false;
    if (this.#names.has(name)) return true;
    // Bound to the network, the machine is reached by addresses that we cannot list; an address is no rebound name.
    return this.#anyAddress && isIP(name.replace(/^\[|\]$/g, '')) !== 0;
  }
}

function nameOf(url: string): string | undefined {
  try {
    const { protocol, hostname: name } = new URL(url);
    return protocol === 'http:' || protocol === 'https:' ? name.toLowerCase() : undefined;
  } catch {
    return undefined;
  }
}
