import type { IncomingHttpHeaders } from 'node:http';
import type { Dialect } from '@infold/client/window';
import type { WindowUsage } from '@infold/protocol/events';
import type { Caller } from '../../trust/identity/caller.ts';

/** A conversation on its way to a model, as the host sent it. Everything that could be a key has been taken out. */
export interface ModelRequest {
  caller: Caller;
  /** The name of the upstream that it goes to. */
  upstream: string;
  dialect: Dialect;
  method: string;
  /** Of the provider's API, without our prefix, our token and the query. */
  path: string;
  headers: IncomingHttpHeaders;
  /** The host's own id of the session, and of the agent within it, where it tells one. */
  hostSession: string | undefined;
  /** Decoded. */
  body: Uint8Array;
  /** Nobody waits any more: the time is up, or the host has gone. */
  signal: AbortSignal;
}

/** What is sent in its place, and who wants to know how that went. Exactly one of `answered` and `failed` is called. */
export interface PreparedRequest {
  /** Undefined: the bytes that came are sent as they came. */
  body?: Uint8Array | undefined;
  /** The conversation that it belongs to, where that is kept account of. */
  conversation?: string;
  /** The upstream answered, whatever it said; called when the answer has ended. */
  answered(report: AnswerReport): void | Promise<void>;
  /** It came to no answer. `late`: what was prepared came after the time was up, and the original was sent. */
  failed?(reason: 'late' | 'unreachable' | 'gone'): void | Promise<void>;
}

export interface AnswerReport {
  status: number;
  /** Null where the answer told none. */
  usage: WindowUsage | null;
  /** From the request's arrival to the first byte and to the last one, and what of it was spent here before sending. */
  milliseconds: { first: number; all: number; own: number };
  /** False: the host went away, or the upstream was cut off, before the end. */
  isComplete: boolean;
}

/**
 * Decides what a request holds when it is sent. It may throw and it may be slow: then the original bytes are sent, it is
 * counted, and the log says why.
 */
export type Prepare = (request: ModelRequest) => Promise<PreparedRequest>;
