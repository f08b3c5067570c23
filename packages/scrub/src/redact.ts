import { createEngine, type Engine } from './detect/engine.ts';
import { replaceFindings } from './detect/findings.ts';
import type { Finding } from './detect/types.ts';
import { compileOptions, type ScrubOptions } from './options.ts';

/** A text without its secrets, and what was replaced. */
export interface Redaction {
  text: string;
  /** What each round found, at positions in the text that the round before left. */
  rounds: Finding[][];
}

export type Redact = (text: string) => Redaction;

/** Replacing a secret can lay open the next one; this many rounds settle any text met so far. */
const ROUNDS = 8;

/** Texts that are worth the 25 ns it takes to let go of them. */
const LONG = 1 << 14;

/** Rules are compiled at the first text, not here: a server that starts must not wait for them. */
export function createRedactor(options: ScrubOptions): Redact {
  const compiled = compileOptions(options);
  let engine: Engine | undefined;
  return (text) => {
    engine ??= createEngine(compiled);
    const rounds: Finding[][] = [];
    let current = text;
    while (rounds.length < ROUNDS) {
      const findings = engine.find(current);
      if (findings.length === 0) break;
      rounds.push(findings);
      current = replaceFindings(current, findings);
    }
    if (text.length > LONG) releaseLastMatch();
    return { text: current, rounds };
  };
}

/**
 * JavaScript keeps the text of the last match (`RegExp.input`) until another expression matches: megabytes of it, and
 * the secrets that were just taken out.
 */
function releaseLastMatch(): void {
  /^/.test('');
}
