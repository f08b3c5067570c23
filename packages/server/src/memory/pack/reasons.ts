import type { ContextFacet } from '@infold/protocol';
import type { Goal } from '../retrieval/goal.ts';
import type { Ranked } from '../retrieval/rank.ts';

const FACET_REASONS: Record<ContextFacet, string> = {
  active_work: 'work of this project',
  artifacts: 'an artifact to build on',
  constraints: 'a rule to keep to',
  decisions: 'a choice that was made',
  domain: 'background of the field',
  gotchas: 'a trap that is known',
  ideation: 'an idea to consider',
  planning: 'part of a plan',
  procedures: 'a way it is done',
  recent_memory: 'what was said or done',
  verification: 'something to check against',
};

const MOST_WORDS = 6;
const TELLING = 0.05;

/** Why an item is in the pack: which words, whose, which days, which relation. */
export function reasonFor(
  ranked: Ranked,
  goal: Goal,
  facet: ContextFacet,
  viaName: string | undefined,
): string {
  const { lanes, words } = ranked;
  const parts: string[] = [];
  if ((lanes.wish ?? 0) > 0) parts.push('a standing wish');
  if ((lanes.identifier ?? 0) > 0) {
    parts.push(
      `names ${goal.identifiers
        .map(({ name }) => name)
        .slice(0, 3)
        .join(', ')}`,
    );
  }
  if (words.length > 0) parts.push(`matches ${words.slice(0, MOST_WORDS).join(', ')}`);
  if (words.length === 0 && (lanes.meaning ?? 0) > TELLING) parts.push('close in meaning');
  const author = goal.authors.find(({ row }) => row === ranked.passage.author);
  if (author && (lanes.author ?? 0) > 0) parts.push(`said by ${author.name}`);
  if (ranked.time) parts.push(`fits "${ranked.time.time.text}"`);
  if (viaName !== undefined) parts.push(`related to "${viaName}"`);
  if (words.length === 0 && (lanes.neighbours ?? 0) > TELLING) parts.push('stands beside turns that match');
  if (words.length === 0 && (lanes.expansion ?? 0) > TELLING)
    parts.push('shares words with the best matches');
  if (parts.length === 0) parts.push('belongs to a thread that matches');
  return `${FACET_REASONS[facet]}: ${parts.join('; ')}`;
}
