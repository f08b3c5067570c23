import type { Exposure } from './queries.ts';

const DAY = 86_400_000;
/** What happened so long ago counts half. */
const HALF_LIFE = 30 * DAY;
/** A session may still use what it was shown this recently. */
const SETTLED = 3_600_000;
/** Not being used says little: the pack may have been long, or the item known already. */
const UNUSED = 0.2;
/** So many uses are needed before an item has half of what it can gain: a few prove little. */
const DOUBT = 2;
/** The most that use adds to a score, and takes from it. */
const MOST_GAIN = 0.1;
const MOST_LOSS = 0.05;

/** What the use of an item is worth. */
export interface Standing {
  /** A share of the item's score. */
  change: number;
  /** Packs after which it was used, of all that showed it. */
  used: number;
  shown: number;
}

export function standingOf(exposures: readonly Exposure[], now: number): Standing {
  let [used, unused, count] = [0, 0, 0];
  for (const exposure of exposures) {
    const age = Math.max(0, now - exposure.at);
    const weight = 2 ** (-age / HALF_LIFE);
    if (exposure.used) {
      used += weight;
      count++;
    } else if (age >= SETTLED) unused += weight * UNUSED;
  }
  const change = (used - unused) / (used + unused + DOUBT);
  return { change: change * (change > 0 ? MOST_GAIN : MOST_LOSS), used: count, shown: exposures.length };
}
