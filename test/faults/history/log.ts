import type { Model, Operation } from './check.ts';

/** What is asked of a log: to append an item that nobody else appends, or to show what it holds. */
export type LogInput = { stream: string; append: string } | { stream: string; read: true };
/** How many items the log holds with the new one; or the items. */
export type LogAnswer = number | string[];
export type LogOperation = Operation<LogInput, LogAnswer>;

/**
 * A stream as a log of items. An append that was lost, was applied twice or was decided on a state that was no longer true gives a
 * wrong length, and a read shows the items and their order.
 */
export const LOG: Model<readonly string[], LogInput, LogAnswer> = {
  initial: [],
  apply: (items, input) => {
    if ('read' in input) return { state: items, answer: [...items] };
    return { state: [...items, input.append], answer: items.length + 1 };
  },
};
