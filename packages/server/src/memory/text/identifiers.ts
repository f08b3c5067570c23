/** A run without spaces or quotes; what surrounds a name in prose is cut off afterwards. */
const RUN = /[^\s"'`“”‘’<>()[\]{},;]+/g;
const EDGES = /^[.:!?*#]+(?=[^-])|[.:!?*]+$/g;
const LONGEST = 200;

/**
 * Names that are looked up as they are written: `ERR_CONN_RESET_0x7f31`, `proxy.ts`, `--wait-searchable`, `PROJ-12`.
 * The trigger is purely how they look: "how do we handle authentication" holds none.
 */
export function identifiersIn(text: string): string[] {
  // Plain prose has none of these signs, and most text is plain prose.
  if (!/[\d_./\\#:-]|[a-z][A-Z]/.test(text)) return [];
  const found: string[] = [];
  for (const [run] of text.matchAll(RUN)) {
    if (run.length < 3 || run.length > LONGEST) continue;
    const name = run.replace(EDGES, '');
    if (name.length >= 3 && isIdentifier(name)) found.push(name);
  }
  return found;
}

/** How people write quantities, times and dates; they hold digits and letters, but name nothing. */
const QUANTITY =
  /^[~$€£+-]?\d+([.,:/-]\d+)*(st|nd|rd|th|s|am|pm|k|m|b|x|h|hr|hrs|min|mins|ms|kg|km|cm|mm|g|lb|lbs|mi|ft|gb|mb|kb|tb|%)?$/i;

function isIdentifier(name: string): boolean {
  if (QUANTITY.test(name)) return false;
  if (/^--?[a-z][\w-]+/i.test(name)) return name.startsWith('--');
  if (/[A-Za-z0-9]_[A-Za-z0-9]/.test(name)) return true;
  if (/^[\w@~-]*([/\\][\w@.~-]+){2,}[/\\]?$/.test(name)) return true;
  if (/^[\w@~-]*([/\\][\w@~-]+)*[/\\]?[\w@~-]*\.[A-Za-z][A-Za-z0-9]{0,9}(:\d+)?$/.test(name)) return true;
  if (/^\w[\w-]*(\.\w[\w-]*){2,}$/.test(name)) return true;
  if (/^v\d+(\.\d+)*$/i.test(name)) return true;
  if (/^[A-Z][A-Z0-9]*-\d+$/.test(name)) return true;
  if (/^\w+::\w+/.test(name)) return true;
  if (/^[a-z]+[a-z0-9]*([A-Z][a-z0-9]+)+$/.test(name)) return true;
  // Letters and digits mixed: codes, hashes, models of things.
  return /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9-]{4,}$/.test(name) && !/^\d+-[a-z-]+$/i.test(name);
}

/** Letter case and the kind of punctuation do not tell names apart. */
export function identifierTerm(name: string): string {
  return `x_${name
    .toLowerCase()
    .replace(/^-+/, '')
    .replace(/:\d+$/, '')
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')}`;
}
