import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { InfoldError } from '../kernel/errors.ts';
import { syncFolder } from '../kernel/private-files.ts';

/**
 * Large entry data, one file each, named by its own sha256. A file is complete and durable before the entry that
 * names it is committed; a crash in between leaves a file that nobody names, which costs only space.
 */
export class BlobStore {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  write(text: string): string {
    const bytes = Buffer.from(text, 'utf8');
    const name = createHash('sha256').update(bytes).digest('hex');
    const path = this.#path(name);
    // Not the process id: processes in different containers may share the folder and the number.
    const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      // A file that is there but damaged is written again: the new entry must not point at it.
      if (this.read(name) !== undefined) {
        // Another process may have made it this instant, and not yet have made its name durable.
        syncFolder(dirname(path));
        return name;
      }
      const made = mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const file = openSync(temporary, 'w', 0o600);
      try {
        // A write may be cut short without an error (a disk that fills up), so go on until all of it is there.
        for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(temporary, path);
      syncFolder(dirname(path));
      // New folders are names in their parents, which must be durable too.
      if (made !== undefined) {
        for (let folder = dirname(path); folder.length >= made.length; folder = dirname(folder)) {
          syncFolder(dirname(folder));
        }
      }
      return name;
    } catch (error) {
      removeQuietly(temporary);
      throw blobError(error, path);
    }
  }

  /** Undefined when the file is missing or is not what its name says. */
  read(name: string): string | undefined {
    try {
      const bytes = readFileSync(this.#path(name));
      if (createHash('sha256').update(bytes).digest('hex') !== name) return undefined;
      return bytes.toString('utf8');
    } catch {
      return undefined;
    }
  }

  erase(name: string): void {
    rmSync(this.#path(name), { force: true });
  }

  #path(name: string): string {
    return join(this.folder, name.slice(0, 2), name);
  }
}

/** The failure before it is the one to tell of. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A leftover costs only space.
  }
}

function blobError(error: unknown, path: string): InfoldError {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new InfoldError('disk_full', `The disk that holds ${path} is full; nothing was written`, {
      retryable: true,
      cause: error,
    });
  }
  return new InfoldError('storage_failed', `Writing ${path} failed; nothing was written`, {
    retryable: true,
    cause: error,
  });
}
