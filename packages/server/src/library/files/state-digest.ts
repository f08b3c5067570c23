import { createHash } from 'node:crypto';
import type { PublishedFileFact } from '@infold/protocol';

/**
 * What the published files of a workspace come to at a revision. Sessions put it on record with what they do, so that a list of
 * these files can be held against it later. Part of the format of session proofs. The files are in the order of their paths'
 * bytes.
 */
export function stateDigest(
  workspaceId: string,
  revision: number,
  files: Iterable<PublishedFileFact>,
): string {
  const hash = createHash('sha256').update(line(['infold library 1', workspaceId, revision]));
  for (const file of files) hash.update(line([file.path, file.kind, file.hash, file.revision]));
  return hash.digest('hex');
}

const line = (values: readonly unknown[]) => `${JSON.stringify(values)}\n`;

export function byPath(one: { path: string }, other: { path: string }): number {
  return Buffer.compare(Buffer.from(one.path), Buffer.from(other.path));
}
