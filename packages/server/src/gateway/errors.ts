import type { GatewayErrorCode } from '@infold/protocol';

/** A message that is answered with `system/error` to its sender alone, and broadcast to nobody. */
export class Refusal extends Error {
  readonly code: GatewayErrorCode;
  /** The id of the offending message, where it has one. */
  readonly id: string | undefined;
  readonly details: Record<string, unknown>;

  constructor(code: GatewayErrorCode, message: string, id?: string, details: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.id = id;
    this.details = details;
  }
}

/** Why a message that was in order is not in history, and never will be. */
export function notStored(id: string, reason: string, retryable = true): Refusal {
  const next = retryable ? 'send it again with the same id' : 'sending it again will not help';
  const message = `The message could not be stored (${reason}); ${next}`;
  return new Refusal('not_stored', message, id, { cause: reason, retryable });
}
