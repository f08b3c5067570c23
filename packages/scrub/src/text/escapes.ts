/**
 * Text in which escapes hide characters: \u0041, \x41, %41, \/, &quot;. A decoded copy is searched, and each
 * finding is carried back to where it stands in the original.
 */

const ESCAPE =
  /\\{1,4}u00([2-7][0-9a-fA-F])|\\{1,4}x([2-7][0-9a-fA-F])|%(0[aAdD9]|[2-7][0-9a-fA-F])|\\{1,4}(\/)|&(quot|amp|lt|gt|apos);|&#(x[0-9a-fA-F]{2}|\d{2,3});/g;
const ENTITIES: Record<string, string> = { quot: '"', amp: '&', lt: '<', gt: '>', apos: "'" };

/** Literals that a window of decoding opens at. */
export const ESCAPE_LITERALS = [
  '\\u00',
  '\\x',
  '%0',
  '%2',
  '%3',
  '%4',
  '%5',
  '%6',
  '%7',
  ':\\/',
  '&quot;',
  '&#',
  '&amp;',
];

/** How far a secret may reach to either side of the escape that hides a part of it. */
const BEFORE = 300;
const AFTER = 1200;

export interface Window {
  start: number;
  end: number;
}

/** Notes an escape; windows that would touch become one. */
export function noteEscape(windows: Window[], position: number, length: number): void {
  const last = windows.at(-1);
  const end = Math.min(length, position + AFTER);
  if (last !== undefined && position - BEFORE <= last.end) last.end = end;
  else windows.push({ start: Math.max(0, position - BEFORE), end });
}

export interface Decoded {
  text: string;
  /** Where a position of the decoded text stands in the original. */
  origin(position: number): number;
}

export function decodeWindow(text: string, window: Window): Decoded | undefined {
  const slice = text.slice(window.start, window.end);
  let decoded = '';
  let position = 0;
  // For each escape: the decoded position after it, and how much longer the original is up to there.
  const ends: number[] = [];
  const shifts: number[] = [];
  let shift = 0;
  for (const match of slice.matchAll(ESCAPE)) {
    const code = match[1] ?? match[2] ?? match[3];
    let character: string;
    if (code !== undefined) character = String.fromCharCode(Number.parseInt(code, 16));
    else if (match[4] !== undefined) character = '/';
    else if (match[5] !== undefined) character = ENTITIES[match[5]]!;
    else
      character = String.fromCharCode(
        match[6]![0] === 'x' ? Number.parseInt(match[6]!.slice(1), 16) : Number(match[6]),
      );
    decoded += slice.slice(position, match.index) + character;
    position = match.index + match[0].length;
    shift += match[0].length - 1;
    ends.push(decoded.length);
    shifts.push(shift);
  }
  if (ends.length === 0) return undefined;
  decoded += slice.slice(position);
  return {
    text: decoded,
    origin(target) {
      // The last escape that ends at or before the target.
      let low = 0;
      let high = ends.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (ends[middle]! <= target) low = middle + 1;
        else high = middle;
      }
      return window.start + target + (low === 0 ? 0 : shifts[low - 1]!);
    },
  };
}
