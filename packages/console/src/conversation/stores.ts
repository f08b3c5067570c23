import type { Session } from '../api/session.ts';
import { Chat } from './chat/chat.ts';
import { Conversation } from './conversation.ts';
import { Demo } from './demo.ts';
import { type Connection, connect } from './mcp/connection.ts';

/** What the view shows. It lasts as long as somebody is signed in, wherever in the page they go meanwhile. */
export interface Stores {
  conversation: Conversation;
  demo: Demo;
  chat: Chat;
  /** To a project of the server, or to none. One connection for each, made when it is first needed. */
  connect(project: string | undefined): Promise<Connection>;
}

const known = new WeakMap<Session, Stores>();

export function storesOf(session: Session): Stores {
  let stores = known.get(session);
  if (!stores) {
    stores = createStores(session);
    known.set(session, stores);
  }
  return stores;
}

/** As fast as one can follow; at once for who wants things to move less. */
function pace(): number {
  return matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 150;
}

function createStores(session: Session): Stores {
  const conversation = new Conversation();
  const connections = new Map<string | undefined, Promise<Connection>>();
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
  };
}
