import { type ContextHint, type WorkflowStep, workflowStep } from '@infold/protocol';
import { z } from 'zod';

/** A workflow that can be walked. */
export interface Workflow {
  name: string;
  title: string;
  description: string;
  path: string;
  id: string;
  tags: string[];
  models: string[];
  /** In their order. */
  steps: WorkflowStep[];
}

/** A published workflow file, as the library shows it. */
export interface WorkflowFile {
  id: string;
  path: string;
  name: string;
  description: string | null;
  frontMatter: Record<string, unknown>;
}

const steps = z.array(workflowStep).min(1);

/** Undefined for a file that has no steps, or none that can be walked (published before they were checked, say). */
export function workflowFrom({
  id,
  path,
  name,
  description,
  frontMatter,
}: WorkflowFile): Workflow | undefined {
  const parsed = steps.safeParse(frontMatter.steps);
  if (!parsed.success) return undefined;
  const text = (key: string) =>
    typeof frontMatter[key] === 'string' ? (frontMatter[key] as string) : undefined;
  return {
    id,
    path,
    name: text('name') ?? name,
    title: text('title') ?? text('name') ?? name,
    description: description ?? text('description') ?? '',
    tags: textsOf(frontMatter.tags),
    models: textsOf(frontMatter.models),
    steps: parsed.data.toSorted((a, b) => a.order - b.order),
  };
}

/** A list of texts, or texts with commas between them. */
function textsOf(value: unknown): string[] {
  const items = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
  return items
    .filter((item): item is string => typeof item === 'string' && item.trim() !== '')
    .map((item) => item.trim());
}

export interface StepGroup {
  kind: 'loop' | 'parallel' | null;
  name: string | null;
  steps: WorkflowStep[];
  /** The step after them; null at the end. */
  next: number | null;
}

/** Adjacent steps of one loop (or, without a loop, of one parallel group) are shown together. */
export function groupOf({ steps: all }: Workflow, order: number): StepGroup | undefined {
  const at = all.findIndex((step) => step.order === order);
  const step = all[at];
  if (!step) return undefined;
  const { kind, name } = membership(step);
  let [from, to] = [at, at];
  if (kind) {
    while (from > 0 && isSameGroup(membership(all[from - 1]!), { kind, name })) from--;
    while (to < all.length - 1 && isSameGroup(membership(all[to + 1]!), { kind, name })) to++;
  }
  // A loop of one step is still a loop; what runs beside nothing is just a step.
  const shown = kind === 'parallel' && from === to ? { kind: null, name: null } : { kind, name };
  return { ...shown, steps: all.slice(from, to + 1), next: all[to + 1]?.order ?? null };
}

/** All of them in their order: every step is in one. */
export function groupsOf(workflow: Workflow): StepGroup[] {
  const groups: StepGroup[] = [];
  for (let order = workflow.steps[0]?.order; order !== undefined; ) {
    const group = groupOf(workflow, order)!;
    groups.push(group);
    order = group.next ?? undefined;
  }
  return groups;
}

interface Membership {
  kind: 'loop' | 'parallel' | null;
  name: string | null;
}

function membership({ loopGroup, parallelGroup }: WorkflowStep): Membership {
  if (loopGroup !== undefined) return { kind: 'loop', name: loopGroup };
  return parallelGroup === undefined ? { kind: null, name: null } : { kind: 'parallel', name: parallelGroup };
}

function isSameGroup(a: Membership, b: Membership): boolean {
  return a.kind !== null && a.kind === b.kind && a.name === b.name;
}

/** TCP-05: which tool's results these steps use up, and by which tool. */
export function hintsOf(steps: readonly WorkflowStep[]): ContextHint[] {
  return steps.flatMap(({ order, tool, contextHint }) =>
    tool === undefined || !contextHint
      ? []
      : [{ step: order, tool, lifecycle: 'transient' as const, consumedBy: contextHint.consumedBy }],
  );
}
