import type { Journal } from '../journal/journal.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { Caller } from '../trust/identity/caller.ts';
import type { Project } from '../trust/identity/queries.ts';
import { libraryStream } from '../trust/streams.ts';
import type { FileValidator, PublishTarget } from './commands/publish.ts';
import type { LibraryDecision } from './commands/review.ts';

/** Writes to the library of a workspace, in one entry. `decide` reads a state and hands it to a command. */
export async function commitToLibrary<Answer>(
  { journal, caller }: { journal: Journal; caller: Caller },
  workspaceId: string,
  decide: (database: Database) => LibraryDecision<Answer>,
): Promise<Answer> {
  const stream = libraryStream(workspaceId);
  return (await journal.commit({ stream, actor: caller.actor, decide })).answer;
}

export function publishTargetIn(
  { caller, parts }: { caller: Caller; parts: { fileValidators: readonly FileValidator[] } },
  { workspace_id, id }: Project,
): PublishTarget {
  return { workspaceId: workspace_id, org: caller.org, projectId: id, validators: parts.fileValidators };
}
