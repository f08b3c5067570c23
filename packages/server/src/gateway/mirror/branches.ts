import type { Envelope } from '@infold/protocol';
import { branchById } from '../../fold/queries.ts';
import type { Database } from '../../kernel/sqlite.ts';
import type { MirrorLevel } from '../../trust/identity/events.ts';
import { projectSettings } from '../../trust/identity/queries.ts';
import { type Session, sessionById } from '../../trust/sessions/queries.ts';
import type { BranchOfSession } from '../events.ts';

/** What the configuration says of branches in pods. */
export type MirrorSetting = MirrorLevel | undefined;

/**
 * SUB-13: the project's own word, else the configuration's. Where neither says anything, members of a project share what
 * its branches are about and came to, and nobody's prompts, results and names are shown to others unasked.
 */
export function mirrorLevelOf(
  database: Database,
  { org, project_id }: Pick<Session, 'org' | 'project_id'>,
  configured: MirrorSetting,
): MirrorLevel {
  return projectSettings(database, org, project_id).mirrorBranches ?? configured ?? 'summaries';
}

/**
 * The branch whose agent says this in the branch's own context: then it is an operation of the branch. What others say
 * there is heard by all, and is none of the branch's work.
 */
export function operationOf(
  database: Database,
  message: { org: string; pod: string; principal: string; envelope: Envelope },
  configured: MirrorSetting,
): BranchOfSession | undefined {
  const id = message.envelope.context?.id;
  if (!id?.startsWith('br_')) return undefined;
  const branch = branchById(database, id);
  if (branch?.status !== 'active') return undefined;
  const session = sessionById(database, branch.session_id);
  const isOwn =
    session?.org === message.org &&
    session.principal === message.principal &&
    branch.project_id === message.pod &&
    session.ended_at === null;
  const { project_id } = branch;
  if (!isOwn || mirrorLevelOf(database, { ...session, project_id }, configured) === 'off') return undefined;
  return { session_id: session.id, branch_id: id };
}
