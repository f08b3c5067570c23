import type { Path } from './types.ts';

/** A change of a JSON text. */
export type JsonEdit = { path: Path } & (
  | { kind: 'set'; json: string }
  /** Of an element of an array. */
  | { kind: 'remove' }
  /** To an array, at its end. */
  | { kind: 'append'; json: string }
  /** To an object, at its end. */
  | { kind: 'add'; key: string; json: string }
);

interface Node {
  children: Map<string | number, Node>;
  set?: string;
  removed?: true;
  appended: string[];
}

interface Cut {
  start: number;
  end: number;
  text: string;
}

/**
 * The text with its edits, and everything else as it was, to the character: numbers that JavaScript cannot hold, the order of
 * keys, spaces. The text must be valid JSON that was parsed before. Throws where a path leads nowhere or is there twice.
 */
export function editJson(text: string, edits: readonly JsonEdit[]): string {
  const root: Node = { children: new Map(), appended: [] };
  for (const edit of edits) addEdit(root, edit);
  const cuts: Cut[] = [];
  walk(text, skipSpace(text, 0), root, cuts);
  let result = '';
  let from = 0;
  for (const { start, end, text: replacement } of cuts) {
    result += text.slice(from, start) + replacement;
    from = end;
  }
  return result + text.slice(from);
}

function addEdit(root: Node, edit: JsonEdit): void {
  let node = root;
  for (const key of edit.path) {
    const next = node.children.get(key) ?? { children: new Map(), appended: [] };
    node.children.set(key, next);
    node = next;
  }
  if (edit.kind === 'set') node.set = edit.json;
  else if (edit.kind === 'remove') node.removed = true;
  else if (edit.kind === 'append') node.appended.push(edit.json);
  else node.appended.push(`${JSON.stringify(edit.key)}:${edit.json}`);
}

/** Goes over the value at `start` and notes what changes in it; answers where it ends. */
function walk(text: string, start: number, node: Node, cuts: Cut[]): number {
  if (node.set !== undefined) {
    const end = skipValue(text, start);
    cuts.push({ start, end, text: node.set });
    return end;
  }
  const opening = text[start];
  if (opening === '[') return walkArray(text, start, node, cuts);
  if (opening === '{') return walkObject(text, start, node, cuts);
  throw new Error('an edit goes into a value that is neither an object nor a list');
}

function walkArray(text: string, start: number, node: Node, cuts: Cut[]): number {
  const places = new Set(node.children.keys());
  let place = 0;
  let at = skipSpace(text, start + 1);
  let before = start + 1;
  let kept = false;
  /** Where elements begin that go and have none before them that stays. */
  let leading: number | undefined;
  while (text[at] !== ']') {
    const child = node.children.get(place);
    const first = at;
    if (child?.removed) {
      const end = skipValue(text, at);
      if (kept) cuts.push({ start: before, end, text: '' });
      else leading ??= first;
      before = end;
    } else {
      if (leading !== undefined) cuts.push({ start: leading, end: first, text: '' });
      leading = undefined;
      kept = true;
      before = child ? walk(text, at, child, cuts) : skipValue(text, at);
    }
    places.delete(place++);
    at = skipSpace(text, before);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  if (leading !== undefined) cuts.push({ start: leading, end: before, text: '' });
  if (places.size > 0) throw new Error('an edit goes to an element that does not exist');
  insertAt(before, kept, node, cuts);
  return at + 1;
}

function walkObject(text: string, start: number, node: Node, cuts: Cut[]): number {
  const seen = new Set<string>();
  let at = skipSpace(text, start + 1);
  let before = start + 1;
  let kept = false;
  while (text[at] !== '}') {
    const end = skipString(text, at);
    const key = JSON.parse(text.slice(at, end)) as string;
    const value = skipSpace(text, skipSpace(text, end) + 1);
    const child = node.children.get(key);
    if (child && seen.has(key)) throw new Error(`"${key}" is there twice`);
    if (child) seen.add(key);
    before = child ? walk(text, value, child, cuts) : skipValue(text, value);
    kept = true;
    at = skipSpace(text, before);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  if (seen.size < node.children.size) throw new Error('an edit goes to a key that does not exist');
  insertAt(before, kept, node, cuts);
  return at + 1;
}

function insertAt(place: number, follows: boolean, { appended }: Node, cuts: Cut[]): void {
  if (appended.length === 0) return;
  cuts.push({ start: place, end: place, text: (follows ? ',' : '') + appended.join(',') });
}

const QUOTE = 34;
const BACKSLASH = 92;

function skipSpace(text: string, at: number): number {
  while (at < text.length && text.charCodeAt(at) <= 32) at++;
  return at;
}

/** Behind the string that begins here. */
function skipString(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf('"', at + 1);
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
}

function skipValue(text: string, start: number): number {
  const opening = text.charCodeAt(start);
  if (opening === QUOTE) return skipString(text, start);
  if (opening !== 91 && opening !== 123) {
    let at = start;
    while (at < text.length && !',]} \n\r\t'.includes(text[at]!)) at++;
    return at;
  }
  let depth = 0;
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = skipString(text, at);
      continue;
    }
    // [ and {, then ] and }: each pair differs by the same bit.
    if ((code | 32) === 123) depth++;
    else if ((code | 32) === 125 && --depth === 0) return at + 1;
    at++;
  }
}
