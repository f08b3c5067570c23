import type { Limits } from '@infold/protocol';
import { InfoldError } from '../errors.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;

/**
 * Parses JSON that strangers sent. Depth and keys are counted before, in one pass over the text, because a parsed
 * monster has done its harm already. A `__proto__` key is plain data: JSON.parse never sets prototypes.
 */
export function parseJson(text: string, limits: Pick<Limits, 'jsonDepth' | 'jsonKeys'>): unknown {
  checkShape(text, limits);
  try {
    return JSON.parse(text);
  } catch {
    throw new InfoldError('invalid_arguments', 'The request body is not valid JSON');
  }
}

function checkShape(text: string, { jsonDepth, jsonKeys }: Pick<Limits, 'jsonDepth' | 'jsonKeys'>): void {
  // Shorter than either limit: it cannot pass them.
  if (text.length <= Math.min(jsonDepth, jsonKeys)) return;
  let depth = 0;
  let keys = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index);
    else if (code === COLON) keys++;
    else if (code === 123 || code === 91) depth++;
    else if (code === 125 || code === 93) depth--;
    if (depth > jsonDepth) {
      throw new InfoldError('too_large', `The JSON is nested deeper than ${jsonDepth} levels`);
    }
  }
  if (keys > jsonKeys) throw new InfoldError('too_large', `The JSON has more than ${jsonKeys} keys`);
}

/**
 * Where the JSON string that begins at `start` has its closing quote; the text's length where it has none. Strings are most
 * of a request, so their ends are found with the engine's own search.
 */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
