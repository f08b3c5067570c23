import { isDeepStrictEqual } from 'node:util';
import type { Editor, Path } from './formats/editor.ts';
import type { SettingsEntry, Value } from './installable.ts';
import { UneditableFile } from './uneditable-file.ts';

/** Where an entry stands in a document, and what stands there. */
export interface FoundEntry {
  path: Path;
  value: unknown;
}

/** Undefined where nothing stands there. Throws where something else is in the way. */
export function findEntry(
  document: unknown,
  { at, path, isOurs }: Pick<SettingsEntry, 'at' | 'path' | 'isOurs'>,
) {
  const holder = lookUp(document, at === 'key' ? path.slice(0, -1) : path);
  if (holder === undefined || holder === null) return undefined;
  if (at === 'element') {
    if (!Array.isArray(holder))
      throw new UneditableFile(`has something other than a list at ${nameOf(path)}`);
    const index = holder.findIndex((element) => isOurs(element));
    return index < 0 ? undefined : { path: [...path, index], value: holder[index] as unknown };
  }
  const value = lookUp(document, path);
  return value === undefined ? undefined : { path, value };
}

/**
 * Whether what stands there is what was written. A host that writes its settings anew may add keys that say nothing, such
 * as `envs: {}`: that is no edit by hand.
 */
export function isSame(there: unknown, written: unknown): boolean {
  if (!isObject(there) || !isObject(written)) {
    if (!Array.isArray(there) || !Array.isArray(written)) return isDeepStrictEqual(there, written);
    return there.length === written.length && there.every((one, index) => isSame(one, written[index]));
  }
  return (
    Object.keys(written).every((key) => Object.hasOwn(there, key)) &&
    Object.entries(there).every(([key, value]) =>
      Object.hasOwn(written, key) ? isSame(value, written[key]) : isEmpty(value),
    )
  );
}

/** A path as people write it. */
export function nameOf(path: Path): string {
  return path.join('.');
}

/** What stands at a path; undefined where there is nothing. */
export function lookUp(document: unknown, path: Path): unknown {
  let value = document;
  path.forEach((key, depth) => {
    if (value === undefined || value === null) {
      value = undefined;
      return;
    }
    const isRight = typeof key === 'number' ? Array.isArray(value) : isObject(value);
    if (!isRight) {
      const where = depth === 0 ? 'at its top' : `at ${nameOf(path.slice(0, depth))}`;
      throw new UneditableFile(
        `has something other than ${typeof key === 'number' ? 'a list' : 'keys'} ${where}`,
      );
    }
    value = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
  });
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text with an entry in it: added, or in place of what `found` says stands there now. */
export function withEntry(
  editor: Editor,
  text: string,
  entry: SettingsEntry,
  found: FoundEntry | undefined,
): string {
  const document = editor.read(text);
  if (found) {
    if (isSame(found.value, entry.value)) return text;
    return checked(
      editor,
      editor.replace(text, found.path, entry.value),
      put(document, found.path, entry.value),
    );
  }
  const { path, value } = missing(document, entry);
  const isNull = lookUp(document, path) === null;
  const result = isNull ? editor.replace(text, path, value) : editor.insert(text, path, value);
  return checked(editor, result, put(document, path, value));
}

/** What has to be added for an entry, and where: all that is not there yet in one piece. */
function missing(document: unknown, { at, path, value }: SettingsEntry): { path: Path; value: Value } {
  let depth = 0;
  for (; depth < path.length; depth++) {
    const there = lookUp(document, path.slice(0, depth + 1));
    if (there === undefined || there === null) break;
  }
  if (depth === path.length) {
    return { path: [...path, (lookUp(document, path) as unknown[]).length], value };
  }
  const inner: Value = at === 'element' ? [value] : value;
  return {
    path: path.slice(0, depth + 1),
    value: path.slice(depth + 1).reduceRight<Value>((nested, key) => ({ [key]: nested }), inner),
  };
}

/**
 * The text without what stands at a path. What holds nothing afterwards goes too, unless `original`, the text before
 * we came, had it.
 */
export function withoutEntry(editor: Editor, text: string, path: Path, original: string | undefined): string {
  const expected = pruned(drop(editor.read(text), path), path);
  const former = original === undefined ? undefined : editor.read(original);
  let result = editor.remove(text, path);
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const holder = path.slice(0, depth);
    const now = lookUp(editor.read(result), holder);
    if (!isEmpty(now)) break;
    const before = lookUp(former, holder);
    if (before === undefined) {
      if (now !== undefined && depth > 0) result = editor.remove(result, holder);
      continue;
    }
    const isWritten = depth > 0 ? now !== undefined : isObject(now) && isObject(before);
    if (isEmpty(before) && isWritten) {
      result = editor.restore(result, holder, editor.source(original!, holder));
    }
    break;
  }
  if (!isDeepStrictEqual(pruned(plain(editor.read(result)), path), expected)) throw unclear();
  return result;
}

/** The text with what stood at a path in the original, in the words of the original. */
export function withFormer(editor: Editor, text: string, path: Path, original: string): string {
  const expected = put(editor.read(text), path, lookUp(editor.read(original), path));
  return checked(editor, editor.restore(text, path, editor.source(original, path)), expected);
}

/** The last guard: whatever an editor did, nothing else may have changed its meaning. */
function checked(editor: Editor, result: string, expected: unknown): string {
  if (!isDeepStrictEqual(plain(editor.read(result)), plain(expected))) throw unclear();
  return result;
}

function unclear(): UneditableFile {
  return new UneditableFile('is written in a way that cannot be edited safely');
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
  );
}

function put(document: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(document)) {
    const copy = [...(document as unknown[])];
    copy[key as number] = put(copy[key as number], rest, value);
    return copy;
  }
  const holder = isObject(document) ? document : {};
  return withKey(holder, key, put(Object.hasOwn(holder, key) ? holder[key] : undefined, rest, value));
}

function drop(document: unknown, path: Path): unknown {
  const [key, ...rest] = path as [Path[number], ...Path];
  if (Array.isArray(document)) {
    return rest.length > 0
      ? document.map((one, index) => (index === key ? drop(one, rest) : (one as unknown)))
      : document.filter((_, index) => index !== key);
  }
  const holder = document as Record<string, unknown>;
  if (rest.length > 0) return withKey(holder, key, drop(holder[key], rest));
  return Object.fromEntries(Object.entries(holder).filter(([name]) => name !== key));
}

/** Without the holders on the way to a path that hold nothing: formats differ in whether those can be written. */
function pruned(document: unknown, path: Path): unknown {
  let result = document;
  for (let holder = path.slice(0, -1); holder.length > 0; holder = holder.slice(0, -1)) {
    const value = lookUp(result, holder);
    if (!isEmpty(value)) break;
    if (lookUp(result, holder.slice(0, -1)) !== undefined && value !== undefined)
      result = drop(result, holder);
  }
  return isEmpty(result) ? {} : plain(result);
}

function withKey(holder: object, key: Path[number], value: unknown): object {
  return Object.fromEntries([
    ...Object.entries(holder).filter(([name]) => name !== String(key)),
    [key, value],
  ]);
}

/** Parsers make objects of several kinds; only what they say counts. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value) || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}
