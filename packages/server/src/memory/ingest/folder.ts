import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { digestHex } from '../../kernel/ids.ts';
import { headingsOf } from '../text/headings.ts';
import type { LineReader, ParsedLine } from './lines.ts';

const FRONT_MATTER = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/;
const SKIPPED = new Set(['node_modules', '.git']);

/** Markdown files below a folder, in a steady order. */
export function markdownFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : markdownFiles(path);
      return entry.isFile() && /\.(md|markdown|mdx)$/i.test(entry.name) ? [path] : [];
    });
}

/** A file as an item: front matter sets its fields, the first heading is its title, its path is its source. */
export function readMarkdown(lines: LineReader, folder: string, path: string): ParsedLine {
  const text = readFileSync(path, 'utf8');
  const source = relative(folder, path).split(sep).join('/') || path.split(sep).at(-1)!;
  const match = FRONT_MATTER.exec(text);
  let fields: Record<string, unknown> = {};
  if (match) {
    try {
      const parsed: unknown = parseYaml(match[1]!);
      if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
        fields = JSON.parse(JSON.stringify(parsed)) as Record<string, unknown>;
      }
    } catch (error) {
      return { problem: `its front matter cannot be read: ${(error as Error).message.split('\n')[0]}` };
    }
  }
  const content = match ? text.slice(match[0].length) : text;
  if (content.trim() === '') return { problem: 'it is empty' };
  const heading = [...headingsOf(content)].find(({ depth }) => depth === 1)?.text;
  const title = (
    heading ??
    source
      .split('/')
      .at(-1)!
      .replace(/\.\w+$/, '')
  ).slice(0, lines.limits.itemTitleCharacters);
  const tags = typeof fields.tags === 'string' ? fields.tags.split(/[\s,]+/) : fields.tags;
  return lines.read({
    kind: 'document',
    title,
    ...fields,
    ...(tags === undefined ? {} : { tags }),
    content,
    source,
    id: `md_${digestHex(24, source, content)}`,
  });
}
