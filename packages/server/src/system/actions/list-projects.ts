import { systemApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { admits } from '../../trust/access/rule.ts';
import { listProjects as projectsOf } from '../../trust/identity/queries.ts';
import { callerIn } from '../org.ts';

export const listProjects = defineAction(systemApi.listProjects, {
  run({ org }, { database, caller }) {
    const projects = projectsOf(database, callerIn(caller, org).org).filter(
      ({ id }) => admits(caller, { kind: 'project', id }).allowed,
    );
    return { structured: { projects, next: null } };
  },
});
