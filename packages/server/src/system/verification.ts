import type { Journal, VerifyReport } from '../journal/journal.ts';
import type { Clock } from '../kernel/clock.ts';
import { messageOf } from '../kernel/errors.ts';

export interface VerificationState {
  state: 'none' | 'running' | 'done' | 'failed';
  /** Entries. */
  done: number;
  total: number;
  startedAt: number | null;
  endedAt: number | null;
  report: VerifyReport | null;
  /** Why it did not come to its end. */
  problem: string | null;
}

const NONE: VerificationState = {
  state: 'none',
  done: 0,
  total: 0,
  startedAt: null,
  endedAt: null,
  report: null,
  problem: null,
};

/** Verifies the journal beside what is served, one time at once. What the last time found is kept while the process runs. */
export class Verification {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #ending = new AbortController();
  #state = NONE;
  #running: Promise<void> | undefined;

  constructor(journal: Journal, clock: Clock) {
    this.#journal = journal;
    this.#clock = clock;
  }

  get state(): VerificationState {
    return this.#state;
  }

  /** False where it runs already. */
  start(): boolean {
    if (this.#running || this.#ending.signal.aborted) return false;
    const total = this.#journal.head().seq;
    this.#state = { ...NONE, state: 'running', total, startedAt: this.#clock() };
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
    return true;
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      const report = await this.#journal.verify((done, total) => {
        this.#ending.signal.throwIfAborted();
        this.#state = { ...this.#state, done, total };
      });
      this.#end({ state: 'done', report, done: report.entries });
    } catch (error) {
      this.#end({ state: 'failed', problem: messageOf(error) });
    }
  }

  #end(ended: Partial<VerificationState>): void {
    this.#state = { ...this.#state, ...ended, endedAt: this.#clock() };
  }
}
