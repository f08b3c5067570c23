import type { Envelope, EnvelopeContext } from '@infold/protocol';
import { newId } from './ids.ts';

export interface SendOptions {
  to?: string[];
  correlation_id?: string;
  context?: EnvelopeContext;
  /** The message's id; a new one by default. */
  id?: string;
}

export type Send = (kind: string, payload: unknown, options?: SendOptions) => Promise<Envelope>;

export interface ContextOptions {
  /** An unguessable one by default. */
  id?: string;
  /** Goes out with the first message of the context. */
  metadata?: Record<string, unknown>;
}

/** A sub-context while it is worked in. There is nothing to end: it concludes when nobody uses it any more. */
export class PodContext {
  readonly id: string;
  readonly type: string;
  readonly parent: string | undefined;
  readonly #send: Send;
  #metadata: Record<string, unknown> | undefined;

  constructor(send: Send, type: string, parent: string | undefined, options: ContextOptions = {}) {
    this.#send = send;
    this.type = type;
    this.parent = parent;
    this.id = options.id ?? `ctx_${newId()}`;
    this.#metadata = options.metadata;
  }

  send(kind: string, payload: unknown, options: Omit<SendOptions, 'context'> = {}): Promise<Envelope> {
    const metadata = this.#metadata;
    this.#metadata = undefined;
    const context: EnvelopeContext = {
      id: this.id,
      type: this.type,
      ...(this.parent === undefined ? {} : { parent: this.parent }),
      ...(metadata === undefined ? {} : { metadata }),
    };
    return this.#send(kind, payload, { ...options, context });
  }

  reflect(thought: string): Promise<Envelope> {
    return this.send('reflection', { thought });
  }

  conclude(conclusion: string, more: Record<string, unknown> = {}): Promise<Envelope> {
    return this.send('conclusion', { ...more, conclusion });
  }

  /** Work in a context below this one. */
  async inContext<Result>(
    type: string,
    work: (context: PodContext) => Result | Promise<Result>,
    options: ContextOptions = {},
  ): Promise<Result> {
    return work(new PodContext(this.#send, type, this.id, options));
  }
}
