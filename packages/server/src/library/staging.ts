import type { DraftOp, DraftResource } from '@infold/protocol';
import type { Journal } from '../journal/journal.ts';
import type { Config } from '../kernel/config.ts';
import { randomId } from '../kernel/ids.ts';
import type { Caller } from '../trust/identity/caller.ts';
import type { Project } from '../trust/identity/queries.ts';
import { type DraftingParty, stageDraft } from './commands/draft.ts';
import { commitToLibrary } from './commit.ts';
import { stagingState } from './queries/command-state.ts';

export interface Proposal {
  resource: DraftResource;
  op: DraftOp;
}

/** In which session of an agent something is drafted, and what the scrubber took out of it before. */
export type DraftingSession = Pick<DraftingParty, 'sessionId' | 'isOptedIn' | 'secrets'>;

/** Whoever works without an agent sees every draft of their own. */
export const person: DraftingSession = { sessionId: null, isOptedIn: true, secrets: 0 };

export function partyOf(
  caller: Caller,
  project: Project,
  config: Config,
  session: DraftingSession,
): DraftingParty {
  return {
    workspaceId: project.workspace_id,
    org: caller.org,
    projectId: project.id,
    principal: caller.principal,
    mostBytes: config.limits.libraryFileBytes,
    ...session,
  };
}

/** What comes here has been looked over for secrets. */
export function stage(
  { journal, config, caller }: { journal: Journal; config: Config; caller: Caller },
  project: Project,
  { resource, op }: Proposal,
  session: DraftingSession,
) {
  const party = partyOf(caller, project, config, session);
  const newId = randomId('draft');
  return commitToLibrary({ journal, caller }, project.workspace_id, (database) =>
    stageDraft(stagingState(database, party, resource, op), party, resource, op, newId),
  );
}
