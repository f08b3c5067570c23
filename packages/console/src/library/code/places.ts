import type { Chunk } from '@codemirror/merge';

/** Where a position of the first version is in the second; of what is gone there, where it was. */
export function placeInOther(
  chunks: readonly Pick<Chunk, 'fromA' | 'toA' | 'fromB' | 'toB'>[],
  position: number,
): number {
  let shift = 0;
  for (const { fromA, toA, fromB, toB } of chunks) {
    if (position < fromA) break;
    if (position < toA) return fromB;
    shift = toB - toA;
  }
  return position + shift;
}
