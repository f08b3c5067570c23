import type { CallContext } from '../../call/context.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { admits } from '../../trust/access/rule.ts';
import { projectById, projectByName } from '../../trust/identity/queries.ts';
import { mayEnterPod } from '../access.ts';

interface Where {
  pod?: string | undefined;
  project?: string | undefined;
}

/** The pod that is named, else that of the project. */
export function podOf(context: CallContext, { pod, project }: Where): string {
  if (pod !== undefined) mayEnterPod(context.database, context.caller, pod);
  const { org } = context.caller;
  const own = pod !== undefined && projectById(context.database, org, pod) ? pod : undefined;
  const home = context.project(project ?? own);
  const namesake = pod === undefined ? undefined : projectByName(context.database, org, pod);
  if (namesake && admits(context.caller, { kind: 'project', id: namesake.id }).allowed) {
    context.notices.push(`"${pod}" is not the pod of the project with this name: that pod is ${namesake.id}`);
  }
  return pod ?? home.id;
}

/** Refuses a pod that nobody has used: it is not there. */
export function checkPod({ database, caller, parts }: CallContext, pod: string): void {
  mayEnterPod(database, caller, pod);
  if (!parts.gateway.knows(caller.org, pod)) throw new InfoldError('not_found', `Pod not found: ${pod}`);
}
