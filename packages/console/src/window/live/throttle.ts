/**
 * Runs something at once, and then at most so often, and never again before it is done; what is asked for meanwhile is done once,
 * afterwards.
 */
export class Throttle {
  readonly #run: () => unknown;
  readonly #pause: number;
  #isBusy = false;
  #isAsked = false;

  constructor(run: () => unknown, pause: number) {
    this.#run = run;
    this.#pause = pause;
  }

  ask(): void {
    this.#isAsked = true;
    if (!this.#isBusy) void this.#go();
  }

  /** What was asked for and not begun is not done. */
  stop(): void {
    this.#isAsked = false;
  }

  async #go(): Promise<void> {
    this.#isBusy = true;
    while (this.#isAsked) {
      this.#isAsked = false;
      const pause = new Promise((resolve) => setTimeout(resolve, this.#pause));
      await Promise.allSettled([this.#run(), pause]);
    }
    this.#isBusy = false;
  }
}
