import { PodError, type SendOptions } from '@infold/client/gateway';
import type { Envelope, EnvelopeContext } from '@infold/protocol';
import { Observable } from '../../design/hooks/observable.ts';

/** What was sent from this page and is not a message of the pod: on its way, or refused. */
export interface Outgoing {
  id: string;
  draft: {
    kind: string;
    payload: unknown;
    to?: string[];
    correlation_id?: string;
    context?: EnvelopeContext;
  };
  at: number;
  /** Why it was not taken; undefined while it is on its way. */
  refusal?: { code: string; message: string };
}

export type Delivery = 'sent' | 'durable';

interface Sent {
  outgoing: readonly Outgoing[];
  /** Messages of this page that were heard, by their ids. */
  delivered: ReadonlyMap<string, Delivery>;
}

type Send = (kind: string, payload: unknown, options: SendOptions) => Promise<Envelope>;

/** Follows what was sent from this page, from the first try to the word that it is durable. */
export class Outbox extends Observable<Sent> {
  constructor() {
    super({ outgoing: [], delivered: new Map() });
  }

  async send(send: Send, outgoing: Outgoing, isDurable: boolean): Promise<void> {
    const { id, draft } = outgoing;
    this.change((sent) => ({ ...sent, outgoing: [...sent.outgoing, outgoing] }));
    const { kind, payload, ...options } = draft;
    try {
      await send(kind, payload, { ...options, id });
      this.#settle(id, isDurable ? 'durable' : 'sent');
    } catch (error) {
      const refusal =
        error instanceof PodError
          ? { code: error.code, message: error.message }
          : { code: 'not_sent', message: error instanceof Error ? error.message : String(error) };
      this.change(({ outgoing: all, delivered }) => ({
        outgoing: [...all.filter((one) => one.id !== id), { ...outgoing, refusal }],
        delivered: new Map([...delivered].filter(([each]) => each !== id)),
      }));
    }
  }

  /** It came back, as everyone got it. */
  heard(ids: readonly string[]): void {
    for (const id of ids) if (this.read().outgoing.some((one) => one.id === id)) this.#settle(id, 'sent');
  }

  forget(id: string): void {
    this.change((sent) => ({ ...sent, outgoing: sent.outgoing.filter((one) => one.id !== id) }));
  }

  #settle(id: string, delivery: Delivery): void {
    this.change(({ outgoing, delivered }) => ({
      outgoing: outgoing.filter((one) => one.id !== id),
      delivered: new Map([...delivered, [id, delivery]]),
    }));
  }
}
