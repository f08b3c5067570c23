import { editorOf } from '../../install/formats/editor-of.ts';
import type { Format } from '../../install/installable.ts';
import { textOf } from './surroundings.ts';

type Keys = Record<string, unknown>;

/** What a file says by its keys; nothing where it is not there or cannot be read. */
export async function documentIn(path: string, format: Format): Promise<Keys> {
  const text = textOf(path);
  if (text === undefined) return {};
  try {
    return keysOf((await editorOf(format)).read(text));
  } catch {
    return {};
  }
}

export function keysOf(value: unknown): Keys {
  return typeof value === 'object' && value !== null ? (value as Keys) : {};
}
