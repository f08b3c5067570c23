import { createInbox, headers, type Msg, type NatsConnection } from '@nats-io/transport-node';

export interface Acknowledged {
  /** The position of the message in its stream. */
  seq: number;
  /** Whether a message with this id was there already. */
  duplicate: boolean;
}

interface Waiting {
  resolve: (acknowledged: Acknowledged) => void;
  reject: (error: Error) => void;
  deadline: number;
}

interface Answer {
  seq: number;
  duplicate?: boolean;
  error?: { err_code: number; description: string };
}

const TIMEOUT = 2000;

/** The code by which JetStream says that the subject has moved on. */
const WRONG_LAST_SEQUENCE = 10071;

/** JetStream's own code and words for why it did not take a message. */
export class PublishError extends Error {
  readonly code: number | undefined;

  constructor(message: string, code?: number) {
    super(message);
    this.code = code;
  }
}

/** The position that a subject has moved on to, where that is why a message was refused. */
export function positionInConflict(error: unknown): number | undefined {
  if (!(error instanceof PublishError) || error.code !== WRONG_LAST_SEQUENCE) return undefined;
  return Number(/(\d+)\s*$/.exec(error.message)?.[1] ?? 0);
}

/**
 * Publishes to JetStream. The journal publishes two messages for each entry and waits for both: for each of them the client's own
 * `publish` makes a timer, an error for its trace and half a dozen promises, which is most of what a commit costs.
 */
export class Publisher {
  readonly #connection: NatsConnection;
  readonly #inbox = `${createInbox()}.`;
  readonly #waiting = new Map<string, Waiting>();
  #count = 0;
  #looking = false;

  constructor(connection: NatsConnection) {
    this.#connection = connection;
    connection.subscribe(`${this.#inbox}*`, {
      callback: (_error, message) => this.#answered(message),
    });
  }

  /** With `id`, once, however often it is tried; with `last`, only if that is the position of the subject's last message. */
  publish(
    subject: string,
    text: string,
    { id, last }: { id?: string; last?: number },
  ): Promise<Acknowledged> {
    return new Promise((resolve, reject) => {
      const extra = headers();
      if (id !== undefined) extra.append('Nats-Msg-Id', id);
      if (last !== undefined) extra.append('Nats-Expected-Last-Subject-Sequence', String(last));
      const token = String(this.#count++);
      // All wait equally long: the first one in the map is the first to be late.
      this.#waiting.set(token, { resolve, reject, deadline: performance.now() + TIMEOUT });
      try {
        this.#connection.publish(subject, text, { reply: this.#inbox + token, headers: extra });
      } catch (error) {
        this.#waiting.delete(token);
        reject(error as Error);
        return;
      }
      if (!this.#looking) this.#lookIn(TIMEOUT);
    });
  }

  #answered(message: Msg): void {
    const token = message.subject.slice(this.#inbox.length);
    const waiting = this.#waiting.get(token);
    if (!waiting) return;
    this.#waiting.delete(token);
    if (message.data.length === 0) {
      waiting.reject(new PublishError('JetStream does not answer'));
      return;
    }
    const { seq, duplicate = false, error } = message.json<Answer>();
    if (error) waiting.reject(new PublishError(error.description, error.err_code));
    else waiting.resolve({ seq, duplicate });
  }

  /** One timer for all that wait. */
  #lookIn(milliseconds: number): void {
    this.#looking = true;
    setTimeout(() => {
      this.#looking = false;
      const now = performance.now();
      for (const [token, { deadline, reject }] of this.#waiting) {
        if (deadline > now) {
          this.#lookIn(deadline - now);
          return;
        }
        this.#waiting.delete(token);
        reject(new PublishError('JetStream did not answer in time'));
      }
    }, milliseconds).unref();
  }
}
