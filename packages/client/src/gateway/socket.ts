import type { GatewayFilter } from '@infold/protocol';

/** The part of the WebSocket interface that is used: a browser's, Node's own from 22 on, or the `ws` package's. */
export interface WebSocketLike {
  send(data: string): void;
  close(code?: number, reason?: string): void;
  readonly readyState: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
}
export type WebSocketConstructor = new (address: string) => WebSocketLike;

/** `readyState` of an open one. A constant of ours: not every environment has a global to ask. */
export const OPEN = 1;

export function webSocketOf(given: WebSocketConstructor | undefined): WebSocketConstructor {
  const found = given ?? (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket;
  if (found) return found;
  throw new Error('There is no WebSocket here: pass one as `WebSocket`, such as the one from the ws package');
}

export interface Address {
  url: string;
  pod: string;
  token?: string | undefined;
  participant?: string | undefined;
  filter?: GatewayFilter | undefined;
  since?: number | undefined;
  epoch?: string | undefined;
}

/** Where to connect: the server's address, over http or ws, with or without `/ws`. */
export function podAddress({ url, pod, token, participant, filter, since, epoch }: Address): string {
  const address = new URL(url);
  address.protocol = address.protocol.replace(/^http/, 'ws');
  if (!address.pathname.endsWith('/ws')) address.pathname = `${address.pathname.replace(/\/$/, '')}/ws`;
  const query = {
    pod,
    token,
    participant,
    filter: filter && JSON.stringify(filter),
    since: since?.toString(),
    epoch: since === undefined ? undefined : epoch,
  };
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) address.searchParams.set(name, value);
  return address.href;
}
