import type { Journal } from '../journal/journal.ts';
import { InfoldError } from '../kernel/errors.ts';

/** As an argument, and in the address of a request. */
export const MIN_SEQ = 'min_seq';

/**
 * CLU-03: a caller that wrote at one node and goes on at another says how far it has seen. Nothing is read before this node has
 * come as far; `unavailable` where that takes too long.
 */
export async function reachMinSeq(journal: Pick<Journal, 'reached'>, given: unknown): Promise<void> {
  const seq = typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : given;
  if (!Number.isSafeInteger(seq) || (seq as number) < 0) {
    const was = typeof given === 'object' ? 'something else' : JSON.stringify(String(given).slice(0, 50));
    throw new InfoldError(
      'invalid_arguments',
      `min_seq: must be a position of the journal, as _meta["infold/seq"] or X-Infold-Seq says it; it was ${was}`,
      { details: { parameter: MIN_SEQ } },
    );
  }
  await journal.reached(seq as number);
}
