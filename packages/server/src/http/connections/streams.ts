/** An answer that goes on for as long as both sides like. */
export function isStream(response: Response): boolean {
  return (
    response.headers.get('content-type')?.startsWith('text/event-stream') === true && response.body !== null
  );
}

/** Bodies that wait for their readers by themselves: nothing is made before somebody wants it. */
const paced = new WeakSet<ReadableStream>();
export function waitsForReader(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  paced.add(body);
  return body;
}

/**
 * The same stream, with a way for the server to end it. What others write to it as it happens is taken at once and waits
 * here, counted: a client that does not read would otherwise make it grow without end. Such a stream is ended, and its
 * client can come back. `onEnd` is called once, whoever ended it.
 */
export class OpenStream {
  readonly response: Response;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #most: number;
  readonly #onEnd: () => void;
  readonly #isPaced: boolean;
  readonly #waiting: Uint8Array[] = [];
  #bytes = 0;
  #isOpen = true;
  /** The other side wants more and there was none. */
  #wanted: (() => void) | undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(response: Response, most: number, onEnd: () => void) {
    this.#reader = response.body!.getReader();
    this.#most = most;
    this.#onEnd = onEnd;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#pull(),
        cancel: (reason) => {
          this.#close();
          return this.#reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
    this.response = new Response(body, response);
    this.#isPaced = paced.has(response.body!);
    if (!this.#isPaced) void this.#takeAll();
  }

  /** What was written and not read yet. */
  get bytes(): number {
    return this.#bytes;
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#close();
    this.#waiting.length = 0;
    this.#bytes = 0;
    this.#controller?.close();
    this.#wanted?.();
    void this.#reader.cancel().catch(() => {});
  }

  async #takeAll(): Promise<void> {
    while (this.#isOpen) {
      await this.#take();
      this.#wanted?.();
    }
  }

  async #take(): Promise<void> {
    const { done, value } = await this.#reader.read().catch(() => ({ done: true, value: undefined }));
    if (!this.#isOpen) return;
    // What is large and alone is read as fast as its reader can.
    if (value && this.#bytes > 0 && this.#bytes + value.byteLength > this.#most) {
      this.end();
      return;
    }
    if (value) {
      this.#waiting.push(value);
      this.#bytes += value.byteLength;
    }
    if (done) this.#close();
  }

  /** Resolves when something was handed over, or there is nothing more. */
  async #pull(): Promise<void> {
    while (this.#waiting.length === 0 && this.#isOpen) {
      if (this.#isPaced) await this.#take();
      else
        await new Promise<void>((resolve) => {
          this.#wanted = resolve;
        });
    }
    const next = this.#waiting.shift();
    if (next) {
      this.#bytes -= next.byteLength;
      this.#controller!.enqueue(next);
    } else this.#finish();
  }

  #finish(): void {
    try {
      this.#controller!.close();
    } catch {
      // Ended meanwhile.
    }
  }

  #close(): void {
    if (this.#isOpen) this.#onEnd();
    this.#isOpen = false;
  }
}
