import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type ExportReport, META_PROMPT_PATH } from '@infold/protocol';
import { InfoldError } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { describeFile } from '../files/describe.ts';
import { isSafePath, unsafePath } from '../files/paths.ts';
import { allFiles, textByHash } from '../queries/files.ts';

/**
 * Writes every published file, byte for byte. What else is in the folder stays. A file that an earlier version
 * published at a path which is no longer safe is left out, and reported.
 */
export function exportFolder(
  database: Database,
  workspaceId: string,
  folder: string,
  progress?: (done: number, total: number) => void,
): ExportReport {
  mkdirSync(folder, { recursive: true });
  const report: ExportReport = { written: 0, unchanged: 0, skipped: [], origins: [], untold: [] };
  const files = allFiles(database, workspaceId);
  for (const [index, file] of files.entries()) {
    const text = textByHash(database, file.hash)!;
    if (file.origin !== null) report.origins.push({ path: file.path, origin: file.origin });
    try {
      if (writeInside(folder, file.path, text)) report.written++;
      else report.unchanged++;
    } catch (error) {
      report.skipped.push({ path: file.path, reason: (error as Error).message });
    }
    if (file.path !== META_PROMPT_PATH && describeFile(file.path, text).kind !== file.kind) {
      report.untold.push(file.path);
    }
    progress?.(index + 1, files.length);
  }
  return report;
}

/** Writes a file below a folder and nowhere else; false when it already holds this text. */
export function writeInside(folder: string, path: string, text: string): boolean {
  if (!isSafePath(path)) throw unsafePath();
  let parent = folder;
  for (const segment of path.split('/').slice(0, -1)) {
    parent = join(parent, segment);
    makeRealFolder(parent);
  }
  const target = join(folder, path);
  const kind = lstatSync(target, { throwIfNoEntry: false });
  if (kind?.isDirectory()) throw new InfoldError('conflict', 'there is a folder at its path');
  // A link at the path itself is replaced, not written through.
  if (kind?.isFile() && readFileSync(target, 'utf8') === text) return false;
  const temporary = join(dirname(target), `infold-${randomBytes(6).toString('hex')}.tmp`);
  const file = openSync(
    temporary,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0),
    0o644,
  );
  try {
    const bytes = Buffer.from(text, 'utf8');
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  } finally {
    closeSync(file);
  }
  try {
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  return true;
}

/** LIB-15: a linked parent leads elsewhere, whether or not what it points at exists. */
function makeRealFolder(path: string): void {
  const kind = lstatSync(path, { throwIfNoEntry: false });
  if (kind === undefined) mkdirSync(path);
  else if (kind.isSymbolicLink() || !kind.isDirectory()) throw unsafePath();
}
