import type { RuleUsage, Thresholds } from '@infold/protocol';
import { isoTime } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { editsByFile } from '../queries/edits.ts';
import { fileKey, turnsByDay, type UsageFilter } from '../queries/evidence.ts';
import { ruleUsage } from '../queries/usage.ts';
import { verdictOf } from './verdict.ts';

const DAY = 86_400_000;

const FIGURES = ['loaded', 'referred', 'claimed_without_loading', 'stale'];
const TURNS = ['agents', 'turns', 'rejected_turns'];

/** What tables and files show of each report, in this order. */
export const COLUMNS: Record<string, readonly string[]> = {
  rule: [
    ...['project', 'path', 'kind', 'state', 'verdict', 'why', ...FIGURES],
    ...['agents', 'turns', 'followed_turns', 'rejected_turns', 'revisions', 'restored', 'declined_drafts'],
    ...['last_loaded_at', 'last_referred_at', 'loaded_by_host'],
  ],
  constraint: [
    ...['project', 'path', 'constraint_id', ...FIGURES],
    ...['agents', 'turns', 'followed_turns', 'rejected_turns', 'current', 'last_referred_at'],
  ],
  project: ['project', 'workspace_id', ...TURNS, ...FIGURES],
  agent: ['agent', 'sessions', 'turns', 'submitted_turns', 'rejected_turns', ...FIGURES],
  model: ['model', 'sessions', 'agents', 'turns', 'submitted_turns', 'rejected_turns', ...FIGURES],
  day: ['day', ...TURNS, ...FIGURES],
};

/** Rules with what can be concluded of them. */
export function judgedRules(
  database: Database,
  filter: UsageFilter,
  thresholds: Thresholds,
  now: number,
): Omit<RuleUsage, 'project'>[] {
  const edits = editsByFile(database, filter);
  const turns = turnsByDay(database, filter);
  return ruleUsage(database, filter).map((rule) => {
    const { published_at, ...changes } = edits.get(fileKey(rule.workspace_id, rule.id)) ?? {
      ...{ published_at: now, revisions: 0, restored: 0, declined_drafts: 0 },
    };
    const published = isoTime(published_at).slice(0, 10);
    const turnsSincePublished = (turns.get(rule.workspace_id) ?? [])
      // On the day itself nobody knows which turns came after it.
      .reduce((sum, { day, turns: count }) => (day > published ? sum + count : sum), 0);
    const ageInDays = Math.floor((now - published_at) / DAY);
    const verdict = verdictOf({ ...rule, ...changes, ageInDays, turnsSincePublished }, thresholds);
    return { ...rule, published_at: isoTime(published_at), ...changes, ...verdict };
  });
}
