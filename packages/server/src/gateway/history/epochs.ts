import { randomId } from '../../kernel/ids.ts';

/**
 * A life of a pod in one process, in which positions are heard before they are stored. It is named with the position after
 * which it began: who comes back from a life of which nothing was stored must be told how far back that reaches.
 */
export function newEpoch(base: number): string {
  return `${randomId('epoch')}.${base}`;
}

/** Undefined where the name does not say. */
export function beginningOf(epoch: string): number | undefined {
  const digits = /\.(\d{1,15})$/.exec(epoch)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
