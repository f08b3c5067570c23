/** Shares that were observed a few times, and how far they can be trusted. */

export interface Share {
  /** How often it happened, of how many. */
  count: number;
  of: number;
  /** Null where there was nothing to observe. */
  share: number | null;
  /** Between which shares the true one lies, in 95 of 100 cases; null where there was nothing to observe. */
  low: number | null;
  high: number | null;
}

/** Of the normal distribution, two-sided, for 95 %. */
const Z = 1.959963984540054;

/** The interval of Wilson: it stays between 0 and 1, and is honest about few observations. */
export function shareOf(count: number, of: number): Share {
  if (of === 0) return { count, of, share: null, low: null, high: null };
  const share = count / of;
  const square = Z * Z;
  const middle = (share + square / (2 * of)) / (1 + square / of);
  const half = (Z / (1 + square / of)) * Math.sqrt((share * (1 - share)) / of + square / (4 * of * of));
  // At the ends the sum is what rounding makes of 0 and 1.
  const low = count === 0 ? 0 : Math.max(0, middle - half);
  const high = count === of ? 1 : Math.min(1, middle + half);
  return { count, of, share, low, high };
}

export const COMPARISONS = ['better', 'worse', 'no_difference', 'not_enough'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/**
 * Whether a share rose or fell, by Newcombe's interval for the difference of two shares, which is made of Wilson's two:
 * a difference is shown where it does not include 0.
 */
export function compareShares(
  before: Share,
  after: Share,
  least: number,
): 'rose' | 'fell' | 'same' | 'not_enough' {
  if (before.of < least || after.of < least || before.of === 0 || after.of === 0) return 'not_enough';
  const difference = after.share! - before.share!;
  const low = difference - Math.hypot(after.share! - after.low!, before.high! - before.share!);
  const high = difference + Math.hypot(after.high! - after.share!, before.share! - before.low!);
  return low > 0 ? 'rose' : high < 0 ? 'fell' : 'same';
}
