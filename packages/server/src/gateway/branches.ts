import type { Envelope } from '@infold/protocol';
import { branchById } from '../fold/queries.ts';
import type { Database } from '../kernel/sqlite.ts';
import { LOCAL_ORG, LOCAL_OWNER } from '../trust/caller.ts';
import { projectSettings } from '../trust/identity/queries.ts';
import { type Session, sessionById } from '../trust/sessions/queries.ts';
import type { BranchOfSession } from './events.ts';

/** Branches and pods show each other: where that is wanted. */
export type MirrorSetting = boolean | undefined;

/** Whose work it is, and for which project. */
type Work = Pick<Session, 'org' | 'principal' | 'project_id'>;

/**
 * SUB-13: the project's own word, else the configuration's. Where neither says anything, the owner of the machine sees
 * its own sessions, and nobody's branches are shown to others unasked.
 */
export function isMirrored(database: Database, work: Work, configured: MirrorSetting): boolean {
  const { org, principal, project_id } = work;
  const { mirrorBranches } = projectSettings(database, org, project_id);
  return mirrorBranches ?? configured ?? (org === LOCAL_ORG && principal === LOCAL_OWNER);
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
  if (!isOwn || !isMirrored(database, { ...session, project_id }, configured)) return undefined;
  return { session_id: session.id, branch_id: id };
}
