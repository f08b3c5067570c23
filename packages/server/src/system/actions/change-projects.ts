import { systemApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { badArguments } from '../../call/arguments.ts';
import { admits, enforce } from '../../trust/access/rule.ts';
import { addNamedProject, configureProject, describeProject } from '../../trust/identity/commands.ts';
import { absolutePath, ensureProject, resolveProject } from '../../trust/identity/projects.ts';
import { accessStream } from '../../trust/streams.ts';
import { callerIn } from '../org.ts';

export const addProject = defineAction(systemApi.addProject, {
  identifiers: ['name', 'path', 'org'],
  async run(input, context) {
    const { org, actor } = callerIn(context.caller, input.org);
    const path = input.path === undefined ? null : absolutePath(input.path);
    if (path === undefined) {
      const problem = `path: must be an absolute path; it was ${JSON.stringify(input.path?.slice(0, 50))}`;
      throw badArguments(systemApi.addProject.name, [problem], 'path');
    }
    const { id } = describeProject(org, input.name, path);
    enforce(admits(context.caller, { kind: 'project', id }));
    const { answer, entry } = await context.journal.commit({
      stream: accessStream(org),
      actor,
      decide: (database) => addNamedProject(database, org, input.name, path),
    });
    return { structured: answer, isNew: entry !== undefined };
  },
});

const SWITCH = { on: true, off: false, default: null };

export const setProject = defineAction(systemApi.setProject, {
  identifiers: ['org'],
  async run({ project: spec, mirror, remember, org: wanted }, { caller, journal, database }) {
    const owner = callerIn(caller, wanted);
    const { id, name } = await ensureProject(journal, owner, resolveProject(database, owner, spec));
    const settings = {
      // `on` is what it was called when there was no choice of how much.
      ...(mirror && { mirrorBranches: mirror === 'default' ? null : mirror === 'on' ? 'full' : mirror }),
      ...(remember && { rememberContexts: SWITCH[remember] }),
    };
    const { answer } = await journal.commit({
      stream: accessStream(owner.org),
      actor: owner.actor,
      decide: (current) => configureProject(current, owner.org, id, settings),
    });
    return { structured: { id, name, ...answer } };
  },
});
