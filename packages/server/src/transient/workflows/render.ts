import type { WorkflowStep } from '@infold/protocol';
import type { StepGroup, Workflow } from './definition.ts';

/** TCP-06: what a model reads of one step, or of the steps of a loop or parallel group. */
export function renderGroup(workflow: Workflow, group: StepGroup): string {
  const { steps } = group;
  const range = rangeOf(steps);
  const single = steps.length === 1 ? steps[0]! : undefined;
  const parts: string[] = [];
  if (group.kind === 'loop')
    parts.push(`## ${single ? 'Step' : 'Steps'} ${range} — loop (repeat for each page of results)`);
  else if (group.kind === 'parallel')
    parts.push(`## Steps ${range} — in parallel (in any order, or at the same time)`);
  for (const step of steps) {
    const heading = group.kind ? '###' : '##';
    parts.push(renderStep(step, heading, workflow.steps.length));
  }
  parts.push(ending(workflow, group));
  return parts.join('\n\n');
}

function rangeOf(steps: readonly WorkflowStep[]): string {
  return steps.map(({ order }) => order).join('–');
}

function renderStep(step: WorkflowStep, heading: string, total: number): string {
  const marks = step.optional ? ' (optional)' : '';
  const lines = [
    `${heading} Step ${step.order} of ${total}: ${step.title}${marks}`,
    '',
    step.description.trim(),
  ];
  if (step.dependsOn?.length) lines.push('', `Needs the results of step ${step.dependsOn.join(', ')}.`);
  if (step.tool !== undefined) {
    const args = step.toolArgs ? ` with ${JSON.stringify(step.toolArgs)}` : '';
    lines.push('', `Tool: \`${step.tool}\`${args}`);
  }
  if (step.exhaustive) {
    lines.push(
      '',
      'Go through every page: check `pagination.total_pages` and fetch until the last one. Do not stop at a sample.',
    );
  }
  if (step.decision) {
    lines.push('', `Decide: ${step.decision.question}`);
    for (const { label, description, nextStep } of step.decision.options) {
      const what = description ? `: ${description}` : '';
      const where = nextStep === undefined ? '' : ` → step ${nextStep}`;
      lines.push(`- **${label}**${what}${where}`);
    }
  }
  if (step.tips?.length) lines.push('', 'Tips:', ...step.tips.map((tip) => `- ${tip}`));
  if (step.fallbackDescription !== undefined)
    lines.push('', `If that is not possible: ${step.fallbackDescription}`);
  return lines.join('\n');
}

function ending({ name }: Workflow, { kind, steps, next }: StepGroup): string {
  const call =
    next === null ? undefined : `get_workflow_step(workflow: ${JSON.stringify(name)}, step: ${next})`;
  const decides = steps.some(({ decision }) =>
    decision?.options.some(({ nextStep }) => nextStep !== undefined),
  );
  if (kind === 'loop') {
    const again = `Check \`pagination.total_pages\` in the result. While pages are left, repeat ${
      steps.length === 1 ? 'this step' : `steps ${rangeOf(steps)}`
    } with the next page.`;
    const after = call
      ? `After the last page you MUST call ${call}.`
      : 'After the last page the workflow is complete.';
    return `${again}\n${after}`;
  }
  if (!call) return 'Workflow complete: this was the last step.';
  const unless = decides ? ', or the step that your decision names' : '';
  return `REQUIRED next action: ${kind === 'parallel' ? 'when all of them are done, ' : ''}call ${call}${unless}.`;
}

/** The whole way, a line for each step. */
export function renderRoadmap(workflow: Workflow): string {
  const lines = workflow.steps.map(({ order, title, tool, loopGroup, parallelGroup, optional }) => {
    const marks = [
      ...(tool === undefined ? [] : [`\`${tool}\``]),
      ...(loopGroup === undefined ? [] : [`loop ${loopGroup}`]),
      ...(loopGroup === undefined && parallelGroup !== undefined ? [`parallel ${parallelGroup}`] : []),
      ...(optional ? ['optional'] : []),
    ];
    return `${order}. ${title}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`;
  });
  const about = workflow.description === '' ? [] : [workflow.description, ''];
  return [`# ${workflow.title} (${workflow.name})`, '', ...about, ...lines].join('\n');
}

export function renderList(workflows: readonly Workflow[], heading: string): string {
  const lines = workflows.map(({ name, description, steps, tags }) => {
    const about = description === '' ? '' : `: ${description}`;
    const tagged = tags.length === 0 ? '' : ` [${tags.join(', ')}]`;
    return `- **${name}** (${steps.length} steps)${about}${tagged}`;
  });
  return [heading, '', ...lines, '', 'Call get_workflow_step(workflow, step: 1) to begin one.'].join('\n');
}
