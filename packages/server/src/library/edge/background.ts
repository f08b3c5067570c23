import { pauseAfter } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/log.ts';
import { type Edge, LONGEST_PAUSE } from './edge.ts';

/** A host that waits for its first answer should not wait for this. */
const FIRST = 1000;

export interface SyncingOptions {
  /** Milliseconds between two rounds. */
  every: number;
  /** The project that this process works for, if it is for one. */
  project?: string | undefined;
  log: Pick<Logger, 'warn' | 'info'>;
}

/** Synchronises now and then for as long as the process lives. Answers how to stop. */
export function startSyncing(edge: Edge, { every, project, log }: SyncingOptions): () => Promise<void> {
  let timer: NodeJS.Timeout;
  let stopped = false;
  let last: string | undefined;
  let running: Promise<void> = Promise.resolve();
  const next = (pause: number) => {
    if (stopped) return;
    timer = setTimeout(() => {
      running = look();
    }, pause);
    timer.unref();
  };
  const look = async () => {
    try {
      // Another process may have been at it: of several on one folder, one asks the hub.
      if (edge.isConfigured)
        await edge.syncIfDue(
          pauseAfter(edge.state.failures, { every, longest: LONGEST_PAUSE, chance: 0 }),
          project,
        );
    } catch {
      // It is in the state, which is told from.
    }
    const { problem, failures } = edge.state;
    if (!stopped && problem !== (last ?? null)) {
      if (problem !== null) log.warn({ problem }, 'the hub');
      else log.info('the hub is back');
      last = problem ?? undefined;
    }
    next(pauseAfter(failures, { every, longest: LONGEST_PAUSE, chance: Math.random() }));
  };
  next(FIRST);
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await edge.close();
    await running;
  };
}
