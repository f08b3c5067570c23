import { randomId } from '../../kernel/ids.ts';

/**
 * A life of a pod in one process, in which positions are heard before they are stored. It is named with the position after
 * which it began: who comes back from a life of which nothing was stored must be told how far back that reaches.
 */
export function newEpoch(base: number, fence = 0): string {
  return `${randomId('epoch')}${fence === 0 ? '' : `.${fence}`}.${base}`;
}

/** In a cluster each owner of a pod has a higher one than those before it; 0 where there is none. */
export function fenceOf(epoch: string | null): number {
  return Number(/\.(\d{1,15})\.\d{1,15}$/.exec(epoch ?? '')?.[1] ?? 0);
}

/** Undefined where the name does not say. */
export function beginningOf(epoch: string): number | undefined {
  const digits = /\.(\d{1,15})$/.exec(epoch)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
