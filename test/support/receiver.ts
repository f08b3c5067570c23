import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterThisFile } from './leftovers.ts';

export interface Received {
  id: string;
  event: string;
  payload: Record<string, unknown> & {
    project: { name: string };
    draft?: { id: string; path: string };
    publication?: { revision: number; source: string; changes: { path: string }[] };
  };
  body: string;
  /** Whether the signature was made with the secret, as a receiver checks it. */
  signed: boolean;
  /** Whether it was answered that it was taken. */
  taken: boolean;
  headers: Record<string, string>;
}

export interface ReceiverAnswers {
  status?: number;
  headers?: Record<string, string>;
  /** Never answers. */
  silent?: true;
}

/** Put together at run time: nothing in the repository looks like a credential. */
export const receiverSecret = (): string => ['kept', 'between', 'the', 'two', process.pid].join('-');

/** Somebody who is told, and answers what a test makes them answer. */
export class TestReceiver {
  readonly received: Received[] = [];
  answers: (received: Received) => ReceiverAnswers = () => ({});
  readonly #secret: string;
  #port = 0;
  #server = this.#make();

  private constructor(secret: string) {
    this.#secret = secret;
  }

  static async start(secret = receiverSecret()): Promise<TestReceiver> {
    const receiver = new TestReceiver(secret);
    await receiver.open();
    afterThisFile(() => receiver.close());
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`;
  }

  /** What was taken, each once, in the order in which it came first. */
  get taken(): Received[] {
    const ids = new Set<string>();
    return this.received.filter(({ id, taken }) => taken && !ids.has(id) && ids.add(id));
  }

  get events(): string[] {
    return this.taken.map(({ event }) => event);
  }

  async open(): Promise<void> {
    this.#server = this.#make();
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Nobody listens there until it is opened again. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #make() {
    return createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const headers = request.headers as Record<string, string>;
        const { t, v1 } = Object.fromEntries(
          headers['infold-signature']!.split(',').map((part) => part.split('=')),
        ) as Record<string, string>;
        const digest = createHmac('sha256', this.#secret).update(`${t}.${body}`).digest('hex');
        const received: Received = {
          ...{ id: headers['infold-delivery']!, event: headers['infold-event']!, body, headers },
          ...{ payload: JSON.parse(body) as Received['payload'], signed: v1 === digest, taken: false },
        };
        this.received.push(received);
        const { status = 204, headers: more = {}, silent } = this.answers(received);
        received.taken = status < 300 && !silent;
        if (!silent) response.writeHead(status, more).end();
      });
    });
  }
}
