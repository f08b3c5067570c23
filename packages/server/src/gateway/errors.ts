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
