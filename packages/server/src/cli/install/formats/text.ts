/** What stands in a text from one offset to another. */
export interface TextSpan {
  from: number;
  to: number;
}

export interface Edit extends TextSpan {
  text: string;
}

/** All of them at once; none may overlap another. Edits at one place come in the order given. */
export function edited(text: string, edits: readonly Edit[]): string {
  const sorted = edits.map((edit, order) => ({ ...edit, order }));
  sorted.sort((a, b) => a.from - b.from || a.order - b.order);
  let result = '';
  let done = 0;
  for (const { from, to, text: instead } of sorted) {
    result += text.slice(done, from) + instead;
    done = to;
  }
  return result + text.slice(done);
}

/** The line end that the text has, so that a file does not end up with two kinds. */
export function lineEndOf(text: string): string {
  const at = text.indexOf('\n');
  return at > 0 && text[at - 1] === '\r' ? '\r\n' : '\n';
}

export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Where the line ends, its line end excluded. */
export function lineStop(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  if (at < 0) return text.length;
  return at > offset && text[at - 1] === '\r' ? at - 1 : at;
}

/** Behind the line end, or the end of the text. */
export function nextLine(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  return at < 0 ? text.length : at + 1;
}

/** Before the line end that stands right before an offset; the offset itself where there is none. */
export function beforeLineEnd(text: string, offset: number): number {
  if (text[offset - 1] !== '\n') return offset;
  return text[offset - 2] === '\r' ? offset - 2 : offset - 1;
}

/** The white space that the line begins with. */
export function indentAt(text: string, offset: number): string {
  const start = lineStart(text, offset);
  return /^[ \t]*/.exec(text.slice(start, lineStop(text, start)))![0];
}

/** Whole lines, behind what stands at `offset`. The last line of a text without a line end stays so. */
export function linesBehind(text: string, offset: number, lines: readonly string[]): Edit {
  const end = lineEndOf(text);
  const at = nextLine(text, offset);
  const isOpenEnded = at === text.length && at > 0 && text[at - 1] !== '\n';
  const added = isOpenEnded ? lines.map((line) => end + line) : lines.map((line) => line + end);
  return { from: at, to: at, text: added.join('') };
}

/** Takes whole lines away: of a last line without a line end, the one before it. */
export function withoutLines(text: string, { from, to }: TextSpan): Edit {
  const start = lineStart(text, from);
  const stop = nextLine(text, Math.max(from, to));
  const isOpenEnded = stop === text.length && text[stop - 1] !== '\n';
  return { from: isOpenEnded ? beforeLineEnd(text, start) : start, to: stop, text: '' };
}

/** The text with its last line ended. */
export function onNewLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : text + lineEndOf(text);
}
