/** Work that comes back, none of which keeps the process alive or ends it when it fails. */
export class Timers {
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #onError: (error: unknown, problem: string) => void;

  constructor(onError: (error: unknown, problem: string) => void) {
    this.#onError = onError;
  }

  every(interval: number, problem: string, work: () => unknown): void {
    this.#timers.push(setInterval(() => this.#try(problem, work), interval).unref());
  }

  once(pause: number, problem: string, work: () => unknown): void {
    this.#timers.push(setTimeout(() => this.#try(problem, work), pause).unref());
  }

  stop(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
  }

  async #try(problem: string, work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#onError(error, problem);
    }
  }
}
