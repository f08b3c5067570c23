import type { CallObserver } from './services.ts';

/** Calls of an action that its times are told of. */
const LATEST = 512;

interface Counted {
  calls: number;
  errors: number;
  /** Seconds of the latest calls, the newest in the place of the oldest. */
  seconds: Float64Array;
}

export interface CallReport {
  calls: number;
  errors: number;
  /** Null where there was none. */
  seconds: { median: number; p95: number } | null;
}

/** How often each tool was called since the process began, and how long that took. Pages that ask for the same over the API are no calls of it. */
export class CallTimes implements CallObserver {
  readonly #actions = new Map<string, Counted>();

  called(action: string, outcome: 'ok' | 'error', seconds: number, isOfModel: boolean): void {
    if (!isOfModel) return;
    let counted = this.#actions.get(action);
    if (!counted) {
      counted = { calls: 0, errors: 0, seconds: new Float64Array(LATEST) };
      this.#actions.set(action, counted);
    }
    counted.seconds[counted.calls++ % LATEST] = seconds;
    if (outcome === 'error') counted.errors++;
  }

  of(action: string): CallReport {
    const counted = this.#actions.get(action);
    if (!counted) return { calls: 0, errors: 0, seconds: null };
    const { calls, errors } = counted;
    const sorted = counted.seconds.slice(0, Math.min(calls, LATEST)).sort();
    return { calls, errors, seconds: { median: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) } };
  }
}

/** The smallest value that so large a share of them does not exceed. */
function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]!;
}
