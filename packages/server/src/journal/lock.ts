import { sleep } from '../kernel/clock.ts';
import { isBusy } from '../kernel/sqlite.ts';

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
