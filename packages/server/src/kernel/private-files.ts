import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** What the program keeps is its owner's alone, whatever the umask says. */
const FOLDER = 0o700;
const FILE = 0o600;
const OTHERS = 0o077;

export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: FOLDER });
}

/**
 * An empty file, where there is none yet. Made before SQLite opens it: SQLite gives its write-ahead log and its index
 * the permissions of the file. One that is there is not touched: closing it would end SQLite's locks on it.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', FILE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** A new file that is durable when this returns, and its folder where that is missing. */
export function writePrivateFile(path: string, text: string): void {
  makePrivateFolder(dirname(path));
  const file = openSync(path, 'wx', FILE);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncFolder(dirname(path));
  syncFolder(dirname(dirname(path)));
}

/** Puts a file in the place of another, or where none is. Readers see the one or the other, never a part. */
export function replacePrivateFile(path: string, text: string, { durable = true } = {}): void {
  const partial = `${path}.${process.pid}.partial`;
  rmSync(partial, { force: true });
  if (durable) writePrivateFile(partial, text);
  else writeFileSync(partial, text, { mode: FILE });
  renameSync(partial, path);
}

/** The names in a folder are durable apart from what they name. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Takes others' permissions away from what is already there. Not every file system has permissions. */
export function keepPrivate(path: string): void {
  try {
    const { mode } = statSync(path);
    if ((mode & OTHERS) !== 0) chmodSync(path, mode & ~OTHERS);
  } catch {
    // It is not there, or it is not ours to change; `doctor` tells of what is left open.
  }
}

/** What below a folder, itself included, others may read or change. */
export function openToOthers(folder: string): string[] {
  const found: string[] = [];
  const visit = (path: string) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return;
    if ((stats.mode & OTHERS) !== 0) found.push(path);
    if (stats.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name));
  };
  visit(folder);
  return found;
}
