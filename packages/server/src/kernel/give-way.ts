/**
 * Long work asks between two pieces of itself whether others should come first: undefined where it may go on at once,
 * else it goes on when that resolves. What was read before may have changed by then.
 */
export type GiveWay = () => Promise<void> | undefined;

/** Work on many things, a few at a time. */
export async function* inPieces<One>(
  all: readonly One[],
  size: number,
  giveWay: GiveWay,
): AsyncGenerator<readonly One[]> {
  for (let from = 0; from < all.length; from += size) {
    await giveWay();
    yield from === 0 && all.length <= size ? all : all.slice(from, from + size);
  }
}

/** Where nobody else can be waiting. */
export const goOn: GiveWay = () => undefined;
