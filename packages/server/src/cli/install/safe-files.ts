import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { messageOf } from '../../kernel/errors.ts';
import { syncFolder } from '../../kernel/private-files.ts';
import { UneditableFile } from './uneditable-file.ts';

/** Settings are small. What is larger is something else, or would take minutes to read. */
const LARGEST = 64 * 1024 * 1024;
const ANY_WRITE = 0o222;

/** A file as it was found. */
export interface Snapshot {
  /** The file itself, where a link leads to it. */
  target: string;
  /** Undefined where there is none. */
  text: string | undefined;
  stats: Stats | undefined;
}

/** Reads a file that is to be edited. Throws a `UneditableFile` where it should be left alone. */
export function lookAt(path: string): Snapshot {
  const target = targetOf(path);
  const stats = target === undefined ? undefined : statSync(target, { throwIfNoEntry: false });
  if (target === undefined || !stats) {
    const folder = nearestFolder(path);
    checkFolder(folder);
    const below = relative(folder, path);
    return { target: join(realpathSync(folder), below), text: undefined, stats: undefined };
  }
  if (stats.isDirectory()) throw new UneditableFile('is a folder and not a file');
  if (!stats.isFile()) throw new UneditableFile('is not a regular file');
  const user = process.getuid?.();
  if (user !== undefined && user !== 0 && stats.uid !== user)
    throw new UneditableFile('belongs to another user');
  if ((stats.mode & ANY_WRITE) === 0 || !isAllowed(target, constants.W_OK))
    throw new UneditableFile('is read-only');
  if (!isAllowed(target, constants.R_OK)) throw new UneditableFile('cannot be read by you');
  checkFolder(dirname(target));
  if (stats.size > LARGEST) throw new UneditableFile(`is larger than ${LARGEST / 1024 / 1024} MiB`);
  return { target, text: decoded(readFileSync(target)), stats };
}

/** Undefined where nothing has that name. */
function targetOf(path: string): string | undefined {
  try {
    lstatSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (codeOf(error) === 'ENOTDIR') throw new UneditableFile('is below something that is not a folder');
    throw new UneditableFile(`cannot be inspected (${messageOf(error)})`);
  }
  try {
    return realpathSync(path);
  } catch (error) {
    if (codeOf(error) === 'ELOOP') throw new UneditableFile('is a link that leads back to itself');
    throw new UneditableFile(`is a link to ${readlinkSync(path)}, which does not exist`);
  }
}

function nearestFolder(path: string): string {
  let folder = dirname(path);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

function checkFolder(folder: string): void {
  const stats = statSync(folder);
  if (!stats.isDirectory()) throw new UneditableFile('is below something that is not a folder');
  if ((stats.mode & ANY_WRITE) === 0 || !isAllowed(folder, constants.W_OK | constants.X_OK)) {
    throw new UneditableFile(`is in ${folder}, which is read-only`);
  }
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UneditableFile('is not valid UTF-8');
  }
}

/** Folders that `writeFile` would make, the outermost first. */
export function missingFolders(path: string): string[] {
  const missing: string[] = [];
  for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  return missing;
}

/**
 * Replaces a file in one step, with its mode and owner: whoever reads it sees the old text or the new one. A host may
 * have written it since we looked: that is not overwritten.
 */
export function writeFile({ target, text: before, stats }: Snapshot, text: string): void {
  const folder = dirname(target);
  const temporary = join(folder, `${temporaryName(target)}${randomBytes(6).toString('hex')}`);
  try {
    mkdirSync(folder, { recursive: true });
    const file = openSync(temporary, 'wx', stats ? 0o600 : 0o644);
    try {
      writeFileSync(file, text);
      if (stats) {
        fchmodSync(file, stats.mode & 0o7777);
        if (process.getuid?.() === 0) fchownSync(file, stats.uid, stats.gid);
      }
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    checkUnchanged(target, before);
    renameSync(temporary, target);
    syncFolder(folder);
  } catch (error) {
    rmSync(temporary, { force: true });
    if (error instanceof UneditableFile) throw error;
    throw new UneditableFile(`could not be written (${messageOf(error)})`);
  }
}

const temporaryName = (target: string): string => `.${basename(target)}.infold-`;

/** Removes what a process left that was ended while it wrote. */
export function removeLeftovers(target: string): void {
  const folder = dirname(target);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(temporaryName(target))) rmSync(join(folder, name), { force: true });
  }
}

export function removeFile({ target, text }: Snapshot): void {
  try {
    checkUnchanged(target, text);
    rmSync(target);
  } catch (error) {
    if (error instanceof UneditableFile) throw error;
    throw new UneditableFile(`could not be removed (${messageOf(error)})`);
  }
}

/** Removes a folder that holds nothing. Somebody else may have something in it by now. */
export function removeEmptyFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {}
}

function checkUnchanged(target: string, before: string | undefined): void {
  const now = existsSync(target) ? readFileSync(target, 'utf8') : undefined;
  if (now !== before) throw new UneditableFile('was changed by another program just now; try again');
}
