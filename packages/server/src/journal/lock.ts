import { sleep } from '../kernel/clock.ts';
import { isBusy, journalBusy } from '../kernel/sqlite.ts';

interface Patience {
  /** How long others may hold the lock, in milliseconds. */
  wait: number;
  /** Work of this process that holds the lock; it is waited for to its end, however long it takes. */
  ownWork?: () => Promise<unknown> | undefined;
}

/**
 * Retries while another process holds the lock. SQLite itself waits only a few milliseconds per try, and the
 * pauses between tries leave the event loop free. Pauses are random, so that no process is always second.
 */
export async function retryWhileLocked<T>(attempt: () => T, patience: Patience): Promise<T> {
  let deadline = performance.now() + patience.wait;
  for (let pause = 2; ; pause = Math.min(pause * 1.5, 25)) {
    for (let work = patience.ownWork?.(); work; work = patience.ownWork?.()) {
      await work.catch(() => {});
      deadline = performance.now() + patience.wait;
    }
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
    }
    await sleep(1 + Math.random() * pause);
  }
}

/**
 * One writer of this process at a time waits for the lock, and the others stand in line behind it. Each try lets the
 * event loop stand still for a moment: fifty writers that try by themselves would hold it up for a second.
 */
export class LockQueue {
  /** Settles when the last one in line has had its turn. */
  #last: Promise<void> | undefined;

  async run<T>(attempt: () => T, patience: Patience): Promise<T> {
    const before = this.#last;
    if (!before && !patience.ownWork?.()) {
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
    }
    let leave = () => {};
    const turn = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#last = turn;
    try {
      const started = performance.now();
      if (before) await untilTurn(before, patience);
      const wait = Math.max(0, patience.wait - (performance.now() - started));
      return await retryWhileLocked(attempt, { ...patience, wait });
    } finally {
      if (this.#last === turn) this.#last = undefined;
      // Who gave up does not let those behind it overtake the ones in front of it.
      if (before) void before.then(leave);
      else leave();
    }
  }
}

/** The pause lets the event loop turn between two writers; whoever waited too long gives up in line. */
async function untilTurn(before: Promise<void>, { wait, ownWork }: Patience): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    const look = () => {
      // Work of this process ends by itself: its time is nobody's fault.
      if (ownWork?.()) timer = setTimeout(look, wait);
      else reject(journalBusy());
    };
    timer = setTimeout(look, wait);
  });
  try {
    await Promise.race([before, tooLong]);
  } finally {
    clearTimeout(timer);
  }
  await new Promise<void>((resolve) => setImmediate(resolve));
}
