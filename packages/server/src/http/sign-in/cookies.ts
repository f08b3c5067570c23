import { dirname, join } from 'node:path';
import { InfoldError } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { Seal } from './seal.ts';

/** Headers of a request, by lower-case names. */
export interface HeaderReader {
  get(name: string): string | null | undefined;
}

/** Browsers keep no more in a cookie. */
const MOST_CHARACTERS = 3500;
const SECONDS = 30 * 24 * 3600;
const MARK = 'x-infold-console';

/**
 * Tokens that a browser keeps for its user: in a cookie that no script reads and no other site's page makes it send. Cookies
 * do not know ports, and a page on another port of this machine is of the same site; so a request that comes by one changes
 * something only where it has our page's origin and a header that pages of other origins cannot send.
 */
export class TokenCookies {
  readonly #seal: Seal;

  constructor({ path }: Pick<Database, 'path'>) {
    this.#seal = new Seal(join(dirname(path), 'console.key'));
  }

  /** The token of a request that came by the cookie. A cookie that is not ours, or was changed, is none. */
  tokenIn(headers: HeaderReader): string | undefined {
    if (!isOfOneOrigin(headers)) return undefined;
    const name = cookieName(headers);
    const value = name && cookieIn(headers.get('cookie'), name);
    return value ? this.#seal.open(value, name) : undefined;
  }

  /**
   * The token of a WebSocket that came by the cookie. Browsers let every page open one to anywhere, and it cannot be marked;
   * but they say whose page it was, and here nobody but the console's own is believed.
   */
  tokenInUpgrade(headers: HeaderReader): string | undefined {
    return isFromOwnPage(headers) ? this.tokenIn(headers) : undefined;
  }

  /** The reason to refuse a request that comes by the cookie, or undefined. */
  refusal(method: string, headers: HeaderReader): string | undefined {
    const isChange = !['GET', 'HEAD', 'OPTIONS'].includes(method);
    if (!isChange || this.tokenIn(headers) === undefined) return undefined;
    return pageRefusal(headers);
  }

  /** What a browser is told to keep. */
  keep(token: string, headers: HeaderReader, expiresIn: number | undefined): string {
    const name = cookieName(headers)!;
    const sealed = this.#seal.seal(token, name);
    if (sealed.length > MOST_CHARACTERS) {
      throw new InfoldError('too_large', 'This token is too long for a cookie: sign in without keeping it');
    }
    const seconds = Math.max(0, Math.min(SECONDS, Math.floor((expiresIn ?? Infinity) / 1000)));
    return cookie(name, sealed, seconds, headers);
  }

  /** What a browser is told to forget. */
  forget(headers: HeaderReader): string {
    return cookie(cookieName(headers)!, '', 0, headers);
  }
}

/** The reason why a request does not come from a page of ours. */
export function pageRefusal(headers: HeaderReader): string | undefined {
  if (!isMarked(headers)) return 'A request of the console needs the header X-Infold-Console: 1';
  if (!isFromOwnPage(headers)) {
    return 'Origin not allowed: only the console’s own page may do this';
  }
  return undefined;
}

function isFromOwnPage(headers: HeaderReader): boolean {
  return ownOrigins(headers).includes(headers.get('origin') ?? '');
}

/** Whether it says to come from the console. Pages of other origins cannot: their browsers would have to ask first. */
export function isMarked(headers: HeaderReader): boolean {
  return headers.get(MARK) === '1';
}

/** Whether a cookie came that has the name of ours, whatever is in it. */
export function hasCookie(headers: HeaderReader): boolean {
  const name = cookieName(headers);
  return name !== undefined && cookieIn(headers.get('cookie'), name) !== undefined;
}

/** A `Cookie` header without ours, whatever their port: they are nobody else's business. */
export function withoutCookies(header: string): string {
  const pairs = pairsOf(header);
  const others = pairs.filter((pair) => !/^infold_\d+=/.test(pair));
  return others.length === pairs.length ? header : others.join('; ');
}

/** Browsers that say where a request comes from are believed: a script of another origin cannot change that. */
function isOfOneOrigin(headers: HeaderReader): boolean {
  return [undefined, null, '', 'same-origin', 'none'].includes(headers.get('sec-fetch-site'));
}

/** The server does not see whether something before it speaks TLS. */
function ownOrigins(headers: HeaderReader): string[] {
  const host = headers.get('host');
  if (!host || !URL.canParse(`http://${host}`)) return [];
  return ['http:', 'https:'].map((protocol) => new URL(`${protocol}//${host}`).origin);
}

function cookieName(headers: HeaderReader): string | undefined {
  const address = `http://${headers.get('host')}`;
  return URL.canParse(address) ? `infold_${new URL(address).port || '80'}` : undefined;
}

function cookie(name: string, value: string, seconds: number, headers: HeaderReader): string {
  const isSecure = headers.get('origin')?.startsWith('https:');
  const fields = [`${name}=${value}`, 'Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${seconds}`];
  return [...fields, ...(isSecure ? ['Secure'] : [])].join('; ');
}

function cookieIn(header: string | null | undefined, name: string): string | undefined {
  const pair = pairsOf(header ?? '').find((one) => one.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}

function pairsOf(header: string): string[] {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '');
}
