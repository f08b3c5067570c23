import { InfoldError } from '../../kernel/errors.ts';
import { invalid } from '../errors.ts';

/** Half of a surrogate pair has no bytes of its own, and a NUL ends the text for many readers. */
const DAMAGED = /\p{Cs}|\0/u;

/** Refuses content that could not be written to a file as it is. */
export function checkContent(text: string, most: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > most) {
    throw new InfoldError('too_large', `body holds ${bytes} bytes; at most ${most} are accepted`, {
      details: { bytes, limit: most },
    });
  }
  const bad = DAMAGED.exec(text);
  if (!bad) return;
  const what = bad[0] === '\0' ? 'a NUL character' : 'half of a surrogate pair, which is not valid UTF-8';
  throw invalid(`body holds ${what} at position ${bad.index}`);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a file's bytes; undefined when they are not UTF-8. A byte order mark stays. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
