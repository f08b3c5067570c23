import { type Limits, type WorkflowStep, workflowStep } from '@infold/protocol';
import type { Document, LineCounter } from 'yaml';
import { z } from 'zod';
import { messageOf } from '../../kernel/errors.ts';
import { yaml } from '../../kernel/formats/yaml.ts';

/** What a library hands to those who check its files before they are published. */
export interface CheckedFile {
  path: string;
  kind: string;
  content: string;
}

type Path = readonly (string | number)[];

interface Problem {
  path: Path;
  message: string;
}

/** Only the client, which knows the servers, can tell whether there is such a tool. */
const OTHER_SERVER = /^mcp__[\w.-]+?__[\w./-]+$/;
const FRONT_MATTER = /^(\uFEFF?---[ \t]*\r?\n)([\s\S]*?)(?:^|\r?\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
const steps = z.array(workflowStep);

/**
 * Problems of a workflow's steps, each with its line and field. A workflow without steps has none: it is a text.
 * `tools` tells which consumers there are.
 */
export function checkWorkflow(
  file: CheckedFile,
  tools: () => readonly string[],
  { workflowSteps }: Limits,
): string[] {
  if (file.kind !== 'workflow') return [];
  const match = FRONT_MATTER.exec(file.content);
  if (!match) return [];
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const document = parseDocument(match[2]!, { lineCounter: lines, logLevel: 'silent' });
  const offset = match[1]!.split('\n').length - 1;
  const isWorkflow = /^steps[ \t]*:/m.test(match[2]!);
  if (document.errors.length > 0) {
    // Front matter that is no YAML matters here only where steps were meant.
    const { message, pos } = document.errors[0]!;
    return isWorkflow ? [`line ${lines.linePos(pos[0]).line + offset}: ${message.split('\n')[0]!}`] : [];
  }
  if (!isWorkflow && !document.has('steps')) return [];
  let given: unknown;
  try {
    given = (document.toJS({ maxAliasCount: 100 }) as { steps?: unknown } | null)?.steps;
  } catch (error) {
    return [`line ${lineOf(document, ['steps'], lines) + offset}: steps: ${messageOf(error)}`];
  }
  if (given === undefined) return [];
  const known = new Set(tools().flatMap((name) => [name, name.replaceAll('.', '_')]));
  return problemsOf(given, known, workflowSteps).map(({ path, message }) => {
    const full: Path = ['steps', ...path];
    return `line ${lineOf(document, full, lines) + offset}: ${fieldName(full)}: ${message}`;
  });
}

function problemsOf(given: unknown, tools: ReadonlySet<string>, most: number): Problem[] {
  if (!Array.isArray(given) || given.length === 0) return [{ path: [], message: 'must be a list of steps' }];
  if (given.length > most) {
    return [{ path: [], message: `has ${given.length} steps; at most ${most} are accepted` }];
  }
  const parsed = steps.safeParse(given);
  if (!parsed.success) return parsed.error.issues.flatMap(problemFrom);
  return [
    ...checkOrders(parsed.data),
    ...checkGroups(parsed.data),
    ...parsed.data.flatMap((step, index) => checkStep(step, index, parsed.data, tools)),
    ...checkCycles(parsed.data),
  ];
}

function problemFrom(issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path as Path;
  if (issue.code === 'unrecognized_keys') {
    const valid = path.length === 1 ? `; valid are ${Object.keys(workflowStep.shape).join(', ')}` : '';
    return issue.keys.map((key) => ({ path: [...path, key], message: `unknown field${valid}` }));
  }
  const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  return [{ path, message: missing ? 'is required' : issue.message }];
}

function checkOrders(all: readonly WorkflowStep[]): Problem[] {
  return all.flatMap(({ order }, index) => {
    if (order === index + 1) return [];
    const twice = all.slice(0, index).some((earlier) => earlier.order === order);
    const message = twice
      ? `step ${order} is there twice`
      : `steps are numbered 1, 2, 3, …: ${index + 1} was expected, not ${order}`;
    return [{ path: [index, 'order'], message }];
  });
}

/** Members of a group stand next to each other, since they are shown and done together. */
function checkGroups(all: readonly WorkflowStep[]): Problem[] {
  return (['loopGroup', 'parallelGroup'] as const).flatMap((field) => {
    const ended = new Set<string>();
    return all.flatMap((step, index) => {
      const before = all[index - 1]?.[field];
      const name = step[field];
      if (before !== undefined && before !== name) ended.add(before);
      if (name === undefined || before === name || !ended.has(name)) return [];
      return [{ path: [index, field], message: `the steps of "${name}" do not stand next to each other` }];
    });
  });
}

function checkStep(
  { order, tool, contextHint, dependsOn, decision }: WorkflowStep,
  index: number,
  all: readonly WorkflowStep[],
  tools: ReadonlySet<string>,
): Problem[] {
  const orders = new Set(all.map((step) => step.order));
  const problems: Problem[] = [];
  if (contextHint) {
    const { consumedBy } = contextHint;
    if (tool === undefined)
      problems.push({
        path: [index, 'contextHint'],
        message: 'the step has no tool whose result could be used up',
      });
    if (!tools.has(consumedBy) && !OTHER_SERVER.test(consumedBy)) {
      problems.push({
        path: [index, 'contextHint', 'consumedBy'],
        message: `"${consumedBy}" is not a tool; tools are ${[...tools].join(', ')}; one of another server is named mcp__SERVER__TOOL`,
      });
    }
  }
  for (const [place, wanted] of (dependsOn ?? []).entries()) {
    const path = [index, 'dependsOn', place];
    if (!orders.has(wanted)) problems.push({ path, message: `there is no step ${wanted}` });
    else if (wanted === order) problems.push({ path, message: `step ${order} depends on itself` });
    else if (wanted > order && !reaches(all, wanted, order)) {
      problems.push({ path, message: `step ${order} depends on step ${wanted}, which comes later` });
    }
  }
  for (const [place, { nextStep }] of (decision?.options ?? []).entries()) {
    if (nextStep !== undefined && !orders.has(nextStep)) {
      problems.push({
        path: [index, 'decision', 'options', place, 'nextStep'],
        message: `there is no step ${nextStep}`,
      });
    }
  }
  return problems;
}

/** Each circle is told once, at its first step. */
function checkCycles(all: readonly WorkflowStep[]): Problem[] {
  return all.flatMap(({ order, dependsOn = [] }, index) => {
    const back = dependsOn.find((wanted) => wanted > order && reaches(all, wanted, order));
    if (back === undefined) return [];
    const way = [order, ...wayFrom(all, back, order)].join(' → ');
    return [{ path: [index, 'dependsOn'], message: `steps depend on each other in a circle: ${way}` }];
  });
}

function reaches(all: readonly WorkflowStep[], from: number, to: number): boolean {
  return wayFrom(all, from, to).at(-1) === to;
}

/** The steps from one to another along `dependsOn`, both included; empty when there is no way. */
function wayFrom(all: readonly WorkflowStep[], from: number, to: number, seen = new Set<number>()): number[] {
  if (from === to) return [from];
  seen.add(from);
  for (const next of all.find((step) => step.order === from)?.dependsOn ?? []) {
    if (seen.has(next)) continue;
    const way = wayFrom(all, next, to, seen);
    if (way.length > 0) return [from, ...way];
  }
  return [];
}

/** `steps[2].contextHint.consumedBy` */
function fieldName(path: Path): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${part}`))
    .join('');
}

/** The line of a field: of its key where it has one, else of what it should be in. */
function lineOf(document: Document, path: Path, lines: LineCounter): number {
  for (let length = path.length; length > 0; length--) {
    const at = startOf(document, path.slice(0, length));
    if (at !== undefined) return lines.linePos(at).line;
  }
  return 1;
}

function startOf(document: Document, path: Path): number | undefined {
  const { isMap, isNode, isPair, isScalar } = yaml();
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const last = path.at(-1)!;
  if (isMap(parent)) {
    const pair = parent.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === last);
    const key = pair?.key;
    return isNode(key) ? key.range?.[0] : undefined;
  }
  const node = document.getIn(path, true);
  return isNode(node) ? node.range?.[0] : undefined;
}
