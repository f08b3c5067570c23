import type { Turn } from '../conversation.ts';

/** The turns as a plot takes them: their numbers, then both lines. */
export function columnsOf(turns: readonly Turn[]): [number[], number[], number[]] {
  return [turns.map((_, index) => index + 1), turns.map(({ sent }) => sent), turns.map(({ whole }) => whole)];
}
