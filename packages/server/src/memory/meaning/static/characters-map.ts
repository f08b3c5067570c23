import { unusableModel } from '../errors.ts';

/** Characters that belong together are looked up together only up to this length in bytes. */
const LONGEST = 6;
const KEPT = 10_000;
const PLAIN = /^[\x20-\x7e]*$/;

/**
 * The characters that a SentencePiece tokenizer replaces, and with what: a double-array trie over UTF-8, followed by the
 * replacements, each of which ends with a zero byte.
 */
export function charactersMap(encoded: string): (text: string) => string {
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length === 0) return (text) => text;
  const size = bytes.length < 4 ? bytes.length : bytes.readUInt32LE(0);
  if (size % 4 !== 0 || size === 0 || 4 + size > bytes.length) {
    throw unusableModel('the map of characters in tokenizer.json is damaged');
  }
  const units = Uint32Array.from({ length: size / 4 }, (_, index) => bytes.readUInt32LE(4 + index * 4));
  const replacements = bytes.subarray(4 + size);
  const known = new Map<string, string | null>();

  const replacementOf = (part: string): string | null => {
    const found = known.get(part);
    if (found !== undefined) return found;
    const index = lookUp(units, Buffer.from(part));
    const end = index === undefined ? -1 : replacements.indexOf(0, index);
    const replacement =
      index === undefined || index > replacements.length
        ? null
        : replacements.toString('utf8', index, end < 0 ? replacements.length : end);
    if (known.size >= KEPT) known.clear();
    known.set(part, replacement);
    return replacement;
  };
  const replaceEach = (cluster: string): string =>
    Array.from(cluster, (character) => replacementOf(character) ?? character).join('');

  return (text) => {
    if (PLAIN.test(text)) return replaceEach(text);
    const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
    let changed = '';
    for (const { segment } of segmenter.segment(text)) {
      const whole = Buffer.byteLength(segment) < LONGEST ? replacementOf(segment) : null;
      changed += whole ?? replaceEach(segment);
    }
    return changed;
  };
}

/** The value of the shortest prefix that the trie holds. */
function lookUp(units: Uint32Array, key: Uint8Array): number | undefined {
  let at = offsetOf(units[0]!);
  for (const byte of key) {
    if (byte === 0) return undefined;
    at ^= byte;
    const unit = units[at];
    if (unit === undefined || (unit & 0x800000ff) >>> 0 !== byte) return undefined;
    at ^= offsetOf(unit);
    if ((unit >>> 8) & 1) {
      const leaf = units[at];
      return leaf === undefined ? undefined : leaf & 0x7fffffff;
    }
  }
  return undefined;
}

function offsetOf(unit: number): number {
  return (unit >>> 10) << ((unit & 0x200) >>> 6);
}
