import type { Thresholds, UsageVerdict } from '@infold/protocol';
import { shareOf } from './statistics.ts';

/** What is known of a published file in a period. */
export interface RuleRecord {
  kind: string;
  loaded: number;
  loaded_by_host: number;
  referred: number;
  turns: number;
  rejected_turns: number;
  /** How many days ago it was first published. */
  ageInDays: number;
  /** Turns in its project since then, within the period. */
  turnsSincePublished: number;
  revisions: number;
  restored: number;
  declined_drafts: number;
}

/**
 * Fought over comes first: a rule that is rejected or rewritten again and again is in use. What was observed too seldom has
 * no verdict.
 */
export function verdictOf(rule: RuleRecord, thresholds: Thresholds): UsageVerdict {
  const { min_turns, min_edits, fought_share, published_days } = thresholds;
  const rejected = shareOf(Math.min(rule.rejected_turns, rule.turns), rule.turns);
  if (rule.turns >= min_turns && rejected.low !== null && rejected.low >= fought_share) {
    return { verdict: 'fought_over', why: 'rejected' };
  }
  if (rule.revisions + rule.declined_drafts >= min_edits) return { verdict: 'fought_over', why: 'edited' };
  if (rule.referred > 0) return { verdict: 'in_use', why: null };
  if (rule.loaded + rule.loaded_by_host === 0) {
    return rule.ageInDays >= published_days && rule.turnsSincePublished >= min_turns
      ? { verdict: 'dead', why: 'never_loaded' }
      : { verdict: 'not_enough', why: null };
  }
  if (rule.kind === 'context') return { verdict: 'in_use', why: null };
  return rule.ageInDays >= published_days && rule.turns >= min_turns
    ? { verdict: 'dead', why: 'never_referred' }
    : { verdict: 'not_enough', why: null };
}
