import type { Journal } from '../../journal/journal.ts';
import { ownerIn } from '../../trust/identity/caller.ts';
import { libraryStream } from '../../trust/streams.ts';
import { isBehind, resolveSelection } from '../commands/select.ts';
import { selectionState } from '../queries/command-state.ts';
import { followingWorkspaces, type SelectingWorkspace, selectionOf } from '../queries/workspaces.ts';

/**
 * Brings what was published in the organisation's library to the workspaces that select the latest. Each is compared with what
 * it should have, so that it does not matter who does this, how often, or where somebody stopped before.
 */
export async function followOrganisation(journal: Journal, org?: string): Promise<number> {
  let changed = 0;
  for (const following of followingWorkspaces(journal.database, org)) {
    if (isBehind(stateOf(journal, following))) changed += await bringUp(journal, following);
  }
  return changed;
}

function stateOf(
  { database }: Pick<Journal, 'database'>,
  { workspace_id, org, selection }: SelectingWorkspace,
) {
  return selectionState(database, { workspaceId: workspace_id, org }, selection);
}

/** Makes a workspace what its selection has, a portion at a time. Answers how many files changed. */
export async function bringUp(
  journal: Journal,
  { workspace_id: workspaceId, org, project_id: projectId }: Omit<SelectingWorkspace, 'selection'>,
): Promise<number> {
  const target = { workspaceId, org, projectId, validators: [] };
  let changed = 0;
  for (;;) {
    const { answer } = await journal.commit({
      stream: libraryStream(workspaceId),
      actor: ownerIn(org).actor,
      decide: (database) => {
        const selection = selectionOf(database, workspaceId)?.selection ?? null;
        return resolveSelection(selectionState(database, { workspaceId, org }, selection), target);
      },
    });
    changed += answer.changes.length;
    if (!answer.isPart) return changed;
  }
}
