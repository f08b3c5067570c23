import { CONTEXT_FACETS, type ContextFacet, type ContextIntent } from '@infold/protocol';

/** What an intent emphasises, in order. The other facets follow: whatever is relevant has a place in a pack. */
const EMPHASIS: Record<ContextIntent, readonly ContextFacet[]> = {
  build: [
    'active_work',
    'decisions',
    'constraints',
    'procedures',
    'gotchas',
    'artifacts',
    'recent_memory',
    'verification',
  ],
  plan: ['planning', 'decisions', 'ideation', 'domain', 'constraints', 'active_work'],
  ideate: ['ideation', 'domain', 'decisions', 'planning', 'recent_memory'],
  research: ['domain', 'artifacts', 'recent_memory', 'decisions', 'constraints'],
  debug: ['gotchas', 'procedures', 'artifacts', 'active_work', 'verification', 'recent_memory'],
  decide: ['decisions', 'ideation', 'domain', 'constraints', 'planning', 'verification'],
  learn: ['recent_memory', 'domain', 'procedures', 'gotchas', 'decisions'],
  general: ['active_work', 'decisions', 'planning', 'ideation', 'domain', 'procedures', 'recent_memory'],
};

export const FACET_TITLES: Record<ContextFacet, string> = {
  active_work: 'Active Work',
  artifacts: 'Artifacts',
  constraints: 'Constraints',
  decisions: 'Decisions',
  domain: 'Domain Knowledge',
  gotchas: 'Gotchas',
  ideation: 'Ideas',
  planning: 'Plans',
  procedures: 'Procedures',
  recent_memory: 'Recent Memory',
  verification: 'Verification',
};

/** Facets of a kind; where there are several, the one that the intent has first. */
const HOMES: Record<string, readonly ContextFacet[]> = {
  task: ['active_work'],
  epic: ['active_work'],
  project: ['active_work'],
  artifact: ['artifacts'],
  document: ['artifacts'],
  source: ['artifacts'],
  config_file: ['artifacts'],
  rule: ['constraints'],
  guide: ['constraints'],
  preference: ['constraints'],
  decision: ['decisions'],
  domain: ['domain'],
  topic: ['domain'],
  claim: ['domain', 'verification'],
  error_pattern: ['gotchas'],
  pattern: ['gotchas'],
  idea: ['ideation'],
  plan: ['planning'],
  milestone: ['planning'],
  procedure: ['procedures'],
  template: ['procedures'],
  tool: ['procedures'],
  test: ['verification'],
};

const FINISHED = new Set(['done', 'completed', 'complete', 'closed', 'resolved', 'finished']);
export const ARCHIVED = new Set(['archived', 'cancelled', 'canceled', 'abandoned']);
/** States of tasks that somebody works on now, in the order in which a pack shows them. */
export const ACTIVE = [
  'doing',
  'in_progress',
  'active',
  'started',
  'blocked',
  'review',
  'in_review',
] as const;

/** What somebody settled, or learned: it is worth more than that something was said or done. */
const KNOWLEDGE_FACETS: readonly ContextFacet[] = ['decisions', 'constraints', 'gotchas'];
const KNOWLEDGE = new Set(Object.keys(HOMES).filter((kind) => KNOWLEDGE_FACETS.includes(HOMES[kind]![0]!)));
/** So much more than episodes it counts, whatever the intent: of items that match about equally, it comes first. */
const KNOWN = 1.15;

export function knowledge(intent: ContextIntent, kind: string, facet: ContextFacet): number {
  if (!KNOWLEDGE.has(kind)) return 1;
  return Math.max(1, (KNOWN * emphasis(intent, 'recent_memory')) / emphasis(intent, facet));
}

/** All eleven, the emphasised ones first; what was said or done comes after what is known. */
export function facetOrder(intent: ContextIntent): ContextFacet[] {
  const first = EMPHASIS[intent];
  // Verification before domain where neither is emphasised: what was checked helps before background does.
  const rest = ['verification', ...CONTEXT_FACETS].filter(
    (facet, index, all) => !first.includes(facet as ContextFacet) && all.indexOf(facet) === index,
  );
  const order = [...first, ...(rest as ContextFacet[])];
  const known = Math.max(...KNOWLEDGE_FACETS.map((facet) => order.indexOf(facet)));
  if (order.indexOf('recent_memory') > known) return order;
  const others = order.filter((facet) => facet !== 'recent_memory');
  return [...others.slice(0, known), 'recent_memory', ...others.slice(known)];
}

export function emphasised(intent: ContextIntent): readonly ContextFacet[] {
  return EMPHASIS[intent];
}

export function facetOf(item: { kind: string; status: string | null }, intent: ContextIntent): ContextFacet {
  // Finished work is history, not work.
  if (item.status !== null && FINISHED.has(item.status)) return 'recent_memory';
  const homes = HOMES[item.kind] ?? ['recent_memory'];
  if (homes.length === 1) return homes[0]!;
  const order = facetOrder(intent);
  return [...homes].sort((one, other) => order.indexOf(one) - order.indexOf(other))[0]!;
}

/** An intent asks for kinds, but never so loudly that what does not match the goal wins over what does. */
export function emphasis(intent: ContextIntent, facet: ContextFacet): number {
  const place = EMPHASIS[intent].indexOf(facet);
  if (place === -1) return 1;
  return place < 3 ? 1.12 : 1.06;
}
