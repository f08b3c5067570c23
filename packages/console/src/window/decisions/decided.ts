import type { WindowDecisionView } from '@infold/protocol';

/** Entries are told in brief: a long text says at its end that it is longer. */
export function isCut(text: string | null): boolean {
  return text !== null && text.length > 1000 && /… \(\d+ characters\)$/.test(text);
}

/** How many of each rule, those that took most out first. */
export function byRule(
  decisions: readonly WindowDecisionView[],
): { rule: string; count: number; tokens: number }[] {
  const rules = new Map<string, { rule: string; count: number; tokens: number }>();
  for (const { rule, tokens } of decisions) {
    const sums = rules.get(rule) ?? { rule, count: 0, tokens: 0 };
    rules.set(rule, { rule, count: sums.count + 1, tokens: sums.tokens + tokens.before - tokens.after });
  }
  return [...rules.values()].sort((one, other) => other.tokens - one.tokens);
}
