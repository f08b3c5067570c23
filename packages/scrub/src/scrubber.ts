export interface ScrubResult {
  text: string;
  count: number;
  /** Sorted, each once. */
  kinds: string[];
}

export interface ScrubbedValue<T> {
  value: T;
  count: number;
  /** Sorted, each once. */
  kinds: string[];
}

/** Replaces secrets by `[REDACTED:<kind>]`. What it returns never holds any part of a secret it found. */
export interface Scrubber {
  /** Scrubbing the result again changes nothing and counts nothing. */
  scrub(text: string): ScrubResult;
  /** Scrubs a JSON value and keeps its shape; the same reference comes back if nothing changed. */
  scrubValue<T>(value: T): ScrubbedValue<T>;
}
