export interface MarkdownHeading {
  /** Where its line begins. */
  index: number;
  depth: number;
  text: string;
}

const LINE = /^ {0,3}(?:(`{3,}|~{3,})(.*)|(#{1,6})[ \t]+(.+?)[ \t#]*)$/gm;

/** The headings of a Markdown text in order. A comment in fenced code looks like one and is none. */
export function* headingsOf(content: string): Generator<MarkdownHeading> {
  let fence: string | undefined;
  for (const { index, 1: marker, 2: info, 3: signs, 4: text } of content.matchAll(LINE)) {
    if (marker === undefined) {
      if (fence === undefined) yield { index, depth: signs!.length, text: text! };
    } else if (fence === undefined) {
      // Backticks behind three backticks are code within a line.
      if (marker[0] !== '`' || !info!.includes('`')) fence = marker;
    } else if (marker[0] === fence[0] && marker.length >= fence.length && info!.trim() === '') {
      fence = undefined;
    }
  }
}
