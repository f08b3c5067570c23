import { createServer, connect as open, type Server, type Socket } from 'node:net';

/** Stands before some servers. Everything passes, until connections are cut. */
export class Relay {
  readonly urls: string[];
  readonly #delay: number;
  readonly #servers: Server[];
  readonly #connections = new Set<() => void>();
  /** Looks at what clients send; answers whether what comes back from now on shall be lost. */
  #losesAnswerAt: ((sent: Buffer) => boolean) | undefined;
  #onLost = () => {};

  /** With `delay`, what the servers say comes so many milliseconds late. */
  static async start(urls: readonly string[], delay = 0): Promise<Relay> {
    const relay = new Relay(urls, delay);
    await Promise.all(
      relay.#servers.map(
        (server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve())),
      ),
    );
    for (const server of relay.#servers) {
      relay.urls.push(`nats://127.0.0.1:${(server.address() as { port: number }).port}`);
    }
    return relay;
  }

  private constructor(urls: readonly string[], delay: number) {
    this.#delay = delay;
    this.urls = [];
    this.#servers = urls.map((url) =>
      createServer((client) => this.#join(client, Number(new URL(url).port))),
    );
  }

  #join(client: Socket, port: number): void {
    const server = open(port, '127.0.0.1');
    let isLost = false;
    const cut = () => {
      this.#connections.delete(cut);
      client.destroy();
      server.destroy();
    };
    this.#connections.add(cut);
    for (const socket of [client, server]) socket.setNoDelay(true).on('error', cut).on('close', cut);
    client.on('data', (sent) => {
      server.write(sent);
      if (!this.#losesAnswerAt?.(sent)) return;
      // The server has it, and will answer; nobody will hear.
      this.#losesAnswerAt = undefined;
      isLost = true;
      setTimeout(() => {
        cut();
        this.#onLost();
      }, 100);
    });
    server.on('data', (answer) => {
      if (isLost) return;
      if (this.#delay === 0) client.write(answer);
      else setTimeout(() => client.destroyed || client.write(answer), this.#delay);
    });
  }

  /** Lets the next message to this subject pass, loses all answers on its connection, and cuts it. Resolves when it is cut. */
  cutAfterPublish(subject: string): Promise<void> {
    return new Promise((resolve) => {
      this.#onLost = resolve;
      this.#losesAnswerAt = (sent) =>
        new RegExp(`^H?PUB ${subject.replaceAll('.', '\\.')}`, 'm').test(sent.toString('latin1'));
    });
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) server.close();
    for (const cut of this.#connections) cut();
  }
}
