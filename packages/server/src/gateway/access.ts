import { InfoldError } from '../kernel/errors.ts';
import type { Database } from '../kernel/sqlite.ts';
import { authorise } from '../trust/access.ts';
import type { Caller } from '../trust/caller.ts';
import { projectById } from '../trust/identity/queries.ts';

const PROJECT_POD = /^proj_/;

/** A project's pod is open to whom the project is; every other pod to the whole organisation. */
export function mayEnterPod(database: Database, caller: Caller, pod: string): void {
  authorise(caller, 'read', { kind: 'organisation' });
  const isProject = PROJECT_POD.test(pod) || projectById(database, caller.org, pod) !== undefined;
  if (isProject) authorise(caller, 'read', { kind: 'project', id: pod });
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
    'A pod is named by ?pod= with 1 to 128 letters, digits, ".", "_", ":" or "-"',
  );
}
