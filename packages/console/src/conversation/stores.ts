import { createReporter, type Reporter } from '@infold/client';
import type { Session } from '../api/session.ts';
import { Chat } from './chat/chat.ts';
import { Conversation } from './conversation.ts';
import { Demo } from './demo.ts';
import { connect, type McpConnection } from './mcp/connection.ts';

/** What the view shows. It lasts as long as somebody is signed in, wherever in the page they go meanwhile. */
export interface Stores {
  conversation: Conversation;
  demo: Demo;
  chat: Chat;
  /** To a project of the server, or to none. One connection for each, made when it is first needed. */
  connect(project: string | undefined): Promise<McpConnection>;
  /** Lets go of the connections; who needs one makes another. */
  disconnect(): void;
}

const known = new WeakMap<Session, Stores>();
let latest: Stores | undefined;

export function storesOf(session: Session, mayWrite: boolean): Stores {
  let stores = known.get(session);
  if (!stores) {
    stores = createStores(session, mayWrite);
    known.set(session, stores);
    // Somebody else has signed in: what the one before had is of no use any more.
    latest?.disconnect();
    latest = stores;
  }
  return stores;
}

// Not `unload`: a page that may come back from the browser's cache begins anew when it does.
if (typeof window !== 'undefined') {
  addEventListener('pagehide', () => {
    latest?.disconnect();
    void latest?.conversation.told();
  });
}

/** As fast as one can follow; at once for who wants things to move less. */
function pace(): number {
  return matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 150;
}

function createStores(session: Session, mayWrite: boolean): Stores {
  const conversation = new Conversation(mayWrite ? (name) => reporterOf(session, name) : undefined);
  const connections = new Map<string | undefined, Promise<McpConnection>>();
  return {
    conversation,
    demo: new Demo(conversation, pace()),
    chat: new Chat(conversation),
    connect(project) {
      let connection = connections.get(project);
      if (!connection) {
        connection = connect(session, project, () => conversation.name);
        connections.set(project, connection);
        // What failed is tried again by the next who asks.
        connection.catch(() => connections.delete(project));
      }
      return connection;
    },
    disconnect() {
      for (const connection of connections.values()) {
        connection.then(
          ({ end }) => end(),
          () => {},
        );
      }
      connections.clear();
    },
  };
}

/** The server counts the calls itself; what of them left the prompt only this page knows. */
function reporterOf(session: Session, name: string): Reporter {
  const send: typeof fetch = (input, init) => session.fetch(input, { ...init, keepalive: true });
  return createReporter({ url: location.origin, session: name, fetch: send, interval: 200 });
}
