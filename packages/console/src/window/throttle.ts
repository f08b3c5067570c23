/** Runs something at once, and then at most so often; what is asked for meanwhile is done once, at the end of the pause. */
export class Throttle {
  readonly #run: () => void;
  readonly #pause: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isWaiting = false;

  constructor(run: () => void, pause: number) {
    this.#run = run;
    this.#pause = pause;
  }

  ask(): void {
    if (this.#timer !== undefined) {
      this.#isWaiting = true;
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#isWaiting) return;
      this.#isWaiting = false;
      this.ask();
    }, this.#pause);
    this.#run();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isWaiting = false;
  }
}
