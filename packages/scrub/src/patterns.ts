import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

/**
 * Expressions of the configuration. They run on an engine whose time grows with the length of the text alone, whatever
 * the expression; JavaScript's own can be stalled for good by a short one.
 */
export interface Pattern {
  test(text: string): boolean;
  /** Where the group begins and ends in each match; group 0 is the match. */
  spans(text: string, group: number): Iterable<[start: number, end: number]>;
}

/** Loaded when a configuration has expressions: few do, and every start would wait for it. */
const load = createRequire(import.meta.url);

/** Finding all matches can take a search through the whole text for each; then the text counts as not checked. */
export const PATIENCE = 1000;

export function compilePattern(source: string, flags: string): Pattern {
  const { RE2JS: Engine } = load('re2js') as { RE2JS: typeof RE2JS };
  const values = { i: Engine.CASE_INSENSITIVE, m: Engine.MULTILINE, s: Engine.DOTALL, u: 0 };
  const sum = [...flags].reduce((total, flag) => total | values[flag as keyof typeof values], 0);
  let expression: RE2JS;
  try {
    expression = Engine.compile(source, sum);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${reason}. Look-around and back references are not supported`);
  }
  return {
    test: (text) => expression.test(text),
    *spans(text, group) {
      const deadline = performance.now() + PATIENCE;
      const matcher = expression.matcher(text);
      while (matcher.find()) {
        const whole = group > 0 && matcher.start(group) < 0;
        yield whole ? [matcher.start(), matcher.end()] : [matcher.start(group), matcher.end(group)];
        if (performance.now() > deadline) {
          throw new Error(`The expression ${source} took longer than ${PATIENCE} ms on one text`);
        }
      }
    },
  };
}
