import type { TokenCounter } from '@infold/client';

/**
 * Ids and times differ from run to run, and so does the number of their tokens. For figures that are the same every
 * time, each id is counted as this one, which has as many tokens as they have on average.
 */
const TYPICAL_ID = 'kxh2cdpcxhggjxg6t5qd';
const RANDOM_ID = /\b([a-z]{2,4})_[a-z0-9]{20}\b/g;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const TYPICAL_TIME = '2026-01-01T00:00:00.000Z';

/** Counts the tokens of texts, whatever ids the server drew. Each text is counted once. */
export function steadyCounter(countTokens: TokenCounter): TokenCounter {
  const counted = new Map<string, number>();
  return (text) => {
    const steady = text.replaceAll(RANDOM_ID, `$1_${TYPICAL_ID}`).replaceAll(TIME, TYPICAL_TIME);
    const known = counted.get(steady);
    if (known !== undefined) return known;
    const tokens = countTokens(steady);
    counted.set(steady, tokens);
    return tokens;
  };
}

/** The text of a call, as it is counted. */
export function callText(name: string, input: unknown): string {
  return `${name} ${typeof input === 'string' ? input : JSON.stringify(input)}`;
}
