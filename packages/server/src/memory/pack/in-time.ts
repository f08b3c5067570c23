import type { Goal } from '../retrieval/goal.ts';

/** How a goal wants to see change: all of its steps in order, or how it stands now. */
export type Change = Goal['change'];

/** When something was said; within a moment, where in its thread. */
export interface Dated {
  at: number;
  ordinal: number | null;
  row: number;
}

/** Oldest first where steps are asked for, newest first where the last state is; else as it comes. */
export function inTime<Each>(all: readonly Each[], change: Change, datedBy: (each: Each) => Dated): Each[] {
  if (change === undefined) return [...all];
  const way = change === 'sequence' ? 1 : -1;
  return [...all].sort((one, other) => way * compare(datedBy(one), datedBy(other)));
}

function compare(one: Dated, other: Dated): number {
  return one.at - other.at || (one.ordinal ?? 0) - (other.ordinal ?? 0) || one.row - other.row;
}

/** What a pack says of its order. */
export function orderInWords(change: Change): string | undefined {
  if (change === undefined) return undefined;
  return change === 'sequence' ? 'by time, oldest first' : 'by time, newest first';
}
