/** Character tests on codes: they run at every keyword, so they allocate nothing. */

export const isDigit = (code: number): boolean => code >= 48 && code <= 57;
export const isUpper = (code: number): boolean => code >= 65 && code <= 90;
export const isLower = (code: number): boolean => code >= 97 && code <= 122;
export const isAlphanumeric = (code: number): boolean => isLower(code) || isUpper(code) || isDigit(code);
/** A character of an identifier as names in configurations are written: `A_b-c.d`. */
export const isNameCharacter = (code: number): boolean =>
  isAlphanumeric(code) || code === 95 || code === 45 || code === 46;
export const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);

export type Boundary = 'word' | 'strict' | 'blob' | 'none';

const refuses = (boundary: Boundary, code: number): boolean => {
  if (boundary === 'none') return false;
  if (isAlphanumeric(code)) return true;
  if (boundary === 'strict') return code === 95 || code === 45;
  return boundary === 'blob' && (code === 43 || code === 47);
};

/** Whether a token may begin at `start`. An escape such as `\n` or a terminal colour before it is no letter. */
export function startsToken(text: string, start: number, boundary: Boundary): boolean {
  if (start === 0) return true;
  const before = text.charCodeAt(start - 1);
  if (!refuses(boundary, before)) return true;
  // The n, r or t of `\n`, `\r`, `\t`.
  if ((before === 110 || before === 114 || before === 116) && text.charCodeAt(start - 2) === 92) return true;
  if (before !== 109) return false;
  // The m that closes a terminal colour: ESC [ 3 1 m.
  let cursor = start - 2;
  while (cursor > start - 12 && (isDigit(text.charCodeAt(cursor)) || text.charCodeAt(cursor) === 59))
    cursor -= 1;
  return text.charCodeAt(cursor) === 91 && text.charCodeAt(cursor - 1) === 27;
}

/** A quick refusal for keywords that begin a token: a letter or digit before them that no escape explains. */
export function isInsideWord(text: string, start: number): boolean {
  if (start === 0) return false;
  const before = text.charCodeAt(start - 1);
  if (!isAlphanumeric(before)) return false;
  return !startsToken(text, start, 'word');
}

/**
 * Whether a token may end before `end`. What was redacted right after it was part of the same run of text, so
 * it refuses as that run did; else each scrubbing would take one more piece off its end.
 */
export function endsToken(text: string, end: number, boundary: Boundary): boolean {
  if (end >= text.length || boundary === 'none') return true;
  const after = text.charCodeAt(end);
  return !refuses(boundary, after) && !(after === 91 && text.startsWith('[REDACTED:', end));
}
