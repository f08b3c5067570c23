import type { ScrubbedValue, Scrubber, ScrubResult } from '@infold/scrub';
import { InfoldError } from '../../kernel/errors.ts';

/** Fails closed: when the scrubber cannot say that a text is clean, nothing of it is stored. */
function orRefuse<Result>(scrub: () => Result): Result {
  try {
    return scrub();
  } catch (error) {
    throw new InfoldError(
      'scrub_failed',
      'The text could not be checked for secrets, so nothing was stored',
      {
        retryable: true,
        cause: error,
      },
    );
  }
}

export function scrubText(scrubber: Scrubber, text: string): ScrubResult {
  return orRefuse(() => scrubber.scrub(text));
}

export function scrubValue<T>(scrubber: Scrubber, value: T): ScrubbedValue<T> {
  return orRefuse(() => scrubber.scrubValue(value));
}
