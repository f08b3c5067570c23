import { InfoldError } from '../../kernel/errors.ts';

/**
 * LIB-15: a path of a library is relative, has `/` between its segments, and stays what it is wherever it is
 * written: no system, no decoder and no Unicode normalisation may read another place into it.
 */

/** Signs that look like a slash or a backslash and that normalisation leaves alone. */
const SEPARATOR_LOOKALIKES =
  /[\u2044\u2215\u2216\u27CB\u27CD\u29F5-\u29F9\u2571\u2572\u3033\u3035\uFE68\uFF0F\uFF3C\u2F02\u2F03\u31D3\u31D4\u4E36\u4E3F]/u;
/** Control, format (zero-width, direction), surrogate and private characters; line separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;
/** What a decoder on the way would turn into a dot, a separator, NUL or another escape. */
const ESCAPED = /%(?:2e|2f|5c|00|25|c0|c1|e0%80)/i;
const DRIVE = /^[A-Za-z]:/;
/** Names that Windows gives to devices, whatever extension follows. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;
/** The short names that Windows gives to long ones: `GIT~1` is `.git`. */
const SHORT_NAME = /~\d+(?:\.|$)/;
/** Not limits that one could set: what is longer cannot be written on every system. */
const MOST_BYTES = 512;
const MOST_SEGMENTS = 32;
const MOST_SEGMENT_BYTES = 200;

export function isSafePath(path: string): boolean {
  if (path === '' || Buffer.byteLength(path) > MOST_BYTES) return false;
  if (INVISIBLE.test(path) || SEPARATOR_LOOKALIKES.test(path) || ESCAPED.test(path)) return false;
  // A path that is safe as written must also be safe as a file system or a host may normalise it.
  return hasSafeSegments(path) && hasSafeSegments(path.normalize('NFKC'));
}

function hasSafeSegments(path: string): boolean {
  if (path.startsWith('/') || path.startsWith('~') || path.includes('\\') || DRIVE.test(path)) return false;
  const segments = path.split('/');
  return segments.length <= MOST_SEGMENTS && segments.every(isSafeSegment);
}

function isSafeSegment(segment: string): boolean {
  // What begins with a dot is not a document: `.git/config`, exported into a repository, would run a command.
  // Windows drops dots and spaces at the end of a name: ".. " would become "..".
  if (segment === '' || /^[. ]|[. ]$/.test(segment)) return false;
  return (
    Buffer.byteLength(segment) <= MOST_SEGMENT_BYTES && !DEVICE.test(segment) && !SHORT_NAME.test(segment)
  );
}

/** The seed's text, and nothing of the path: it may not be fit to be shown. */
export function checkPath(path: string): string {
  if (!isSafePath(path)) throw unsafePath();
  return path;
}

export function unsafePath(): InfoldError {
  return new InfoldError('unsafe_path', 'unsafe path');
}
