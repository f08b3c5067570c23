import { Worker } from 'node:worker_threads';
import { builtFile } from '../../kernel/built-files.ts';
import { sleep } from '../../kernel/clock.ts';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import type { ReadAnswer, ReadRequest } from './reader.ts';

const THREADS = 2;
const IDLE = 60_000;
/** What a query may still take when the server stops. */
const GRACE = 4000;

export function workerUrl(path: string): URL {
  return builtFile(`transient/records/${path}`);
}

/** SQLite's own account of a failed read. */
export class ReadProblem extends Error {
  readonly code: number | null;

  constructor(message: string, code: number | null) {
    super(message);
    this.code = code;
  }
}

interface Waiting {
  resolve: (answer: ReadAnswer) => void;
  reject: (error: Error) => void;
}

class ReadThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;

  constructor(onEnd: (thread: ReadThread) => void) {
    this.#worker = new Worker(workerUrl('read-worker.js'));
    this.#worker.unref();
    this.#worker.on('message', (message: { id: number; answer?: ReadAnswer; problem?: ReadProblem }) => {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (this.#waiting.size === 0) this.#worker.unref();
      if (message.answer) waiting?.resolve(message.answer);
      else waiting?.reject(new ReadProblem(message.problem!.message, message.problem!.code));
    });
    const end = (error: Error) => {
      onEnd(this);
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    this.#worker.on('error', end);
    this.#worker.on('exit', () => end(new Error('the reading thread ended')));
  }

  get busy(): number {
    return this.#waiting.size;
  }

  ask(request: ReadRequest): Promise<ReadAnswer> {
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.ref();
      this.#worker.postMessage({ id, request });
    });
  }

  /** A thread that is ended in the middle of a query takes the whole process with it: the driver cannot stand that. */
  async end(): Promise<void> {
    const deadline = performance.now() + GRACE;
    while (this.busy > 0 && performance.now() < deadline) await sleep(10);
    await this.#worker.terminate();
  }
}

/** Two threads that read SQLite files: a search through a whole table must not hold up the server or each other. */
export class ReadThreads {
  readonly #threads = new Set<ReadThread>();
  #idle: NodeJS.Timeout | undefined;

  async read(request: ReadRequest, wait: number): Promise<ReadAnswer> {
    clearTimeout(this.#idle);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const message = `The source did not answer within ${wait / 1000} s; filter by an indexed column, or try again`;
        reject(new InfoldError('source_timeout', message, { retryable: true }));
      }, wait);
    });
    try {
      return await Promise.race([this.#thread().ask(request), late]);
    } catch (error) {
      if (error instanceof ReadProblem || InfoldError.isInstance(error)) throw error;
      const message = `Reading the source failed: ${messageOf(error)}`;
      throw new InfoldError('source_unavailable', message, { retryable: true, cause: error });
    } finally {
      clearTimeout(timer);
      this.#rest();
    }
  }

  #thread(): ReadThread {
    const free = [...this.#threads].sort((a, b) => a.busy - b.busy)[0];
    if (free && (free.busy === 0 || this.#threads.size >= THREADS)) return free;
    const thread = new ReadThread((ended) => this.#threads.delete(ended));
    this.#threads.add(thread);
    return thread;
  }

  #rest(): void {
    if ([...this.#threads].some(({ busy }) => busy > 0)) return;
    this.#idle = setTimeout(() => void this.close(), IDLE);
    this.#idle.unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const threads = [...this.#threads];
    // Who asks from now on gets a new one.
    this.#threads.clear();
    await Promise.all(threads.map((thread) => thread.end()));
  }
}
