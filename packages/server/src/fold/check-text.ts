import { InfoldError } from '../kernel/errors.ts';

/** Tabs and line ends are text; the other control characters and half surrogate pairs are damage. */
const BAD_CHARACTER = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u;

/** Refuses text that could not be shown or stored as it is, and says where the first bad character stands. */
export function checkText(field: string, text: string, most: number, required: boolean): void {
  if (required && text.trim() === '')
    throw new InfoldError('invalid_arguments', `${field} must not be empty`);
  const bytes = Buffer.byteLength(text);
  if (bytes > most) {
    throw new InfoldError('invalid_arguments', `${field} holds ${bytes} bytes; at most ${most} are accepted`);
  }
  const bad = BAD_CHARACTER.exec(text);
  if (bad) {
    const code = bad[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    const what = code.startsWith('D') ? 'half of a surrogate pair' : 'a control character';
    throw new InfoldError('invalid_arguments', `${field} holds ${what} (U+${code}) at position ${bad.index}`);
  }
}

/** What a host hands on, as it can be stored: without damage, and not longer than a text of its kind may be. */
export function cleanText(text: string, most: number): string {
  const clean = text.replaceAll(new RegExp(BAD_CHARACTER, 'gu'), '').trim();
  const bytes = Buffer.from(clean);
  if (bytes.length <= most) return clean;
  const ending = '…';
  return `${bytes
    .subarray(0, most - Buffer.byteLength(ending))
    .toString()
    .replace(/\ufffd+$/, '')}${ending}`;
}
