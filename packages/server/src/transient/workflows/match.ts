import { termsOf } from '../queries.ts';
import type { Workflow } from './definition.ts';

const WEIGHTS = { name: 3, tags: 3, models: 2, description: 2, steps: 1 } as const;
/** The best is picked when it is so much better than the next. */
const CLEARLY = 1.5;

export interface Match {
  workflow: Workflow;
  score: number;
}

/** Workflows by how well they fit a goal, the best first; only those that fit at all. */
export function matchWorkflows(
  workflows: readonly Workflow[],
  goal: string | undefined,
  tag: string | undefined,
): Match[] {
  const tagged = tag === undefined ? workflows : workflows.filter(({ tags }) => hasTag(tags, tag));
  if (goal === undefined) return tagged.map((workflow) => ({ workflow, score: 1 }));
  const terms = termsOf(goal).map(stem);
  return tagged
    .map((workflow) => ({ workflow, score: scoreOf(workflow, terms) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
}

export function clearChoice(matches: readonly Match[]): Workflow | undefined {
  const [best, second] = matches;
  if (!best) return undefined;
  return !second || best.score >= second.score * CLEARLY ? best.workflow : undefined;
}

function hasTag(tags: readonly string[], wanted: string): boolean {
  return tags.some((tag) => tag.toLowerCase() === wanted.trim().toLowerCase());
}

function scoreOf(workflow: Workflow, terms: readonly string[]): number {
  const texts = {
    name: `${workflow.name} ${workflow.title}`,
    tags: workflow.tags.join(' '),
    models: workflow.models.join(' '),
    description: workflow.description,
    steps: workflow.steps.map(({ title }) => title).join(' '),
  };
  return Object.entries(WEIGHTS).reduce((sum, [part, weight]) => {
    const words = new Set(termsOf(texts[part as keyof typeof texts].replaceAll(/[-_/]/g, ' ')).map(stem));
    return sum + weight * terms.filter((term) => words.has(term)).length;
  }, 0);
}

/** Enough to see that "activities" are about an "activity" and "classifying" about a "classification". */
function stem(word: string): string {
  return word
    .replace(/ies$/, 'y')
    .replace(/(?:ifications?|ifying|ifies|ified|ify)$/, 'if')
    .replace(/(?:ing|ed|es|s)$/, '')
    .replace(/e$/, '');
}
