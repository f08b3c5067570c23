/** What every shortener shares: how a gap is marked, and how text is cut. */

/** A gap says in its place what is gone. */
export function gap(what: string): string {
  return `… ${what}${GAP_END}`;
}

const GAP_END = ' left out …';
const GAPS = /… [^…\n]{1,400} left out …/g;

/** What has gaps was shortened before: twice would leave gaps in gaps. */
export function hasGaps(text: string): boolean {
  return text.includes(GAP_END);
}

/** Characters that are not gaps. */
export function keptLength(text: string): number {
  let length = text.length;
  for (const [found] of text.matchAll(GAPS)) length -= found.length;
  return length;
}

/** `1 line`, `1,204 lines`, `3 matches`. */
export function count(number: number, noun: string): string {
  const digits = String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  return `${digits} ${number === 1 ? noun : `${noun}${noun.endsWith('ch') ? 'es' : 's'}`}`;
}

/** A text's middle goes when it is too long; a pair of surrogates stays together. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  let head = Math.floor((most * 2) / 3);
  let tail = text.length - Math.floor(most / 3);
  if (isLowSurrogate(text, head)) head--;
  if (isLowSurrogate(text, tail)) tail++;
  const cut = `${text.slice(0, head)}${gap(count(tail - head, 'character'))}${text.slice(tail)}`;
  return cut.length < text.length ? cut : text;
}

/** The beginning of a text. */
export function headOf(text: string, most: number): string {
  return text.slice(0, isLowSurrogate(text, most) ? most - 1 : most);
}

/** The end of a text. */
export function tailOf(text: string, most: number): string {
  const start = Math.max(0, text.length - most);
  return text.slice(isLowSurrogate(text, start) ? start + 1 : start);
}

function isLowSurrogate(text: string, place: number): boolean {
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code <= 0xdfff;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what terminals are told colours with.
const COLOURS = /\u001b(?:\[[0-9;?]{0,40}[A-Za-z]|\][^\u0007\u001b\n]{0,400}(?:\u0007|\u001b\\))/g;

/** As a terminal would show them: without colours, and a line that was written over only as it was last. */
export function linesOf(text: string): string[] {
  const plain = text.includes('\u001b') ? text.replaceAll(COLOURS, '') : text;
  const lines = plain.split('\n');
  if (!plain.includes('\r')) return lines;
  return lines.map((line) => {
    const whole = line.endsWith('\r') ? line.slice(0, -1) : line;
    return whole.slice(whole.lastIndexOf('\r') + 1);
  });
}
