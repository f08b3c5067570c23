import type { RuleTrend } from '@infold/protocol';
import { isoTime } from '../../kernel/clock.ts';
import { type Comparison, compareShares, shareOf } from './statistics.ts';

interface Wording {
  hash: string;
  day: string;
  turns: number;
  followed: number;
  rejected: number;
}

interface Published {
  revision: number;
  hash: string;
  at: number;
}

/**
 * What was done with the wordings before a revision, and with it and those after it. An agent that still works with the old
 * wording counts for the old one, whenever that is; a wording that was published on both sides counts by the day.
 */
export function trendSince(
  history: readonly Published[],
  revision: number,
  wordings: readonly Wording[],
  least: number,
): RuleTrend {
  const begun = history.find((one) => one.revision === revision)!;
  const day = isoTime(begun.at).slice(0, 10);
  const earlier = new Set(history.filter((one) => one.revision < revision).map(({ hash }) => hash));
  const later = new Set(history.filter((one) => one.revision >= revision).map(({ hash }) => hash));
  const isLater = (one: Wording) => later.has(one.hash) && (!earlier.has(one.hash) || one.day >= day);
  const isEarlier = (one: Wording) => earlier.has(one.hash) && !isLater(one);
  const before = sideOf(wordings.filter(isEarlier));
  const after = sideOf(wordings.filter(isLater));
  const followed = compareShares(before.followed, after.followed, least);
  const rejected = compareShares(before.rejected, after.rejected, least);
  return {
    revision,
    published_at: isoTime(begun.at),
    min_turns: least,
    before,
    after,
    result: resultOf(followed, rejected),
  };
}

function sideOf(wordings: readonly Wording[]) {
  const sum = (of: (one: Wording) => number) => wordings.reduce((total, one) => total + of(one), 0);
  const turns = sum((one) => one.turns);
  return {
    turns,
    followed: shareOf(
      Math.min(
        turns,
        sum((one) => one.followed),
      ),
      turns,
    ),
    rejected: shareOf(
      Math.min(
        turns,
        sum((one) => one.rejected),
      ),
      turns,
    ),
  };
}

type Change = ReturnType<typeof compareShares>;

/** Better: followed more or rejected less, and neither the other way round. */
function resultOf(followed: Change, rejected: Change): Comparison {
  if (followed === 'not_enough' || rejected === 'not_enough') return 'not_enough';
  const isBetter = followed === 'rose' || rejected === 'fell';
  const isWorse = followed === 'fell' || rejected === 'rose';
  if (isBetter === isWorse) return 'no_difference';
  return isBetter ? 'better' : 'worse';
}
