import { isSnapshot } from './snapshots.ts';
import { LIST_WAIT, piecesOf, type Stores, within } from './stores.ts';

/**
 * Erases what a process left in the object store when it died, or when it decided again: objects that no entry names, and pieces
 * of objects that were never finished. Younger ones may still be on their way. One node at a time, and none makes a snapshot.
 */
export async function eraseOrphans(
  stores: Stores,
  /** By entries. */
  named: ReadonlySet<string>,
  /** By the clock of this node, in milliseconds. */
  olderThan: number,
  lost: AbortSignal,
): Promise<void> {
  const objects = await stores.objects();
  const known = await within(LIST_WAIT, objects.list());
  for (const { name, mtime } of known) {
    if (lost.aborted) return;
    if (isSnapshot(name) || named.has(name) || Date.parse(mtime) > olderThan) continue;
    await stores.erase(objects, name);
  }
  const bucket = `${stores.name}_objects`;
  const { stream, subject: all } = piecesOf({ bucket, nuid: '>' });
  const { state } = await stores.manager.streams.info(stream, { subjects_filter: all });
  const whole = new Set(known.map((info) => piecesOf(info).subject));
  for (const subject of Object.keys(state.subjects ?? {})) {
    if (lost.aborted) return;
    if (whole.has(subject)) continue;
    const last = await stores.manager.streams.getMessage(stream, { last_by_subj: subject });
    if (last && last.time.getTime() <= olderThan) await stores.erasePieces({ stream, subject });
  }
}
