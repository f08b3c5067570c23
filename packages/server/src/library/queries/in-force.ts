import type { PublishedFileFact } from '@infold/protocol';
import type { LibraryState } from '@infold/protocol/events';
import { Cache } from '../../kernel/cache.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { stateDigest } from '../files/state-digest.ts';
import { workspaceById } from './files.ts';

/** By workspace and publication: every load asks, and only a publication changes the answer. */
const digests = new WeakMap<Database, Cache<string>>();
const KEPT_BYTES = 256 * 1024;

/** What is published in a workspace now. */
export function libraryState(database: Database, workspaceId: string): LibraryState {
  const { revision, published_at } = workspaceById(database, workspaceId) ?? { revision: 0, published_at: 0 };
  let known = digests.get(database);
  if (!known) {
    known = new Cache<string>(KEPT_BYTES);
    digests.set(database, known);
  }
  // With its time: a publication that was rolled back and another one may have the same revision.
  const key = `${workspaceId} ${revision} ${published_at}`;
  let digest = known.get(key);
  if (digest === undefined) {
    const files = database.iterate<PublishedFileFact>(
      `SELECT path, kind, hash, revision FROM library_file WHERE workspace_id = ? AND deleted = 0
       ORDER BY path`,
      workspaceId,
    );
    digest = stateDigest(workspaceId, revision, files);
    known.set(key, digest, key.length + digest.length);
  }
  return { revision, digest };
}

/** The files that were published at a revision, by path. */
export function filesAt(database: Database, workspaceId: string, revision: number): PublishedFileFact[] {
  return database.all<PublishedFileFact>(
    `SELECT path, kind, hash, revision FROM library_revision AS one
     WHERE workspace_id = ?1 AND op <> 'delete' AND revision = (
       SELECT max(revision) FROM library_revision
       WHERE workspace_id = ?1 AND file_id = one.file_id AND revision <= ?2)
     ORDER BY path`,
    workspaceId,
    revision,
  );
}

/** When these revisions were published. */
export function publicationTimes(
  database: Database,
  workspaceId: string,
  revisions: readonly number[],
): Map<number, number> {
  const rows = database.all<{ revision: number; at: number }>(
    `SELECT DISTINCT revision, at FROM library_revision
     WHERE workspace_id = ? AND revision IN (SELECT value FROM json_each(?))`,
    workspaceId,
    JSON.stringify(revisions),
  );
  return new Map(rows.map(({ revision, at }) => [revision, at]));
}
