import type { WebSocketConstructor } from '@infold/client/gateway';

/**
 * How this page opens a WebSocket: as whoever the browser's cookie says, or with the token that the page holds. That stands
 * among the subprotocols, a header, since an address would be in logs.
 */
export function socketFor(token: string | undefined): WebSocketConstructor {
  if (token === undefined) return WebSocket;
  return class extends WebSocket {
    constructor(address: string) {
      super(address, ['infold', `infold.token.${token}`]);
    }
  };
}
