import type { ErrorCode } from '@infold/protocol';

const mark = Symbol.for('infold.error');

export interface InfoldErrorOptions {
  /** Whether the same call can succeed later without being changed. */
  retryable?: boolean;
  /** Seconds to wait before a retry. */
  retryAfter?: number;
  /** Fields that help the caller act; they appear beside `error` and `code`. */
  details?: Record<string, unknown>;
  /** A JSON-RPC error instead of a tool error, where a seed document asks for one. */
  rpc?: { code: number; data: unknown };
  cause?: unknown;
}

/** The one error type of the program. Branded, so that two copies of this module still recognise each other. */
export class InfoldError extends Error {
  readonly code: ErrorCode | (string & {});
  readonly retryable: boolean;
  readonly retryAfter: number | undefined;
  readonly details: Record<string, unknown> | undefined;
  readonly rpc: { code: number; data: unknown } | undefined;

  constructor(code: ErrorCode | (string & {}), message: string, options: InfoldErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'InfoldError';
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfter = options.retryAfter;
    this.details = options.details;
    this.rpc = options.rpc;
    Object.defineProperty(this, mark, { value: true });
  }

  static isInstance(error: unknown): error is InfoldError {
    return typeof error === 'object' && error !== null && mark in error;
  }
}

/** The shape that REST answers and tool errors share. */
export function errorBody(error: InfoldError): Record<string, unknown> {
  return {
    error: error.message,
    code: error.code,
    retryable: error.retryable,
    ...(error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter }),
    ...(error.details ?? {}),
  };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
