import type { Journal } from '../journal/journal.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { Caller } from '../trust/identity/caller.ts';
import type { Project } from '../trust/identity/queries.ts';
import { libraryStream } from '../trust/streams.ts';
import type { PublishTarget } from './commands/publish.ts';
import type { ReviewDecision } from './commands/review.ts';

/** Writes to the library of a workspace, in one entry. */
export async function commitToLibrary<Answer>(
  { journal, caller }: { journal: Journal; caller: Caller },
  workspaceId: string,
  decide: (database: Database) => ReviewDecision<Answer>,
): Promise<Answer> {
  const stream = libraryStream(workspaceId);
  return (await journal.commit({ stream, actor: caller.actor, decide })).answer;
}

export function placeIn({ org }: Caller, { workspace_id, id }: Project): PublishTarget {
  return { workspaceId: workspace_id, org, projectId: id };
}
