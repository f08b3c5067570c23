import { createEngine, type Engine } from './detect/engine.ts';
import { replaceFindings } from './detect/findings.ts';
import { compileOptions, type ScrubOptions } from './options.ts';
import { scrubStructure } from './value.ts';

export type { ScrubOptions } from './options.ts';

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

/** Replacing a secret can lay open the next one; this many rounds settle any text met so far. */
const ROUNDS = 8;

/** Rules are compiled at the first text, not here: a server that starts must not wait for them. */
export function createScrubber(options: ScrubOptions = {}): Scrubber {
  const compiled = compileOptions(options);
  let engine: Engine | undefined;

  const scrub = (text: string): ScrubResult => {
    engine ??= createEngine(compiled);
    let current = text;
    let count = 0;
    const kinds = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const findings = engine.find(current);
      if (findings.length === 0) break;
      count += findings.length;
      for (const finding of findings) kinds.add(finding.kind);
      current = replaceFindings(current, findings);
    }
    return { text: current, count, kinds: [...kinds].sort() };
  };

  return {
    scrub,
    scrubValue<T>(value: T): ScrubbedValue<T> {
      const result = scrubStructure(value, { scrub });
      return { value: result.value as T, count: result.count, kinds: [...result.kinds].sort() };
    },
  };
}
