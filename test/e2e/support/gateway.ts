import type { IncomingMessage } from 'node:http';
import type { Envelope } from '@infold/protocol';
import { type ClientOptions, WebSocket } from 'ws';
import { afterThisFile } from '../../support/leftovers.ts';

/** A participant as any program could be one: a plain WebSocket, and everything it was sent. */
export class Peer {
  readonly socket: WebSocket;
  readonly frames: Envelope[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  #waiting: (() => void)[] = [];

  private constructor(socket: WebSocket) {
    this.socket = socket;
    afterThisFile(() => socket.terminate());
    socket.on('error', () => {});
    socket.on('message', (data) => {
      this.frames.push(JSON.parse(String(data)) as Envelope);
      for (const wake of this.#waiting.splice(0)) wake();
    });
    this.closed = new Promise((resolve) =>
      socket.once('close', (code, reason) => resolve({ code, reason: String(reason) })),
    );
  }

  static async join(url: string, query: Record<string, string>, options: ClientOptions = {}): Promise<Peer> {
    const address = `${url.replace('http', 'ws')}/ws?${new URLSearchParams(query)}`;
    const peer = new Peer(new WebSocket(address, { perMessageDeflate: false, ...options }));
    await new Promise<void>((resolve, reject) => {
      peer.socket.once('open', resolve);
      peer.socket.once('unexpected-response', (_request, response: IncomingMessage) =>
        reject(new Error(`status ${response.statusCode}`)),
      );
    });
    await peer.next((frame) => frame.kind === 'system/welcome');
    return peer;
  }

  send(envelope: unknown): void {
    this.socket.send(typeof envelope === 'string' ? envelope : JSON.stringify(envelope));
  }

  /** The first frame that fits, there already or still to come. */
  async next(fits: (frame: Envelope) => boolean, milliseconds = 5000): Promise<Envelope> {
    const deadline = performance.now() + milliseconds;
    for (;;) {
      const found = this.frames.find(fits);
      if (found) return found;
      const left = deadline - performance.now();
      if (left <= 0) {
        const seen = this.frames.map(({ kind, id }) => `${kind} ${id}`).slice(-20);
        throw new Error(`The frame did not come; there were ${seen.join(', ')}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  message(id: string): Promise<Envelope> {
    return this.next((frame) => frame.id === id);
  }

  /** The answer of the gateway to a message that it did not take. */
  async error(id?: string): Promise<{ error: string; message: string; [key: string]: unknown }> {
    const frame = await this.next(
      ({ kind, correlation_id }) => kind === 'system/error' && (id === undefined || correlation_id === id),
    );
    return frame.payload as { error: string; message: string };
  }

  /** Everything before this point has been answered: the gateway answers in order. */
  async settled(): Promise<void> {
    const id = `settled-${Math.random()}`;
    this.send({ id, kind: 'gateway/nothing' });
    await this.error(id);
  }

  /** What participants said, in the order of arrival. */
  get said(): Envelope[] {
    return this.frames.filter(({ kind }) => !kind.startsWith('system/'));
  }

  get ids(): string[] {
    return this.said.map(({ id }) => id);
  }

  leave(): Promise<{ code: number }> {
    this.socket.close();
    return this.closed;
  }
}

/** The status with which an upgrade was refused; 101 when it was not. */
export function upgradeStatus(url: string, path: string, options: ClientOptions = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace('http', 'ws') + path, options);
    socket.on('error', reject);
    socket.once('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.once('unexpected-response', (_request, response: IncomingMessage) => {
      response.resume();
      resolve(response.statusCode!);
    });
  });
}

/** The messages of the seed, as it shows them. */
export const SEED_MESSAGES = [
  {
    id: 'msg-1',
    kind: 'reflection',
    context: {
      id: 'reason-789',
      type: 'reasoning',
      metadata: { trigger: 'security-analysis', started_at: '2025-08-31T12:00:00Z' },
    },
    payload: { thought: 'Starting security analysis' },
  },
  {
    id: 'msg-2',
    kind: 'mcp/proposal:tools/call',
    context: { id: 'reason-789', type: 'reasoning' },
    payload: { method: 'tools/call' },
  },
  {
    id: 'msg-3',
    kind: 'conclusion',
    context: {
      id: 'reason-789',
      type: 'reasoning',
      metadata: { confidence: 0.95, ended_at: '2025-08-31T12:00:30Z' },
    },
    payload: { decision: 'Deny the operation' },
  },
  {
    id: 'msg-4',
    kind: 'mcp/response:tools/call',
    correlation_id: 'reason-789',
    payload: { error: 'Operation denied after security analysis' },
  },
  {
    id: 'msg-10',
    kind: 'reflection',
    context: { id: 'sub-reason-abc', type: 'reasoning', parent: 'reason-789' },
    payload: { thought: 'Deeper analysis needed' },
  },
];
