import { hubApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { Journal } from '../../journal/journal.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { invalid } from '../errors.ts';
import { revisionOf } from '../queries/files.ts';
import { edgeById, filesSince, libraryDigest, newestNews, publishedTexts } from '../queries/hub.ts';

/** The hash of the first entry: no other journal has it, and a restored one has it still. */
export function hubIdOf(journal: Journal): string {
  const id = journal.hashAt(1);
  if (id !== undefined) return id;
  throw new InfoldError('unavailable', 'Nothing was ever written here: publish a library first');
}

export const readHubManifest = defineAction(hubApi.readHubManifest, {
  async run({ project: spec, since: asked, edge, seen, limit, cursor }, context) {
    const { journal, database, caller, clock } = context;
    if (seen !== undefined) await comeAsFarAs(journal, seen);
    const { id, name, workspace_id } = context.project(spec);
    const revision = revisionOf(database, workspace_id);
    // A later revision than there is was read from a journal that has been restored since.
    const since = asked <= revision ? asked : 0;
    // Everything of the revision itself is known already.
    const begin = { revision: since, ordinal: Number.MAX_SAFE_INTEGER };
    const after = cursor === undefined ? begin : placeIn(cursor, revision);
    const found = filesSince(database, workspace_id, { since, after, limit: limit + 1 });
    const files = found.slice(0, limit);
    const known = edge === undefined ? undefined : edgeById(database, caller.org, edge);
    const isOwn = known?.principal === caller.principal;
    return {
      structured: {
        hub: {
          ...{
            id: hubIdOf(journal),
            org: caller.org,
            principal: caller.principal,
            scopes: [...caller.scopes],
          },
          now: clock(),
          head: journal.head(),
        },
        project: { id, name },
        revision,
        digest: Buffer.from(libraryDigest(database, workspace_id)).toString('hex'),
        since,
        files: files.map(({ id, path, kind, hash, deleted }) => ({
          ...{ id, path, kind, hash },
          ...(deleted === 1 && { gone: true as const }),
        })),
        news: newestNews(database, workspace_id, caller.principal),
        seen: seen === undefined ? null : (journal.hashAt(seen) ?? null),
        position: known && isOwn ? { seq: known.seq, hash: known.hash } : null,
        next: found.length > limit ? placeOf(revision, files.at(-1)!) : null,
      },
    };
  },
});

/** A node that is behind the others must not look like a hub that was restored from an older backup. */
async function comeAsFarAs(journal: Journal, seq: number): Promise<void> {
  if (!journal.cluster || journal.head().seq >= seq) return;
  try {
    await journal.reached(seq);
  } catch (error) {
    const { ready, lag } = journal.cluster.state();
    if (!ready || lag > 0) throw error;
  }
}

function placeOf(of: number, { revision, ordinal }: { revision: number; ordinal: number }): string {
  return [of, revision, ordinal].join('-');
}

/** Pages belong together only where they are of one revision. */
function placeIn(cursor: string, now: number): { revision: number; ordinal: number } {
  const [of, revision, ordinal] = cursor.split('-').map(Number);
  if (!/^\d+-\d+-\d+$/.test(cursor)) throw invalid('cursor is not one that a manifest answered');
  if (of === now) return { revision: revision!, ordinal: ordinal! };
  throw new InfoldError('conflict', 'The library has changed since the first page; begin again', {
    retryable: true,
  });
}

export const readHubFiles = defineAction(hubApi.readHubFiles, {
  run({ project, hash }, context) {
    const { workspace_id } = context.project(project);
    const hashes = [...new Set(hash.split(','))];
    const files = publishedTexts(context.database, workspace_id, hashes);
    if (files.length === hashes.length) return { structured: { files } };
    const found = new Set(files.map((file) => file.hash));
    const missing = hashes.filter((one) => !found.has(one));
    throw new InfoldError('not_found', `No file of this project has the content ${missing[0]}`, {
      details: { missing },
    });
  },
});
