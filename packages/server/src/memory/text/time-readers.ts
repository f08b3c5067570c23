import type { Day, DayRange } from './calendar.ts';

export interface TimeExpression extends DayRange {
  /** As it stands in the text. */
  text: string;
}

/** An expression for days, and how to read it. */
export type TimeReader = [
  pattern: RegExp,
  read: (match: RegExpExecArray, reference: Day) => DayRange | undefined,
];

/** Reads a text by each expression in turn: an earlier one takes its text away from the later ones. */
export function readTimes(
  text: string,
  reference: Day,
  readers: readonly TimeReader[],
  isNone: (text: string) => boolean = () => false,
): TimeExpression[] {
  let rest = text;
  const found: (TimeExpression & { at: number })[] = [];
  for (const [pattern, read] of readers) {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(rest); match; match = pattern.exec(rest)) {
      if (isNone(match[0])) continue;
      const range = read(match, reference);
      if (!range) continue;
      found.push({ ...range, text: match[0].trim(), at: match.index });
      rest = `${rest.slice(0, match.index)}${'\0'.repeat(match[0].length)}${rest.slice(pattern.lastIndex)}`;
    }
  }
  return found.sort((one, other) => one.at - other.at).map(({ at: _at, ...time }) => time);
}
