import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { InfoldError } from '../../kernel/errors.ts';
import { isSafePath } from '../files/paths.ts';
import { isMarkdown, mayHoldRules, plainPath } from './rule-files.ts';

export interface Skipped {
  path: string;
  reason: string;
}

/** A file of a folder, and the path that it has in the library. */
export interface FoundFile {
  source: string;
  path: string;
}

const IGNORED_FOLDERS = new Set(['node_modules']);

export interface Scan {
  files: FoundFile[];
  skipped: Skipped[];
}

/** The path that a file has in the library; undefined for what is neither Markdown nor a file of rules. */
function placeOf(source: string, known: ReadonlySet<string>): string | undefined {
  const path = plainPath(source) ?? (source.split('/').some(isDotted) ? undefined : source);
  return path !== undefined && (isMarkdown(path) || known.has(path)) ? path : undefined;
}

/** Which of the files that somebody names can be imported, in order. */
export function scanPaths(sources: readonly string[], known: ReadonlySet<string>): Scan {
  const files: FoundFile[] = [];
  const skipped: Skipped[] = [];
  for (const source of [...new Set(sources)].sort()) {
    const path = placeOf(source, known);
    if (path === undefined) {
      skipped.push({ path: source, reason: 'is neither Markdown nor a well-known file of rules' });
    } else if (isSafePath(path)) files.push({ source, path });
    else skipped.push({ path: source, reason: 'unsafe path' });
  }
  return withoutCollisions(files, skipped);
}

/** What there is to import, in order. Links are never followed: they may lead out of the folder (LIB-15). */
export function scanFolder(folder: string, known: ReadonlySet<string> = new Set()): Scan {
  const files: FoundFile[] = [];
  const skipped: Skipped[] = [];
  const visit = (under: string) => {
    for (const item of entriesOf(folder, under)) {
      const source = under === '' ? item.name : `${under}/${item.name}`;
      const path = placeOf(source, known);
      if (item.isDirectory()) {
        if (!IGNORED_FOLDERS.has(item.name) && mayHoldRules(source)) visit(source);
      } else if (path !== undefined) {
        if (item.isSymbolicLink()) skipped.push({ path: source, reason: 'is a symbolic link' });
        else if (!item.isFile()) skipped.push({ path: source, reason: 'is not a file' });
        else if (isSafePath(path)) files.push({ source, path });
        else skipped.push({ path: source, reason: 'unsafe path' });
      }
    }
  };
  visit('');
  return withoutCollisions(files, skipped);
}

/** A file that has its path by itself comes before one that would be given it. */
function withoutCollisions(files: readonly FoundFile[], skipped: Skipped[]) {
  const holders = new Map<string, string>();
  for (const { source, path } of files) if (source === path) holders.set(path, source);
  for (const { source, path } of files) if (!holders.has(path)) holders.set(path, source);
  const kept = files.filter(({ source, path }) => {
    const holder = holders.get(path);
    if (holder === source) return true;
    skipped.push({ path: source, reason: `would be imported as ${path}, and so would ${holder}` });
    return false;
  });
  return { files: kept, skipped };
}

const isDotted = (segment: string) => segment.startsWith('.');

function entriesOf(folder: string, under: string): Dirent[] {
  const path = join(folder, under);
  try {
    if (under === '' && !statSync(path).isDirectory()) {
      throw new InfoldError('invalid_arguments', `${folder} is not a folder`);
    }
    return readdirSync(path, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    if (InfoldError.isInstance(error)) throw error;
    throw new InfoldError('invalid_arguments', `${path} cannot be read: ${(error as Error).message}`);
  }
}
