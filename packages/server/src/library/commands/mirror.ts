import type { ManifestFile } from '@infold/protocol';
import type { FileChange, HubRevision } from '../events.ts';
import { describeFile } from '../files/describe.ts';
import type { LibraryFile } from '../queries/files.ts';
import { type Publication, type PublishTarget, publish } from './publish.ts';
import type { LibraryDecision } from './review.ts';

/** A workspace that is a copy of a hub's, before a portion of it arrives. */
export interface MirrorState {
  revision: number;
  /** The files of the portion that are here, or were. */
  known: ReadonlyMap<string, Pick<LibraryFile, 'path' | 'kind' | 'hash' | 'deleted'>>;
  texts: Pick<ReadonlyMap<string, string>, 'get'>;
}

export interface MirrorPortion {
  files: readonly ManifestFile[];
  /** Of the last portion: what the hub's library is when it has arrived. */
  hub?: HubRevision | undefined;
  /** Drafts of this machine that the hub has published. */
  draftIds?: readonly string[];
}

/** Makes files what they are at the hub. Ids, paths and kinds are the hub's; what a file says of itself is read here. */
export function mirrorFiles(
  { revision, known, texts }: MirrorState,
  target: PublishTarget,
  { files, hub, draftIds = [] }: MirrorPortion,
): LibraryDecision<Publication> {
  const changes = [...mirrorChanges({ known, texts }, files)];
  return publish({ revision }, target, { source: 'hub', changes, draftIds, hub });
}

/** What has to be done so that files are as they are elsewhere. Texts are read for what is asked for. */
export function* mirrorChanges(
  { known, texts }: Pick<MirrorState, 'known' | 'texts'>,
  files: readonly ManifestFile[],
): Generator<FileChange> {
  for (const file of files) {
    const before = known.get(file.id);
    const isHere = before?.deleted === 0;
    if (file.gone) {
      if (isHere) yield changeOf('delete', { ...file, ...before }, null, texts);
    } else if (!isHere) yield changeOf('create', file, null, texts);
    else if (before.path !== file.path) yield changeOf('rename', file, before.path, texts);
    else if (before.hash !== file.hash || before.kind !== file.kind)
      yield changeOf('update', file, null, texts);
  }
}

function changeOf(
  op: FileChange['op'],
  { id, path, kind, hash }: ManifestFile,
  previousPath: string | null,
  texts: MirrorState['texts'],
): FileChange {
  const base = { op, file_id: id, kind, path, previous_path: previousPath, hash };
  if (op === 'delete') return { ...base, group: null, description: null };
  const text = texts.get(hash);
  if (text === undefined) throw new Error(`The content ${hash} of ${path} has not arrived`);
  const { group, description } = describeFile(path, text);
  return { ...base, group, description, text };
}
