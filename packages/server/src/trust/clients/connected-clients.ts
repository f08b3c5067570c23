import type { Caller } from '../identity/caller.ts';
import type { Session } from '../sessions/queries.ts';
import type { ClientIdentity } from './client.ts';

/** A client that holds a connection. */
export interface HeldClient {
  owner: Caller;
  /** Unknown until it has said so. */
  identity(): ClientIdentity | undefined;
  sessionId(): string | undefined;
  usedAt(): number;
}

/** A client at work, whether or not it holds a connection. */
export interface KnownClient {
  org: string;
  principal: string;
  client: ClientIdentity | undefined;
  sessionId: string | undefined;
  lastAt: number;
  isHeld: boolean;
}

const MOST_HEARD = 1000;
const LONGEST_NAME = 100;

/** The MCP clients of this process: those that hold a connection, and those that were heard of without one. */
export class Clients {
  readonly #held = new Set<HeldClient>();
  /** The one that was heard of last comes last. */
  readonly #heard = new Map<string, KnownClient>();

  /** Returns what to call when the connection has ended. */
  hold(client: HeldClient): () => void {
    this.#held.add(client);
    return () => this.#held.delete(client);
  }

  heard({ org, principal }: Caller, client: ClientIdentity, session: Session | undefined, now: number): void {
    const { name, version } = cut(client);
    const keyOf = (sessionId?: string) => JSON.stringify([org, principal, name, version, sessionId]);
    const key = keyOf(session?.id);
    // It goes on from before it had a session.
    for (const one of [key, keyOf()]) this.#heard.delete(one);
    const known = { org, principal, client: { name, version }, sessionId: session?.id };
    this.#heard.set(key, { ...known, lastAt: now, isHeld: false });
    if (this.#heard.size > MOST_HEARD) this.#heard.delete(this.#heard.keys().next().value!);
  }

  /** Once each: who holds a connection is not told again for the calls that came on it. */
  list(): KnownClient[] {
    const held = [...this.#held].map((client) => {
      const identity = client.identity();
      return {
        org: client.owner.org,
        principal: client.owner.principal,
        client: identity && cut(identity),
        sessionId: client.sessionId(),
        lastAt: client.usedAt(),
        isHeld: true,
      };
    });
    const isTold = (heard: KnownClient) =>
      held.some((one) => one.sessionId === heard.sessionId && isSameClient(one, heard));
    return [...held, ...[...this.#heard.values()].filter((heard) => !isTold(heard))];
  }
}

/** What it says of itself is as long as it likes. */
function cut({ name, version }: ClientIdentity): ClientIdentity {
  return { name: name.slice(0, LONGEST_NAME), version: version.slice(0, LONGEST_NAME) };
}

function isSameClient(one: KnownClient, other: KnownClient): boolean {
  return (
    one.org === other.org &&
    one.principal === other.principal &&
    one.client?.name === other.client?.name &&
    one.client?.version === other.client?.version
  );
}
