import type {
  ContextPayload,
  Envelope,
  GapPayload,
  GatewayErrorPayload,
  PresencePayload,
  StoredPayload,
  WelcomePayload,
} from '@infold/protocol';

/** What a connection tells, by name. */
export interface PodEvents {
  /** A message of a participant, one's own included. */
  message: Envelope;
  /** Sent again because somebody asked for a replay. */
  replayed: Envelope;
  welcome: WelcomePayload;
  presence: PresencePayload;
  context: ContextPayload;
  /** Messages of this connection are durable. */
  stored: StoredPayload;
  /** Messages that are lost to this participant. */
  gap: GapPayload;
  /** A refusal that belongs to no message of this connection, and what others said and could not be stored. */
  refused: GatewayErrorPayload;
  /** The connection was lost and is tried again. */
  disconnected: { code: number; reason: string; retryIn: number };
  /** The end: closed here, or by the gateway for good. */
  closed: { code: number; reason: string };
}

type Listener<Name extends keyof PodEvents> = (event: PodEvents[Name]) => void;

/** Listeners by name. One that throws does not keep the others from hearing. */
export class Emitter {
  readonly #listeners = new Map<string, Set<(event: never) => void>>();

  on<Name extends keyof PodEvents>(name: Name, listener: Listener<Name>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  emit<Name extends keyof PodEvents>(name: Name, event: PodEvents[Name]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])] as Listener<Name>[]) {
      try {
        listener(event);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
