import type { Readable, Writable } from 'node:stream';
import { RPC_CODES } from '@infold/protocol';
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';

const NEWLINE = 0x0a;

export interface LineTransportOptions {
  /** Longest message, in bytes. A longer one is answered with an error, and the next one is served. */
  limit: number;
  /** How long requests that were read may still be answered after the input has ended, in milliseconds. */
  grace: number;
}

/**
 * JSON-RPC messages as lines. The SDK's own transport drops a line that is not a message without a word, ends at
 * one that is too long, and answers nothing once the input has ended; a host that waits deserves better.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #options: LineTransportOptions;
  readonly #unanswered = new Set<RequestId>();
  #parts: Buffer[] = [];
  #length = 0;
  #closed = false;
  #ending: NodeJS.Timeout | undefined;
  #onDrained: (() => void) | undefined;

  constructor(input: Readable, output: Writable, options: LineTransportOptions) {
    this.#input = input;
    this.#output = output;
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#read);
    this.#input.on('end', this.#end);
    this.#input.on('close', this.#end);
    this.#input.on('error', this.#end);
    // The reader has gone: nothing more can be told.
    this.#output.on('error', this.#closeNow);
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(this.#end);
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('The host has closed the connection'));
    const written = this.#write(message);
    if ('result' in message || 'error' in message) this.#settle(message.id);
    return written;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#ending);
    this.#input.off('data', this.#read);
    this.#input.pause();
    this.#onDrained?.();
    this.onclose?.();
  }

  /** Resolves when every request that was read is answered, or the time for that is over. */
  drained(): Promise<void> {
    if (this.#closed || this.#unanswered.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#options.grace);
      this.#onDrained = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #read = (chunk: Buffer): void => {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      this.#keep(chunk.subarray(start, end === -1 ? chunk.length : end));
      if (end === -1) return;
      this.#take();
      start = end + 1;
    }
  };

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#length <= this.#options.limit) this.#parts.push(part);
    else this.#parts = [];
  }

  #take(): void {
    const tooLong = this.#length > this.#options.limit;
    const line = Buffer.concat(this.#parts).toString('utf8').trim();
    this.#parts = [];
    this.#length = 0;
    if (tooLong) {
      const message = `The message is over the limit of ${this.#options.limit} bytes`;
      this.#refuse(null, RPC_CODES.invalidRequest, message);
    } else if (line !== '') this.#deliver(line);
  }

  #deliver(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.#refuse(null, RPC_CODES.parseError, 'Parse error: the line is not valid JSON');
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      this.#refuse(
        idOf(value),
        RPC_CODES.invalidRequest,
        'Invalid Request: the line is not a JSON-RPC message',
      );
      return;
    }
    // The message was just parsed: its fields say what it is, without every schema being tried on it again.
    if ('method' in message) {
      if ('id' in message) this.#unanswered.add(message.id);
      // A cancelled request is not answered.
      else if (message.method === 'notifications/cancelled') {
        this.#settle((message.params as { requestId?: RequestId } | undefined)?.requestId);
      }
    }
    this.onmessage?.(message);
  }

  #refuse(id: RequestId | null, code: number, message: string): void {
    this.onerror?.(new Error(message));
    this.#write({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => {});
  }

  #write(message: unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  #settle(id: RequestId | undefined): void {
    if (id === undefined || !this.#unanswered.delete(id) || this.#unanswered.size > 0) return;
    this.#onDrained?.();
    if (this.#ending) void this.close();
  }

  #end = (): void => {
    if (this.#closed || this.#ending) return;
    if (this.#unanswered.size === 0) void this.close();
    else this.#ending = setTimeout(() => void this.close(), this.#options.grace);
  };

  #closeNow = (): void => {
    void this.close();
  };
}

function idOf(value: unknown): RequestId | null {
  const id = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
