import type { Ranked } from '../retrieval/rank.ts';

interface Judged {
  score: number;
  ranked: Pick<Ranked, 'lanes' | 'coverage' | 'passage' | 'wish'>;
}

/** Places whose scores are what anything gets that shares a word with the goal. */
const BACKGROUND = { from: 24, to: 48, least: 8 };
/** So far above the background, as a share of the best, an item is relevant: a note by itself, or a turn of a conversation. */
const ABOVE = 0.25;
const TURN_ABOVE = 0.05;
/** Where the background is as good as this share of the best, nothing stands out. */
const EVEN = 0.6;
/** Where too few were found for a background, it is this share of the best. */
const USUAL_BACKGROUND = 0.25;
/** A note must hold this share of the goal's rarity, and of what the best one holds. */
const LEAST_COVERAGE = 0.3;
const COVERAGE_SHARE = 0.6;
/** In a store of fewer passages neither rarity nor scores tell much, and all that was found is soon read. */
const FEW_PASSAGES = 100;

/**
 * What is worth reading, by how the scores are spread: where a few items stand out, the others are not padded on. Turns of a
 * conversation may answer without a word of the goal, so that only their scores are asked.
 */
export function isRelevant(candidates: readonly Judged[], passages: number): (candidate: Judged) => boolean {
  if (passages < FEW_PASSAGES) return () => true;
  const top = candidates[0]?.score ?? 0;
  const tail = candidates.slice(BACKGROUND.from, BACKGROUND.to);
  const background =
    tail.length < BACKGROUND.least
      ? USUAL_BACKGROUND * top
      : tail.reduce((sum, { score }) => sum + score, 0) / tail.length;
  const isEven = background >= EVEN * top;
  const floor = (above: number) => (isEven ? 0 : background + above * (top - background));
  const coverage = Math.max(0, ...candidates.map(({ ranked }) => ranked.coverage));
  const least = Math.max(LEAST_COVERAGE, COVERAGE_SHARE * coverage);
  return ({ score, ranked }) => {
    const { identifier = 0, relation = 0, meaning = 0 } = ranked.lanes;
    // What was stored as a rule, or shares a common word, must be about the goal as anything else.
    const isWished = ranked.wish !== undefined && ranked.wish !== 'shared';
    if (isWished || identifier > 0 || relation > 0) return true;
    if (ranked.passage.thread !== null) return score >= floor(TURN_ABOVE);
    return score >= floor(ABOVE) && (meaning > 0 || ranked.coverage >= least);
  };
}
