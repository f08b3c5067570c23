/** Work that takes longer gives others their turn: nobody who is connected should notice it. */
const PIECE = 10;

/** Does the work for one after the other, with pauses; answers whether it ended early because some work said so. */
export async function inPieces<Item>(items: Iterable<Item>, work: (item: Item) => boolean): Promise<boolean> {
  let started = performance.now();
  for (const item of items) {
    if (work(item)) return true;
    if (performance.now() - started < PIECE) continue;
    await new Promise((resolve) => setImmediate(resolve));
    started = performance.now();
  }
  return false;
}
