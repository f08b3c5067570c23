export interface MarkdownHeading {
  /** Where its line begins. */
  index: number;
  depth: number;
  text: string;
}

const LINE = /^ {0,3}(?:(`{3,}|~{3,})(.*)|(#{1,6})[ \t]+(.+?)[ \t#]*)$/gm;

/** The fence that is open after a line which begins with `marker`, if one is. */
export function fenceAfter(open: string | undefined, marker: string, info: string): string | undefined {
  // Backticks behind three backticks are code within a line.
  if (open === undefined) return marker[0] !== '`' || !info.includes('`') ? marker : undefined;
  return marker[0] === open[0] && marker.length >= open.length && info.trim() === '' ? undefined : open;
}

/** The headings of a Markdown text in order. A comment in fenced code looks like one and is none. */
export function* headingsOf(content: string): Generator<MarkdownHeading> {
  let fence: string | undefined;
  for (const { index, 1: marker, 2: info, 3: signs, 4: text } of content.matchAll(LINE)) {
    if (marker !== undefined) fence = fenceAfter(fence, marker, info!);
    else if (fence === undefined) yield { index, depth: signs!.length, text: text! };
  }
}

const FENCED = /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[ \t]*$|$(?![\s\S]))/gm;

/** The text with spaces in place of its fenced code, so that all else stays where it is. */
export function withoutCode(content: string): string {
  return content.replace(FENCED, (code) => ' '.repeat(code.length));
}
