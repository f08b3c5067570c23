import type { Candidate } from './candidates.ts';

/** Of what is ranked, as much as this needs to know. */
interface Scored {
  item: number;
  passage: Candidate;
  score: number;
  lanes: { recency?: number };
  words: readonly string[];
}

/** Best items among which those that say the same are put in order. */
const LOOKED_AT = 24;
/** Two that say the same share so much of their words, and match the goal about as well. */
const ALIKE = 0.5;
const CLOSE = 0.7;

/**
 * Puts what says the same with other values in order, the newest first: an updated fact outranks what it updates. Such items match
 * the same words of the goal, and are alike but for some of their words. They exchange their scores, nothing else moves.
 */
export function newestFirst(ranked: readonly Scored[]): void {
  const best = ranked.slice(0, LOOKED_AT).map((each) => ({
    each,
    terms: onceOf(() => new Set(each.passage.terms.text.split(' '))),
    matched: matchedBy(each),
  }));
  const placed = new Set<Scored>();
  for (const one of best) {
    if (placed.has(one.each) || one.matched === '') continue;
    const group = best.filter(
      (other) =>
        other === one ||
        (!placed.has(other.each) &&
          other.matched === one.matched &&
          other.each.score >= CLOSE * one.each.score &&
          areAlike(one.terms(), other.terms())),
    );
    for (const { each } of group) placed.add(each);
    if (group.length > 1) exchange(group.map(({ each }) => each));
  }
}

function onceOf<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function matchedBy({ words }: Scored): string {
  return [...words].sort().join(' ');
}

/** What is word for word the same updates nothing. */
function areAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  let shared = 0;
  for (const term of one) if (other.has(term)) shared++;
  const all = one.size + other.size - shared;
  return shared < all && shared >= ALIKE * all;
}

function exchange(group: readonly Scored[]): void {
  const scores = group.map(({ score }) => score).sort((one, other) => other - one);
  const newest = [...group].sort(byTime);
  for (const [place, each] of newest.entries()) {
    const gain = scores[place]! - each.score;
    each.score = scores[place]!;
    each.lanes.recency = (each.lanes.recency ?? 0) + gain;
  }
}

/** By the day that it was said on; what came later into memory is newer where that does not tell. */
function byTime(one: Scored, other: Scored): number {
  const [here, there] = [one.passage.day, other.passage.day];
  return here !== null && there !== null && here !== there ? there - here : other.item - one.item;
}
