import type { Format } from '../installable.ts';
import type { Editor } from './editor.ts';

/** Parsers are loaded where a file needs them. */
export async function editorOf(format: Format): Promise<Editor> {
  if (format === 'jsonc') return (await import('./jsonc.ts')).jsonc;
  if (format === 'toml') return (await import('./toml.ts')).toml;
  return (await import('./yaml.ts')).yaml;
}
