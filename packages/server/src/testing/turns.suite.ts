import { onTestFinished, vi } from 'vitest';

/**
 * Time that passes by so many milliseconds whenever somebody looks: what is cut into pieces by time is then cut alike on every
 * machine, however busy.
 */
export function countedTime(step = 1): void {
  let now = performance.now();
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += step;
    return now;
  });
  onTestFinished(() => spy.mockRestore());
}

/** By how much something grew at most in one turn of the event loop, and in how many it did, while the work went on. */
export async function growthByTurn(
  read: () => number,
  work: () => unknown,
): Promise<{ most: number; turns: number }> {
  let [last, most, turns] = [read(), 0, 0];
  const look = () => {
    const value = read();
    most = Math.max(most, value - last);
    if (value > last) turns++;
    last = value;
  };
  let next = setImmediate(function again() {
    look();
    next = setImmediate(again);
  });
  await work();
  clearImmediate(next);
  look();
  return { most, turns };
}
