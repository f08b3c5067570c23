import { isAlphanumeric, isLower, isSpace } from '../text/characters.ts';
import { isMonotonous } from '../text/randomness.ts';
import { type Finding, Rank } from './types.ts';

const HEADER = /-----BEGIN ((?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?)-----/y;
/** The longest block that is followed: a 16,384-bit key with room for indents and escapes. */
const BLOCK_REACH = 32_768;
/** Shorter bodies are documentation (`…`, `xxx`), not keys. */
const LEAST_BODY = 40;
/** A word this long between spaces is a line of a key; its last line may be shorter. */
const LINE_WORD = 24;

/**
 * The whole private-key block whose dashes begin at `start`: header, body and footer. A block that was cut
 * off is taken as far as its lines still look like key material.
 */
export function privateKeyBlock(text: string, start: number): Finding | undefined {
  HEADER.lastIndex = start;
  const header = HEADER.exec(text);
  if (header === null) return undefined;
  const limit = Math.min(text.length, start + BLOCK_REACH);
  let cursor = HEADER.lastIndex;
  let body = '';
  let letters = 0;
  let word = 0;
  // Where the key material ends if no footer follows: prose after a block that was cut off is not eaten.
  let materialEnd = cursor;
  let afterMaterial = false;
  // Only small letters so far: a word of prose rather than the last line of a key.
  let plain = true;
  const closeWord = (): void => {
    if (word >= LINE_WORD || (afterMaterial && word > 0 && !plain)) materialEnd = cursor;
    if (word > 0) afterMaterial = word >= LINE_WORD;
    word = 0;
    plain = true;
  };
  while (cursor < limit) {
    const code = text.charCodeAt(cursor);
    if (isAlphanumeric(code) || code === 43 || code === 47 || code === 61) {
      letters += 1;
      word += 1;
      if (!isLower(code)) plain = false;
      if (body.length < 256) body += text[cursor];
    } else if (code === 45 && text.startsWith('-----', cursor)) break;
    else if (code === 92 && 'nrt'.includes(text[cursor + 1] ?? ' ')) {
      closeWord();
      cursor += 1;
    } else if (code === 45 || isFiller(code)) closeWord();
    else break;
    cursor += 1;
  }
  closeWord();
  if (letters < LEAST_BODY || materialEnd === HEADER.lastIndex || isMonotonous(body)) return undefined;
  let end = materialEnd;
  if (text.startsWith('-----END', cursor)) {
    const closing = text.slice(cursor + 8, cursor + 80).indexOf('-----');
    end = closing === -1 ? cursor + 8 : cursor + closing + 13;
  }
  const kind = header[1]!.startsWith('PGP') ? 'pgp-private-key' : 'private-key';
  return { start, end, kind, rank: Rank.format };
}

/** What stands between the lines of a key: space, quotes, commas, escapes, comment marks, `Proc-Type: 4,ENCRYPTED`. */
function isFiller(code: number): boolean {
  return isSpace(code) || FILLERS.has(code);
}
const FILLERS = new Set([...'\\"\'`,:;*#>|.'].map((character) => character.charCodeAt(0)));

const PUTTY =
  /PuTTY-User-Key-File-[23]: [\s\S]{1,400}?Private-Lines: \d{1,4}(?:\\r)?(?:\\n|\s{1,2})(?:[A-Za-z0-9+/=]{1,64}(?:\\r)?(?:\\n|\s{1,2}|$)){1,400}(?:Private-MAC: [0-9a-f]{16,128})?/y;

export function puttyKey(text: string, start: number): Finding | undefined {
  PUTTY.lastIndex = start;
  return PUTTY.test(text)
    ? { start, end: PUTTY.lastIndex, kind: 'putty-private-key', rank: Rank.format }
    : undefined;
}
