import { Selection } from './select.ts';

const STAMPED =
  /^(?:\S{1,60} +\| +)?[^\w\n]{0,3}(?:(?:[A-Za-z]{3,8}\]? )?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d\d\/[A-Z][a-z]{2}\/\d{4}:|[IWEF]\d{4} \d\d:\d\d|\{"(?:time|ts|timestamp|level)")/;
const ERROR =
  /\b(?:error|err|fatal|panic|panicked|exception|critical|fail|failed|failure|traceback|unhandled|uncaught|emerg|alert)\b|Error\b|Exception\b|^E\d{4} /i;
const WARNING = /\bwarn(?:ing)?\b|^W\d{4} /i;
/** As many of each kind of error are shown. */
const ALIKE = 3;

/** Shortens logs: each kind of line once, errors and warnings first; what comes again is counted. */
export function shortenLog(lines: readonly string[]): string | undefined {
  const filled = lines.filter((line) => line.trim() !== '').length;
  const stamped = lines.filter((line) => STAMPED.test(line)).length;
  const isStamped = stamped >= 20 && stamped >= filled * 0.6;
  // Without times only what is the same to the character is the same line: numbers may be what it is about.
  const isRepeated = filled >= 50 && new Set(lines).size <= lines.length * 0.3;
  if (!isStamped && !isRepeated) return undefined;

  const selection = new Selection(lines);
  const seen = new Map<string, number>();
  let isTrace = false;
  for (const [index, whole] of lines.entries()) {
    const line = whole.slice(0, 300);
    if (line === '') continue;
    const kind = isStamped ? line.replaceAll(/0x[0-9a-f]+|[0-9a-f]{8,}|\d+/gi, '#') : whole;
    const times = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, times);
    const isNew = times <= ALIKE;
    if (isTrace && isStamped && !STAMPED.test(line) && line.trim() !== '') {
      selection.mark(index, isNew ? 2 : 0, ERROR.test(line) ? 'with errors' : undefined);
      continue;
    }
    isTrace = ERROR.test(line);
    if (isTrace) selection.mark(index, isNew ? 3 : 0, 'with errors');
    else if (WARNING.test(line)) selection.mark(index, isNew ? 2 : 0, 'with warnings');
    else selection.mark(index, times === 1 ? 1 : 0);
  }
  return selection.text(5, 12);
}
