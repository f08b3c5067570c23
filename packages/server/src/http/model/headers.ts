import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { withoutCookies } from '../sign-in/cookies.ts';

/** RFC 9110, 7.6.1: for this connection alone. */
const HOP_BY_HOP = [
  ...['connection', 'proxy-connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['proxy-authorization', 'proxy-authenticate'],
];
/** What the request to the upstream has of its own. `Expect` was answered here. */
const OWN = ['host', 'content-length', 'expect'];
/** What a browser adds to a request of the console: to the provider it is one of this server. */
const OF_PAGES = /^(origin|referer|cookie|sec-.*)$/;
/** What a provider takes a key from. Nothing behind the transport sees them. */
const KEYS = /^(authorization|proxy-authorization|cookie|.*api-?key.*|.*token.*|.*secret.*)$/;

export interface RequestHeaderOptions {
  host: string;
  /** Bytes that follow; undefined: as many as come, 'none': no body. */
  length: number | undefined | 'none';
  /** The body is not the one that came. */
  isChanged: boolean;
  /** The answer is looked at as it passes. */
  isRead: boolean;
}

/** The headers as they came, in their order and spelling, but for what belongs to the connection and to the body. */
export function requestHeaders(
  { rawHeaders, headers }: IncomingMessage,
  { host, length, isChanged, isRead }: RequestHeaderOptions,
): string[] {
  const dropped = new Set([...HOP_BY_HOP, ...OWN, ...namedBy(headers.connection)]);
  const isPage = headers['x-infold-console'] !== undefined;
  if (isChanged) dropped.add('content-encoding');
  if (isRead) dropped.add('accept-encoding');
  const kept = [
    'Host',
    host,
    ...without(
      withoutOurCookies(rawHeaders),
      (name) => dropped.has(name) || name.startsWith('x-infold-') || (isPage && OF_PAGES.test(name)),
    ),
  ];
  if (isRead) kept.push('Accept-Encoding', 'identity');
  if (length === undefined) kept.push('Transfer-Encoding', 'chunked');
  else if (length !== 'none') kept.push('Content-Length', String(length));
  return kept;
}

/** The headers of an answer as they came, but for what belongs to the connection. */
export function answerHeaders({ rawHeaders, headers }: IncomingMessage): string[] {
  const dropped = new Set([...HOP_BY_HOP, ...namedBy(headers.connection)]);
  return without(rawHeaders, (name) => dropped.has(name));
}

export function withoutKeys(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !KEYS.test(name)));
}

/** Whether something comes after the headers. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
}

function withoutOurCookies(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const isCookie = raw[index]!.toLowerCase() === 'cookie';
    const value = isCookie ? withoutCookies(raw[index + 1]!) : raw[index + 1]!;
    if (!isCookie || value !== '') kept.push(raw[index]!, value);
  }
  return kept;
}

function without(raw: readonly string[], isDropped: (name: string) => boolean): string[] {
  const kept: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    if (!isDropped(raw[index]!.toLowerCase())) kept.push(raw[index]!, raw[index + 1]!);
  }
  return kept;
}

function namedBy(connection: string | undefined): string[] {
  return connection === undefined ? [] : connection.split(',').map((name) => name.trim().toLowerCase());
}
