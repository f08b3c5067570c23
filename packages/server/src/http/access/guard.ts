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
  readonly #origins: Set<string>;
  readonly #anyAddress: boolean;

  constructor(boundHost: string, extra: readonly string[] = [], origins: readonly string[] = []) {
    this.#origins = new Set(origins);
    this.#names = new Set([...LOOPBACK, ...[boundHost, ...extra].map((name) => name.toLowerCase())]);
    this.#anyAddress = !isLoopback(boundHost);
    if (this.#anyAddress) this.#names.add(hostname().toLowerCase());
  }

  /** The reason to refuse, or undefined. A request without `Origin` comes from no web page. */
  refusal(host: string | null | undefined, origin: string | null | undefined): string | undefined {
    if (!host || !this.#isOurs(nameOf(`http://${host}`))) return 'Host not allowed';
    if (origin && !this.#origins.has(origin) && !this.#isOurs(nameOf(origin))) return 'Origin not allowed';
    return undefined;
  }

  /**
   * The reason to refuse a change that no token vouches for. A page on another port of this machine has a name that is
   * ours too, and the browser of its reader would send what it likes.
   */
  changeRefusal(host: string | null | undefined, origin: string | null | undefined): string | undefined {
    if (!origin || this.#origins.has(origin) || origin === originOf(`http://${host}`)) return undefined;
    return `Origin not allowed: without a token, pages of ${origin.slice(0, 200)} may change something here only where "allowedOrigins" names them`;
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

/** Bodies that a page of any site can make a browser send without asking the server first. */
const SENT_UNASKED = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'];

export function isSentUnasked(contentType: string | null | undefined): boolean {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  return type === '' || SENT_UNASKED.includes(type);
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
