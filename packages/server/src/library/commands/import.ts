import type { FileChange, LibraryEvent } from '../events.ts';
import { describeFile } from '../files/describe.ts';
import { readFrontMatter } from '../files/front-matter.ts';
import { contentHash } from '../files/hashes.ts';
import type { Skipped } from '../folders/scan-folder.ts';
import type { ImportState, IncomingState, PublishedState } from '../queries/command-state.ts';
import { type Draft, draftPath } from '../queries/drafts.ts';
import { fileIdFor, type NewFileId, type PublishTarget, problemsOf, publish } from './publish.ts';
import { discardDraft, type LibraryDecision } from './review.ts';

/** What importing files changes: nothing for those that are as published. Ids stay (LIB-16). */
export function importChanges(files: readonly IncomingState[], newFileId: NewFileId): FileChange[] {
  return files.flatMap(({ path, text, origin, known, gone }) => {
    const hash = contentHash(text);
    if (known && known.path === path && known.hash === hash) return [];
    const { kind, group, description } = describeImported(path, text, known);
    const moved = known && known.path !== path;
    return [
      {
        op: moved ? 'rename' : known ? 'update' : 'create',
        file_id: known?.id ?? fileIdFor(path, kind, gone, newFileId),
        kind,
        path,
        previous_path: moved ? known.path : null,
        hash,
        group,
        description,
        ...(origin === undefined ? {} : { origin }),
        text,
      } satisfies FileChange,
    ];
  });
}

/** A file that was drafted as context outside `context/` stays context unless it says otherwise itself. */
function describeImported(path: string, text: string, known: PublishedState | undefined) {
  const described = describeFile(path, text);
  const says = readFrontMatter(text).values.kind;
  const stays = known?.path === path && described.kind === 'rule' && says === undefined;
  return stays ? { ...described, kind: known.kind } : described;
}

export interface ImportedFiles {
  changes: FileChange[];
  refused: Skipped[];
}

/**
 * Publishes files as they came. Drafts in which the importer had staged the same are published with them; those of
 * what is published already have nothing left to propose, and are discarded.
 */
export function importFiles(
  state: ImportState,
  target: PublishTarget,
  newFileId: NewFileId,
): LibraryDecision<ImportedFiles> {
  const { files, drafts: open } = state;
  const refused: Skipped[] = [];
  const changes = importChanges(files, newFileId).filter((change) => {
    const problems = problemsOf(change, target.validators);
    if (problems.length > 0) refused.push({ path: change.path, reason: problems.join('; ') });
    return problems.length === 0;
  });
  const drafts = draftsByPath(open);
  const draftOf = (change: FileChange) => drafts.get(change.path)?.find((draft) => isSame(draft, change));
  // A publication names its drafts in the order of its changes.
  const ordered = [...changes.filter(draftOf), ...changes.filter((change) => !draftOf(change))];
  const draftIds = changes.flatMap((change) => draftOf(change)?.id ?? []);
  const published = publish(state, target, { source: 'import', changes: ordered, draftIds });
  const changed = new Map<string, Pick<FileChange, 'hash' | 'kind'>>(
    changes.map((change) => [change.path, change]),
  );
  const discarded = files.flatMap(({ path, known }): LibraryEvent[] =>
    (drafts.get(path) ?? []).flatMap((draft) => {
      const now = changed.get(path) ?? (known?.path === path ? known : undefined);
      if (!now || !isSame(draft, now) || draftIds.includes(draft.id)) return [];
      return discardDraft(draft, { action: 'discard', sessionId: null }).events;
    }),
  );
  return { events: [...discarded, ...published.events], answer: { changes, refused } };
}

function draftsByPath(drafts: readonly Draft[]): Map<string, Draft[]> {
  const byPath = new Map<string, Draft[]>();
  for (const draft of drafts) byPath.set(draftPath(draft), [...(byPath.get(draftPath(draft)) ?? []), draft]);
  return byPath;
}

function isSame(draft: Draft, { hash, kind }: Pick<FileChange, 'hash' | 'kind'>): boolean {
  return draft.hash === hash && draft.kind === kind;
}
