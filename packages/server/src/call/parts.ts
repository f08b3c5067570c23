import type { ForgetTarget, Forgetter } from '../trust/forget.ts';

/**
 * What actions work with besides the journal: a library, records, the gateway. Each door adds what is its own by
 * declaration merging; the composition root makes them when they are first asked for.
 */
export interface Parts {
  /** How each door forgets. */
  forgetters: readonly Forgetter[];
  /** What is kept for a while stands beside the journal. Each answers how many results of a target it forgot. */
  keptResults: readonly ((target: ForgetTarget) => Promise<number>)[];
}
