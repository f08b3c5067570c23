import { PARTICIPANT_ID } from '@infold/protocol';
import { InfoldError } from '../kernel/errors.ts';
import type { Database } from '../kernel/sqlite.ts';
import { authorise } from '../trust/access/rule.ts';
import { type Caller, isLocalOwner } from '../trust/identity/caller.ts';
import { projectById } from '../trust/identity/queries.ts';

const PROJECT_POD = /^proj_/;

export function isProjectPod(database: Database, org: string, pod: string): boolean {
  return PROJECT_POD.test(pod) || projectById(database, org, pod) !== undefined;
}

/** A project's pod is open to whom the project is; every other pod to the whole organisation. */
export function mayEnterPod(database: Database, caller: Caller, pod: string): void {
  authorise(caller, 'read', { kind: 'organisation' });
  if (isProjectPod(database, caller.org, pod)) authorise(caller, 'read', { kind: 'project', id: pod });
}

/** Whether a list may show it. */
export function isPodOpen(database: Database, caller: Caller, pod: string): boolean {
  try {
    mayEnterPod(database, caller, pod);
    return true;
  } catch (error) {
    if (InfoldError.isInstance(error)) return false;
    throw error;
  }
}

export function badPodName(): InfoldError {
  return new InfoldError(
    'invalid_arguments',
    'The name of a pod (?pod=) has 1 to 128 letters, digits, ".", "_", ":" or "-"',
  );
}

/** The token's name is the participant; only the owner of the machine may choose one. */
export function participantOf(caller: Caller, wanted: string | undefined): string {
  const id = isLocalOwner(caller) ? (wanted ?? caller.principal) : caller.principal;
  if (wanted !== undefined && wanted !== id) {
    throw new InfoldError('forbidden', `This token speaks only as "${id}"; omit "participant"`);
  }
  if (!PARTICIPANT_ID.test(id)) {
    throw new InfoldError('invalid_arguments', 'The name of a participant has 1 to 128 printable characters');
  }
  return id;
}
