import type { Value } from '../installable.ts';

export type Key = string | number;
export type Path = readonly Key[];

/**
 * Edits one format's text in place: no byte changes that does not have to. Texts come without a byte order mark.
 * A path given to any method but `read` leads to something that is there, or (`insert`) to something whose parent is.
 * Each throws a `UneditableFile` where it cannot do that.
 */
export interface Editor {
  /** What the text says; undefined where it says nothing. */
  read(text: string): unknown;
  /** A new key, or the next element of an array. */
  insert(text: string, path: Path, value: Value): string;
  replace(text: string, path: Path, value: Value): string;
  /** Undoes `insert`, to the byte where nothing was changed around it. */
  remove(text: string, path: Path): string;
  /** How a value is written, to be put back by `restore`. The top is a value too, where the format writes it as one. */
  source(text: string, path: Path): string;
  restore(text: string, path: Path, source: string): string;
}

/** Line and column as editors count them. */
export function placeIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

/** What was read last is asked for several times in one edit, and a file may be megabytes long. */
const REMEMBERED = 4;

/** The same function, which knows what it answered for the last few texts. Nobody may change what it answers. */
export function remembering<T>(parse: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    if (known.has(text)) return known.get(text)!;
    const answer = parse(text);
    if (known.size >= REMEMBERED) known.delete(known.keys().next().value!);
    known.set(text, answer);
    return answer;
  };
}
