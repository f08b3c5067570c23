/** The program that runs the demo knows its own errors by this mark, whichever package they are from. */
const mark = Symbol.for('infold.error');

/** What went wrong, for the program to print. With `invalid_arguments` it is the caller who has to change something. */
export class DemoError extends Error {
  readonly code: 'invalid_arguments' | 'model_failed';
  readonly retryable: boolean;

  constructor(code: DemoError['code'], message: string, { retryable = false } = {}) {
    super(message);
    this.name = 'DemoError';
    this.code = code;
    this.retryable = retryable;
    Object.defineProperty(this, mark, { value: true });
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
