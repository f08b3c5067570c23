import type { Database } from '../../kernel/sqlite.ts';
import type { FileChange, LibraryEvent } from '../events.ts';
import type { Skipped } from '../folders/scan-folder.ts';
import { type Draft, draftPath, liveDrafts } from '../queries/drafts.ts';
import { fileByPath } from '../queries/files.ts';
import {
  type FileValidator,
  type IncomingFile,
  importChanges,
  type PublishTarget,
  problemsOf,
  publish,
} from './publish.ts';
import { discardDraft, type ReviewDecision } from './review.ts';

export interface ImportedFiles {
  changes: FileChange[];
  refused: Skipped[];
}

/**
 * Publishes files as they came. Drafts in which the importer had staged the same are published with them; those of
 * what is published already have nothing left to propose, and are discarded.
 */
export function importFiles(
  database: Database,
  place: PublishTarget,
  principal: string,
  validators: readonly FileValidator[],
  files: readonly IncomingFile[],
): ReviewDecision<ImportedFiles> {
  const refused: Skipped[] = [];
  const changes = importChanges(database, place.workspaceId, files).filter((change) => {
    const problems = problemsOf(change, validators);
    if (problems.length > 0) refused.push({ path: change.path, reason: problems.join('; ') });
    return problems.length === 0;
  });
  const drafts = draftsByPath(liveDrafts(database, { workspaceId: place.workspaceId, principal }));
  const draftOf = (change: FileChange) => drafts.get(change.path)?.find((draft) => isSame(draft, change));
  // A publication names its drafts in the order of its changes.
  const ordered = [...changes.filter(draftOf), ...changes.filter((change) => !draftOf(change))];
  const draftIds = changes.flatMap((change) => draftOf(change)?.id ?? []);
  const published = publish(database, place, validators, { source: 'import', changes: ordered, draftIds });
  const changed = new Map<string, Pick<FileChange, 'hash' | 'kind'>>(
    changes.map((change) => [change.path, change]),
  );
  const discarded = files.flatMap(({ path }): LibraryEvent[] =>
    (drafts.get(path) ?? []).flatMap((draft) => {
      const now = changed.get(path) ?? fileByPath(database, place.workspaceId, path);
      if (!now || !isSame(draft, now) || draftIds.includes(draft.id)) return [];
      return discardDraft(database, draft.id, { action: 'discard', sessionId: null }).events;
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
