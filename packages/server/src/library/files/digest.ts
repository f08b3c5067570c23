import { createHash } from 'node:crypto';
import type { FileKind } from '@infold/protocol';

/** What a library is known by: the published files that it has. */
export interface DigestedFile {
  id: string;
  path: string;
  kind: FileKind;
  hash: string;
}

const BYTES = 32;

export const NO_FILES: Uint8Array = Buffer.alloc(BYTES);

/**
 * Puts a file into a digest, or takes it out: both are the same. The digest is the hashes of all files, each bit added to its like,
 * so that it follows a library of any size at the cost of what changes, in whatever order that comes.
 */
export function toggleFile(digest: Uint8Array, { id, path, kind, hash }: DigestedFile): Uint8Array {
  const added = createHash('sha256').update(`${id}\t${path}\t${kind}\t${hash}\n`).digest();
  for (let place = 0; place < BYTES; place++) added[place]! ^= digest[place]!;
  return added;
}
