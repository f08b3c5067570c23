import { type ShownSteps, transientApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { proseAnswer } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { admits } from '../../trust/access/rule.ts';
import { listProjects, type Project } from '../../trust/identity/queries.ts';
import {
  groupOf,
  groupsOf,
  hintsOf,
  type StepGroup,
  type Workflow,
  type WorkflowFile,
  workflowFrom,
} from '../workflows/definition.ts';
import { clearChoice, matchWorkflows } from '../workflows/match.ts';
import { renderGroup, renderList, renderRoadmap } from '../workflows/render.ts';

declare module '../../call/parts.ts' {
  interface Parts {
    /** The published workflows of a workspace. The library has them. */
    workflows: (database: Database, workspaceId: string) => readonly WorkflowFile[];
  }
}

const MOST_LISTED = 50;

function workflowsFor(context: CallContext, spec: string | undefined): Workflow[] {
  context.sessionIfAny();
  return workflowsIn(context, context.project(spec));
}

function workflowsIn({ parts, database }: CallContext, { workspace_id }: Pick<Project, 'workspace_id'>) {
  return parts.workflows(database, workspace_id).flatMap((file) => workflowFrom(file) ?? []);
}

export const listWorkflows = defineAction(transientApi.listWorkflows, {
  run({ project }, context) {
    const { database, caller } = context;
    const projects =
      project === undefined
        ? listProjects(database, caller.org).filter(
            ({ id }) => admits(caller, { kind: 'project', id }).allowed,
          )
        : [context.project(project)];
    const workflows = projects.flatMap((one) =>
      workflowsIn(context, one).map((workflow) => viewOf(workflow, one)),
    );
    return { structured: { workflows, next: null } };
  },
});

export const readWorkflow = defineAction(transientApi.readWorkflow, {
  run({ workflow: wanted, project: spec }, context) {
    const project = context.project(spec);
    const workflows = workflowsIn(context, project);
    const workflow = findWorkflow(workflows, wanted);
    if (!workflow) throw workflowNotFound(workflows, wanted);
    const { steps } = workflow;
    return {
      structured: {
        ...viewOf(workflow, project),
        steps,
        groups: groupsOf(workflow).flatMap((group) => shownGroup(group) ?? []),
        context_hints: hintsOf(steps),
      },
    };
  },
});

function viewOf(workflow: Workflow, { id, name }: Pick<Project, 'id' | 'name'>) {
  return { id: workflow.id, ...listed(workflow), project_id: id, project: name };
}

export const workflowStep = defineAction(transientApi.getWorkflowStep, {
  run(input, context) {
    const workflows = workflowsFor(context, input.project);
    const workflow = findWorkflow(workflows, input.workflow);
    if (!workflow) throw workflowNotFound(workflows, input.workflow);
    const group = groupOf(workflow, input.step);
    if (!group) {
      const orders = workflow.steps.map(({ order }) => order);
      throw new InfoldError(
        'not_found',
        `Step ${input.step} not found in workflow "${workflow.name}". Valid steps: ${orders.join(', ')}`,
        { details: { valid: orders } },
      );
    }
    return proseAnswer(renderGroup(workflow, group), shown(workflow, group), hintMeta(group));
  },
});

export const suggestWorkflow = defineAction(transientApi.suggestWorkflow, {
  run(input, context) {
    const workflows = workflowsFor(context, input.project);
    const given = (text: string | undefined) => (text === undefined || text.trim() === '' ? undefined : text);
    const matches = matchWorkflows(workflows, given(input.goal), given(input.tag));
    const picked = clearChoice(matches);
    const group = picked && groupOf(picked, picked.steps[0]!.order);
    if (picked && group) {
      // TCP-07: what is shown comes with its hints; nobody has to ask for step 1 again to register them.
      return proseAnswer(
        `${renderRoadmap(picked)}\n\n${renderGroup(picked, group)}`,
        { workflows: matches.map(({ workflow }) => listed(workflow)), picked: shown(picked, group) },
        hintMeta(group),
      );
    }
    const found = matches.length > 0 ? matches.map(({ workflow }) => workflow) : workflows;
    if (found.length > MOST_LISTED)
      context.notices.push(`${found.length - MOST_LISTED} more workflows; give a goal or tag`);
    const some = found.slice(0, MOST_LISTED);
    return proseAnswer(listText(some, matches.length > 0), {
      workflows: some.map(listed),
      picked: null,
    });
  },
});

function listText(workflows: readonly Workflow[], matched: boolean): string {
  if (workflows.length === 0) {
    return 'There are no workflows with steps. Publish one in the library: a file under workflow/ with "steps" in its front matter.';
  }
  return renderList(workflows, matched ? 'Workflows:' : 'No workflow matches that. There are:');
}

function listed({ name, title, path, description, tags, models, steps }: Workflow) {
  return { name, title, path, description, tags, models, total_steps: steps.length };
}

function shown({ name, title, path, steps: all }: Workflow, group: StepGroup): ShownSteps {
  return {
    workflow: { name, title, path },
    steps: group.steps,
    group: shownGroup(group),
    next_step: group.next,
    total_steps: all.length,
  };
}

/** Null for a step that stands alone. */
function shownGroup({ kind, name, steps }: StepGroup): ShownSteps['group'] {
  return kind === null ? null : { kind, name: name!, steps: steps.map(({ order }) => order) };
}

function hintMeta({ steps }: StepGroup): Record<string, unknown> | undefined {
  const hints = hintsOf(steps);
  return hints.length > 0 ? { contextHints: hints } : undefined;
}

/** By id, path or name, with or without its folder and ending. */
function findWorkflow(workflows: readonly Workflow[], wanted: string): Workflow | undefined {
  const name = wanted.trim().toLowerCase();
  const short = (path: string) =>
    path
      .replace(/^workflow\//, '')
      .replace(/\.[^./]+$/, '')
      .toLowerCase();
  return (
    workflows.find(({ id, path }) => id === wanted || path === wanted) ??
    workflows.find((workflow) => workflow.name.toLowerCase() === name) ??
    workflows.find(
      ({ title, path }) =>
        title.toLowerCase() === name ||
        short(path) === short(wanted.trim()) ||
        short(path).endsWith(`/${name}`),
    )
  );
}

function workflowNotFound(workflows: readonly Workflow[], wanted: string): InfoldError {
  const names = workflows.map(({ name }) => name);
  const valid =
    names.length === 0
      ? 'There are none with steps'
      : `Valid workflows: ${names.slice(0, MOST_LISTED).join(', ')}`;
  return new InfoldError('not_found', `Workflow not found: "${wanted.slice(0, 100)}". ${valid}`, {
    details: { valid: names },
  });
}
