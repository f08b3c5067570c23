import type { ScrubOptions } from './options.ts';
import { createRedactor } from './redact.ts';
import type { Scrubber, ScrubResult } from './scrubber.ts';
import { ScrubStream } from './stream.ts';
import { scrubStructure } from './value.ts';

export { JsonlError, type JsonlOptions, type ScrubbedLine, scrubJsonl } from './jsonl.ts';
export type { ScrubOptions, UserRule } from './options.ts';
export type { ScrubbedValue, Scrubber, ScrubResult } from './scrubber.ts';
export type { ScrubStream } from './stream.ts';

export interface StreamingScrubber extends Scrubber {
  /** A stream of text or UTF-8 bytes from which secrets are gone. */
  createStream(): ScrubStream;
}

/** Throws if a rule or an exception of the options cannot be used. */
export function createScrubber(options: ScrubOptions = {}): StreamingScrubber {
  const redact = createRedactor(options);
  const scrubText = (text: string): ScrubResult => {
    const { text: clean, rounds } = redact(text);
    if (rounds.length === 0) return { text, count: 0, kinds: [] };
    const findings = rounds.flat();
    const kinds = new Set(findings.map(({ kind }) => kind));
    return { text: clean, count: findings.length, kinds: [...kinds].sort() };
  };
  return {
    scrub: scrubText,
    scrubValue(value) {
      const result = scrubStructure(value, { scrub: scrubText });
      return {
        value: result.value as typeof value,
        count: result.count,
        kinds: [...result.kinds].sort(),
      };
    },
    createStream: () => new ScrubStream(redact),
  };
}

let builtIn: Scrubber | undefined;

/** Scrubs a text with the built-in rules alone. */
export function scrub(text: string): ScrubResult {
  builtIn ??= createScrubber();
  return builtIn.scrub(text);
}
