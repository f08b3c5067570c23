import { findEntry, withEntry, withoutEntry } from '../entries.ts';
import type { SettingsEntry } from '../installable.ts';
import { UneditableFile } from '../uneditable-file.ts';
import type { Editor } from './editor.ts';

/** Puts those in that can be, as a file that is in the way of one is no reason against another. */
export function installed(editor: Editor, text: string, entries: readonly SettingsEntry[]) {
  const done: SettingsEntry[] = [];
  let result = text;
  for (const entry of entries) {
    try {
      if (findEntry(editor.read(result), entry)) continue;
      result = withEntry(editor, result, entry, undefined);
      done.push(entry);
    } catch (error) {
      if (!(error instanceof UneditableFile)) throw error;
    }
  }
  return { text: result, done };
}

/** Takes them out again by what they are, the last one first. */
export function uninstalled(
  editor: Editor,
  text: string,
  entries: readonly SettingsEntry[],
  original: string,
) {
  return entries.reduceRight((result, entry) => {
    const found = findEntry(editor.read(result), entry)!;
    return withoutEntry(editor, result, found.path, original);
  }, text);
}
