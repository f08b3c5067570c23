import { InfoldError } from '../../kernel/errors.ts';

/** A model that cannot be used, and why. What is named is the operator's: callers are told less. */
export function unusableModel(why: string, cause?: unknown): InfoldError {
  return new InfoldError('invalid_arguments', `The embedding model cannot be used: ${why}`, { cause });
}

/** The endpoint does not answer, or not with vectors. */
export function noVectors(why: string, retryable: boolean, cause?: unknown): InfoldError {
  return new InfoldError('unavailable', `The embedding endpoint ${why}`, { retryable, cause });
}
