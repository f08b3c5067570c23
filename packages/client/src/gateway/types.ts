import type { Envelope, GatewayErrorPayload, GatewayFilter } from '@infold/protocol';
import type { WebSocketConstructor } from './socket.ts';

export interface PodOptions {
  /** The server, such as `http://localhost:9090`. */
  url: string;
  pod: string;
  token?: string;
  /** Who one is, where the server asks for no token. */
  participant?: string;
  filter?: GatewayFilter;
  /** Go on after this position. */
  since?: number;
  epoch?: string;
  /** Come back after a lost connection; true by default. */
  reconnect?: boolean;
  /** The first pause before a new try, in milliseconds; doubled each time up to 30 s. */
  retryAfter?: number;
  /** For environments without one of their own (Node 20): that of the `ws` package. */
  WebSocket?: WebSocketConstructor;
}

export interface Replayed {
  messages: Envelope[];
  /** Ask again with `since: next` for more; null at the end. */
  next: number | null;
}

/** The gateway refused a message. */
export class PodError extends Error {
  readonly code: string;
  readonly payload: GatewayErrorPayload;

  constructor(payload: GatewayErrorPayload) {
    super(payload.message);
    this.name = 'PodError';
    this.code = payload.error;
    this.payload = payload;
  }
}
