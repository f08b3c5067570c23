import { classifyName, wordsOf } from './detect/field-names.ts';
import { isPlaceholder } from './text/placeholder.ts';

/** What the walk needs from the scrubber of text. */
export interface TextScrubber {
  scrub(text: string): { text: string; count: number; kinds: string[] };
}

export interface WalkResult {
  value: unknown;
  count: number;
  kinds: Set<string>;
}

/** An array or object that is being walked, and what has become of its entries so far. */
interface Frame {
  source: object;
  keys: string[];
  values: unknown[];
  next: number;
  changed: boolean;
  /** The kind to redact this array's strings as, when it stands under a secret's name. */
  inherited: string | undefined;
  /** The position in the parent's values to put the result. */
  slot: number;
}

/** Back references end here: a value that holds itself is not JSON, and its copy would hold the original. */
const CYCLE = '[REDACTED:cycle]';

/**
 * Scrubs a JSON value. It keeps its own stack, so depth costs memory instead of overflowing; what did not
 * change keeps its identity.
 */
export function scrubStructure(root: unknown, scrubber: TextScrubber): WalkResult {
  const result: WalkResult = { value: root, count: 0, kinds: new Set() };
  const redact = (kind: string): string => {
    result.count += 1;
    result.kinds.add(kind);
    return `[REDACTED:${kind}]`;
  };
  const scrubText = (text: string): string => {
    const scrubbed = scrubber.scrub(text);
    result.count += scrubbed.count;
    for (const kind of scrubbed.kinds) result.kinds.add(kind);
    return scrubbed.text;
  };
  /** Values that are done at once; undefined if `value` must be walked. */
  const scrubLeaf = (value: unknown, key: string | undefined, kind: string | undefined): unknown => {
    if (typeof value === 'string') {
      if (
        kind !== undefined &&
        !isPlaceholder(kind === 'authorization' ? value.replace(/^\w+ +/, '') : value)
      )
        return redact(kind);
      const scrubbed = scrubText(value);
      return scrubbed !== value || key === undefined ? scrubbed : scrubUnderName(key, value);
    }
    if (kind !== undefined && isSecretNumber(value, kind)) return redact(kind);
    return value;
  };
  /** A provider's value that only its name gives away: `{ "algoliaAdmin": "…" }`. */
  const scrubUnderName = (key: string, value: string): string => {
    if (value.length < 8 || value.length > 512 || key.length > 100 || !/^[^\s"'`\\]+$/.test(value))
      return value;
    const scrubbed = scrubber.scrub(`${key}="${value}"`);
    if (scrubbed.count === 0 || !scrubbed.text.startsWith(`${key}="`)) return value;
    return redact(scrubbed.kinds[0]!);
  };

  if (!isWalkable(root)) {
    result.value = scrubLeaf(root, undefined, undefined);
    return result;
  }
  const finished = new Map<object, unknown>();
  const open = new Set<object>();
  const stack: Frame[] = [];
  const enter = (source: object, inherited: string | undefined, slot: number): void => {
    const keys = Array.isArray(source) ? [] : Object.keys(source);
    const values = Array.isArray(source)
      ? source.slice()
      : keys.map((key) => (source as Record<string, unknown>)[key]);
    open.add(source);
    stack.push({ source, keys, values, next: 0, changed: false, inherited, slot });
  };
  enter(root, undefined, 0);
  while (stack.length > 0) {
    const frame = stack.at(-1)!;
    if (frame.next >= frame.values.length) {
      stack.pop();
      open.delete(frame.source);
      const built = rebuild(frame, scrubText);
      if (frame.inherited === undefined) finished.set(frame.source, built);
      const parent = stack.at(-1);
      if (parent === undefined) result.value = built;
      else if (built !== frame.source) {
        parent.values[frame.slot] = built;
        parent.changed = true;
      }
      continue;
    }
    const slot = frame.next++;
    const value = frame.values[slot];
    const key = frame.keys[slot];
    const kind = key === undefined ? frame.inherited : kindOfEntry(frame, key);
    if (isWalkable(value)) {
      const known = finished.get(value);
      if (open.has(value)) frame.values[slot] = CYCLE;
      else if (known !== undefined && kind === undefined) frame.values[slot] = known;
      else enter(value, Array.isArray(value) ? kind : undefined, slot);
    } else frame.values[slot] = scrubLeaf(value, key, kind);
    if (frame.values[slot] !== value) frame.changed = true;
  }
  return result;
}

const isWalkable = (value: unknown): value is object => {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** The finished array or object: the source itself if nothing in it changed. */
function rebuild(frame: Frame, scrubText: (text: string) => string): object {
  if (Array.isArray(frame.source)) return frame.changed ? frame.values : frame.source;
  const keys = frame.keys.map((key) => (key.length < 12 ? key : scrubText(key)));
  if (!frame.changed && keys.every((key, index) => key === frame.keys[index])) return frame.source;
  const copy: Record<string, unknown> = Object.create(Object.getPrototypeOf(frame.source));
  keys.forEach((key, index) => {
    // Two keys that were both secrets must not become one.
    let name = key;
    for (let again = 2; Object.hasOwn(copy, name); again++) name = `${key} ${again}`;
    // Defined, not assigned: assigning `__proto__` would change the prototype.
    Object.defineProperty(copy, name, {
      value: frame.values[index],
      enumerable: true,
      configurable: true,
      writable: true,
    });
  });
  return copy;
}

/** Names whose values go whatever they look like. The others need a value that looks secret. */
const WHOLE = new Set(['password', 'secret', 'token', 'api-key', 'private-key', 'authorization', 'cookie']);
/** Names that hold settings as often as secrets: `credentials: "include"`, `auth: "oauth2"`, `pass: 12`. */
const AMBIGUOUS = new Set([
  'auth',
  'authentication',
  'oauth',
  'pass',
  'session',
  'sid',
  'cookies',
  'bearer',
  'pat',
  'pw',
]);

export function kindOfKey(key: string): string | undefined {
  if (key.length > 100) return undefined;
  const verdict = classifyName(key);
  if (verdict === undefined || !WHOLE.has(verdict.kind)) return undefined;
  if (verdict.class === 'weak' && verdict.kind !== 'cookie') return undefined;
  const words = wordsOf(key);
  return words.length === 1 && AMBIGUOUS.has(words[0]!) && words[0] !== 'pass' ? undefined : verdict.kind;
}

/** Lists of headers and environments name the secret beside it: `{ "name": "Authorization", "value": "…" }`. */
function kindOfEntry(frame: Frame, key: string): string | undefined {
  if (key !== 'value' || frame.keys.length > 6) return kindOfKey(key);
  for (const label of ['name', 'key', 'header']) {
    const name = frame.values[frame.keys.indexOf(label)];
    if (typeof name === 'string') return kindOfKey(name);
  }
  return undefined;
}

/** Counters stand under secret-sounding names too; only long numbers are believed. */
function isSecretNumber(value: unknown, kind: string): boolean {
  if (typeof value !== 'number' && typeof value !== 'bigint') return false;
  const digits = String(value).replace(/\D/g, '').length;
  return digits >= (kind === 'password' ? 4 : 6);
}
