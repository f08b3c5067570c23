import { InfoldError } from '../../kernel/errors.ts';

/** The source itself cannot be reached now; others are not concerned. */
export function sourceUnavailable(model: string, problem: string, cause?: unknown): InfoldError {
  return new InfoldError('source_unavailable', `The source of "${model}" cannot be read: ${problem}`, {
    retryable: true,
    details: { model },
    cause,
  });
}

/** Somebody has to repair the source or its configuration. */
export function sourceInvalid(model: string, problem: string): InfoldError {
  return new InfoldError('source_invalid', `The source of "${model}" is not usable: ${problem}`, {
    details: { model },
  });
}

export function pageTooLarge(model: string, most: number): InfoldError {
  return new InfoldError(
    'too_large',
    `This page of "${model}" would hold more than ${most} bytes; ask for a smaller per_page or for some fields`,
  );
}
