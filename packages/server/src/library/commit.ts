import type { Journal } from '../journal/journal.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { Caller } from '../trust/identity/caller.ts';
import { organisationWorkspace } from '../trust/identity/commands.ts';
import type { Project } from '../trust/identity/queries.ts';
import { libraryStream } from '../trust/streams.ts';
import type { FileValidator, PublishTarget } from './commands/publish.ts';
import type { LibraryDecision } from './commands/review.ts';
import { linkOfWorkspace } from './queries/hub.ts';
import { followOrganisation } from './workspaces/follow.ts';

/** Writes to the library of a workspace, in one entry. `decide` reads a state and hands it to a command. */
export async function commitToLibrary<Answer>(
  { journal, caller }: { journal: Journal; caller: Caller },
  workspaceId: string,
  decide: (database: Database) => LibraryDecision<Answer>,
): Promise<Answer> {
  const stream = libraryStream(workspaceId);
  const { answer, entry } = await journal.commit({ stream, actor: caller.actor, decide });
  const isPublished = entry?.events.some(({ type }) => type === 'library.published');
  if (isPublished && workspaceId === organisationWorkspace(caller.org)) await followSoon(journal, caller.org);
  return answer;
}

/** What was published stands, whatever becomes of this: servers go on with it. */
async function followSoon(journal: Journal, org: string): Promise<void> {
  try {
    await followOrganisation(journal, org);
  } catch {
    // "library selection" says that it is behind.
  }
}

export function publishTargetIn(
  {
    caller,
    parts,
    journal,
  }: { caller: Caller; parts: { fileValidators: readonly FileValidator[] }; journal: Journal },
  { workspace_id, id }: Pick<Project, 'workspace_id' | 'id'>,
): PublishTarget {
  return {
    ...{ workspaceId: workspace_id, org: caller.org, projectId: id, validators: parts.fileValidators },
    hubUrl: linkOfWorkspace(journal.database, workspace_id)?.hub_url,
  };
}
