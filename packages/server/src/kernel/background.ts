import type { GiveWay } from './give-way.ts';

/** Milliseconds in one turn of the event loop that long work takes: nobody who is connected should notice it. */
export const PIECE = 10;

/** When the work of this turn began. */
let since: number | undefined;
const waiting: (() => void)[] = [];

/**
 * For work that is nobody's call: it goes on while there is time left in this turn of the event loop, else in a later one.
 * All such work shares that time, one after the other, so that much of it holds up others no more than little.
 */
export const giveWay: GiveWay = () => {
  const now = performance.now();
  if (since === undefined) {
    since = now;
    setImmediate(begin);
  }
  return now - since < PIECE ? undefined : new Promise((resolve) => waiting.push(resolve));
};

function begin(): void {
  const next = waiting.shift();
  since = next && performance.now();
  if (!next) return;
  next();
  setImmediate(begin);
}

/** The next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Does the work for one after the other, giving way; answers whether it ended early because some work said so. */
export async function oneByOne<Item>(
  items: Iterable<Item>,
  work: (item: Item) => boolean | Promise<boolean>,
): Promise<boolean> {
  for (const item of items) {
    const done = work(item);
    if (typeof done === 'boolean' ? done : await done) return true;
    const pause = giveWay();
    if (pause) await pause;
  }
  return false;
}
