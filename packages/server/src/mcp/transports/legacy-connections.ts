import type { Limits } from '@infold/protocol';
import type {
  RequestId,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Clock } from '../../kernel/clock.ts';
import type { Spelling } from '../../kernel/config.ts';
import { Clients } from '../../trust/clients/connected-clients.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import type { TokenWatch } from '../../trust/identity/token-watch.ts';
import type { Connection } from '../../trust/sessions/resolve.ts';

/** A 2025-era client's connection, named by its `Mcp-Session-Id`. */
export interface LegacyConnection {
  transport: WebStandardStreamableHTTPServerTransport;
  server: Server;
  state: Connection;
  spelling: Spelling;
  owner: Caller;
  /** Transports of single requests that stream; cancellations reach them from here. */
  aside: Set<WebStandardStreamableHTTPServerTransport>;
  /** Requests that wait for a JSON answer: a cancelled call gets none, and the SDK would let its request hang. */
  waiting: Map<RequestId, (response: Response) => void>;
  usedAt: number;
  /** It ends with its token; when it ends before, nobody has to wait for that, or list it. */
  forget?: () => void;
}

/** Bounded: clients often leave without saying so, and what they left must not pile up. */
export class LegacyConnections {
  readonly #connections = new Map<string, LegacyConnection>();
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #tokens: TokenWatch;
  readonly #clients: Clients;

  constructor(limits: Limits, clock: Clock, tokens: TokenWatch, clients = new Clients()) {
    this.#limits = limits;
    this.#clock = clock;
    this.#tokens = tokens;
    this.#clients = clients;
  }

  add(id: string, connection: LegacyConnection): void {
    this.#makeRoom();
    this.#connections.set(id, connection);
    const stopWatching = this.#tokens.whenEnded(connection.owner, () => this.remove(id));
    const release = this.#clients.hold({
      owner: connection.owner,
      identity: () => connection.server.getClientVersion(),
      sessionId: () => connection.state.session,
      usedAt: () => connection.usedAt,
    });
    connection.forget = () => {
      stopWatching();
      release();
    };
  }

  /** Another caller's connection is answered as if it were not there. */
  find(id: string, caller: Caller): LegacyConnection | undefined {
    const connection = this.#connections.get(id);
    if (!connection) return undefined;
    const { owner } = connection;
    if (
      owner.org !== caller.org ||
      owner.principal !== caller.principal ||
      owner.tokenId !== caller.tokenId
    ) {
      return undefined;
    }
    connection.usedAt = this.#clock();
    // The map's order is the order of use, so that the first one is the one to give up.
    this.#connections.delete(id);
    this.#connections.set(id, connection);
    return connection;
  }

  remove(id: string): void {
    const connection = this.#connections.get(id);
    this.#connections.delete(id);
    if (connection) void end(connection);
  }

  async close(): Promise<void> {
    const all = [...this.#connections.values()];
    this.#connections.clear();
    await Promise.all(all.map(end));
  }

  #makeRoom(): void {
    const oldest = this.#clock() - this.#limits.httpConnectionIdle;
    for (const [id, { usedAt }] of this.#connections) {
      if (usedAt >= oldest) break;
      this.remove(id);
    }
    while (this.#connections.size >= this.#limits.httpConnections) this.remove(this.#leastNeeded());
  }

  /** Of who holds most, the one that was not used for longest: nobody's connections make room for more of another's. */
  #leastNeeded(): string {
    const all = [...this.#connections];
    const inOrganisation = mostHeld(all, ({ owner }) => owner.org);
    const [[id]] = mostHeld(inOrganisation, ({ owner }) => owner.principal) as [[string, LegacyConnection]];
    return id;
  }
}

type Held = [id: string, connection: LegacyConnection];

/** The connections of whoever holds most of them, in the same order. */
function mostHeld(connections: readonly Held[], holderOf: (connection: LegacyConnection) => string): Held[] {
  const holders = new Map<string, Held[]>();
  for (const held of connections) {
    const holder = holderOf(held[1]);
    const others = holders.get(holder);
    if (others) others.push(held);
    else holders.set(holder, [held]);
  }
  return [...holders.values()].reduce((most, next) => (next.length > most.length ? next : most));
}

/** Its calls end with it, those that stream by themselves too. */
async function end({ server, aside, waiting, forget }: LegacyConnection): Promise<void> {
  forget?.();
  for (const release of waiting.values()) release(new Response(null, { status: 404 }));
  await Promise.allSettled([server.close(), ...[...aside].map((transport) => transport.close())]);
}
