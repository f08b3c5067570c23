import { type SelectionView, workspacesApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { admits, enforce } from '../../trust/access/rule.ts';
import { organisationWorkspace } from '../../trust/identity/commands.ts';
import { ensureProject, organisationOf } from '../../trust/identity/projects.ts';
import type { Project } from '../../trust/identity/queries.ts';
import { protectPaths as protect } from '../commands/protect.ts';
import { isBehind, overriddenIn, selectFiles as select, selectionFor } from '../commands/select.ts';
import { commitToLibrary, publishTargetIn } from '../commit.ts';
import { invalid } from '../errors.ts';
import { selectionState } from '../queries/command-state.ts';
import { revisionOf } from '../queries/files.ts';
import { protectionsOf, selectionOf } from '../queries/workspaces.ts';
import { bringUp } from './follow.ts';

function viewOf(database: Database, org: string, { name, workspace_id }: Project): SelectionView {
  const selection = selectionOf(database, workspace_id)?.selection ?? null;
  const state = selectionState(database, { workspaceId: workspace_id, org }, selection);
  return {
    project: name,
    workspace_id,
    selection,
    organisation: {
      project: organisationOf(database, org).name,
      revision: revisionOf(database, organisationWorkspace(org)),
    },
    files: state.present.filter(({ organisation }) => organisation !== null).length,
    overridden: overriddenIn(state),
    behind: isBehind(state),
  };
}

export const readSelection = defineAction(workspacesApi.readSelection, {
  run: ({ project }, context) => ({
    structured: viewOf(context.database, context.caller.org, context.project(project)),
  }),
});

export const selectFiles = defineAction(workspacesApi.selectFiles, {
  async run({ project: spec, ...wish }, context) {
    const { journal, caller, database } = context;
    const { org } = caller;
    const named = context.project(spec);
    const library = organisationOf(database, org);
    if (named.id === library.id)
      throw invalid('project: the organisation’s library cannot select from itself');
    // Who selects brings into the project what members of another one may read.
    enforce(admits(caller, { kind: 'project', id: library.id }));
    const project = await ensureProject(journal, caller, named);
    const { workspace_id: workspaceId, id: projectId } = project;
    const target = publishTargetIn(context, project);
    const { changes, isPart } = await commitToLibrary(context, workspaceId, (current) => {
      const selection = selectionFor(wish, revisionOf(current, organisationWorkspace(org)));
      const before = selectionOf(current, workspaceId)?.selection ?? null;
      return select(selectionState(current, { workspaceId, org }, selection), target, before, selection);
    });
    const rest = isPart
      ? await bringUp(journal, { workspace_id: workspaceId, org, project_id: projectId })
      : 0;
    const revision = revisionOf(database, workspaceId);
    return { structured: { ...viewOf(database, org, project), revision, changed: changes.length + rest } };
  },
});

export const listProtections = defineAction(workspacesApi.listProtections, {
  run: ({ project }, context) => ({ structured: protectionsIn(context, context.project(project)) }),
});

function protectionsIn({ database }: Pick<CallContext, 'database'>, { name, workspace_id }: Project) {
  return { project: name, protections: protectionsOf(database, workspace_id) };
}

export const protectPaths = defineAction(workspacesApi.protectPaths, {
  identifiers: ['pattern', 'reviewers'],
  async run({ project: spec, ...wish }, context) {
    const { journal, caller } = context;
    const project = await ensureProject(journal, caller, context.project(spec));
    const { workspace_id: workspaceId } = project;
    const target = { workspaceId, org: caller.org, projectId: project.id };
    await commitToLibrary(context, workspaceId, (database) =>
      protect(protectionsOf(database, workspaceId), target, wish),
    );
    return { structured: protectionsIn(context, project) };
  },
});
